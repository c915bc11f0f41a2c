// fuzz_readers TARGET [SEED [ROUNDS]]: random mutations of valid inputs, for as long as asked. With
// the sanitizers (preset asan) this is a short form of fuzzing that needs no other compiler; the
// same targets run under libFuzzer with clang (see CMakeLists.txt here). The current input is kept
// in a file, so that it is there after a crash.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "targets.h"

namespace {

using random_source = std::mt19937_64;

std::size_t below(random_source& random, std::size_t limit) {
    return limit == 0 ? 0 : static_cast<std::size_t>(random() % limit);
}

// Tokens that matter to one of the formats.
constexpr std::string_view words[] = {"{",
                                      "}",
                                      "[",
                                      "]",
                                      "\"",
                                      "\\",
                                      "\\u",
                                      "\\ud800",
                                      ":",
                                      ",",
                                      "null",
                                      "-1",
                                      "1e999",
                                      "0",
                                      "99999999999999999999",
                                      "\n",
                                      "\xEF\xBB\xBF",
                                      "\xC3",
                                      "\xFF",
                                      "<<<",
                                      ">>>",
                                      "__global__",
                                      "#if 0\n",
                                      "#endif\n",
                                      "#define K ",
                                      "\\\n",
                                      "R\"(",
                                      ")\"",
                                      "/*",
                                      "*/",
                                      "//",
                                      "```cuda\n",
                                      "'''",
                                      "\"\"\"",
                                      "template <",
                                      "k<<<1,2>>>(x);",
                                      "id",
                                      "score",
                                      "response",
                                      "(\xB5/\xFD",
                                      "\x50\x2A\x4D\x18",
                                      "\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"};

void mutate(std::string& bytes, random_source& random) {
    const std::size_t at = below(random, bytes.size() + 1);
    const std::size_t length = below(random, 1 + below(random, 32));
    switch (below(random, 7)) {
        case 0:
            if (at < bytes.size())
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8)));
            break;
        case 1:
            if (at < bytes.size()) bytes[at] = static_cast<char>(random());
            break;
        case 2: bytes.erase(at, length); break;
        case 3: bytes.insert(at, bytes.substr(below(random, bytes.size() + 1), length)); break;
        case 4: bytes.insert(at, words[below(random, std::size(words))]); break;
        case 5: bytes.resize(at); break;
        default: bytes.insert(at, below(random, 64), at < bytes.size() ? bytes[at] : '{'); break;
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: fuzz_readers TARGET [SEED [ROUNDS]]\n");
        return 2;
    }
    const std::uint64_t seed =
        argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::random_device{}();
    const std::uint64_t rounds = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 20000;
    for (const auto& target : cuset::fuzz::all_targets()) {
        if (target.name != argv[1]) continue;
        const std::string kept = std::string("fuzz-") + argv[1] + ".input";
        std::printf("%s: seed %llu, %llu rounds\n", argv[1], static_cast<unsigned long long>(seed),
                    static_cast<unsigned long long>(rounds));
        std::fflush(stdout);
        random_source random(seed);
        for (const auto& valid : target.seeds) target.run(valid);
        std::ofstream file(kept, std::ios::binary);
        for (std::uint64_t round = 0; round < rounds; ++round) {
            std::string bytes = target.seeds[below(random, target.seeds.size())];
            for (std::size_t steps = 1 + below(random, 8); steps > 0; --steps)
                mutate(bytes, random);
            file.seekp(0);
            file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
            file.flush();
            std::filesystem::resize_file(kept, bytes.size());
            target.run(bytes);
        }
        file.close();
        std::remove(kept.c_str());
        return 0;
    }
    std::fprintf(stderr, "no target %s in this build\n", argv[1]);
    return 2;
}

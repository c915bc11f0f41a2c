// Encodes the lines of a JSONL file of strings over and over on one core and prints one line:
// bytes, tokens, processor seconds of the best round, milliseconds of loading.
//   tokenizer_throughput TOKENIZER.json STRINGS.jsonl [ROUNDS]
// tests/bench/tokenizer_throughput.py times Hugging Face's `tokenizers` beside it.
#include <simdjson.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "cuset/text/tokenizer.h"

namespace {

/// Processor time of this thread: other work on the machine does not count.
double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: tokenizer_throughput TOKENIZER.json STRINGS.jsonl [ROUNDS]\n");
        return 2;
    }
    const int rounds = argc > 3 ? std::max(1, std::atoi(argv[3])) : 10;
    const double begin = cpu_seconds();
    const auto tokenizer = cuset::tokenizer::load(argv[1]);
    const double load = cpu_seconds() - begin;
    if (!tokenizer) {
        std::fprintf(stderr, "tokenizer_throughput: %s\n", tokenizer.error().message().c_str());
        return 1;
    }
    std::vector<std::string> texts;
    simdjson::dom::parser parser;
    std::ifstream in(argv[2]);
    std::size_t bytes = 0;
    for (std::string line; std::getline(in, line);) {
        std::string_view text;
        if (parser.parse(line).get(text) != simdjson::SUCCESS) return 1;
        texts.emplace_back(text);
        bytes += text.size();
    }
    double best = 1e30;
    std::size_t tokens = 0;
    for (int round = 0; round < rounds; ++round) {
        tokens = 0;
        const double start = cpu_seconds();
        for (const std::string& text : texts) {
            // Each record has fresh vectors, as in a caller's code.
            std::vector<std::int32_t> ids;
            std::vector<std::size_t> ends;
            if (!tokenizer->encode(text, ids, ends)) return 1;
            tokens += ids.size();
        }
        best = std::min(best, cpu_seconds() - start);
    }
    std::printf("%zu %zu %.6f %.1f\n", bytes, tokens, best, load * 1e3);
    return 0;
}

// The cost of cuset-window, cuset-stats, the splice and the zstd layer beside a bare simdjson walk
// over the same scored file: stream_throughput [MEGABYTES]. All is single-threaded and in processor
// time. Each figure is the best of some runs that take turns, so that a busy machine slows all of
// them alike.
//
// The walk is On-Demand over every value of every line of the file, which is read into memory
// first. zstd is libzstd in pieces, as in zstd(1): whole files in one call are faster, but no
// stream. The tool is the real program, from its start to its exit, with files in and out.
#include <fcntl.h>
#include <simdjson.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace od = simdjson::ondemand;
namespace fs = std::filesystem;

double wall_seconds(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Processor time of this process and of the children it has waited for.
double cpu_seconds(const std::function<void()>& work) {
    const auto now = [] {
        double seconds = 0;
        for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
            rusage usage{};
            ::getrusage(who, &usage);
            for (const timeval& t : {usage.ru_utime, usage.ru_stime})
                seconds += static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
        }
        return seconds;
    };
    const double start = now();
    work();
    return now() - start;
}

[[noreturn]] void die(const std::string& what) {
    std::fprintf(stderr, "stream_throughput: %s\n", what.c_str());
    std::exit(1);
}

// Responses of 2 to 8 KB out of the example programs, in tokens of 1 to 6 bytes, with confidences
// of six digits: most near 1, some tiny.
std::string make_records(std::size_t bytes) {
    std::string code;
    for (const auto& entry : fs::directory_iterator(CUSET_SOURCE_DIR "/examples/pairs")) {
        std::ifstream in(entry.path());
        for (const char c : std::string(std::istreambuf_iterator<char>(in), {}))
            if (c == '\n' || (c >= ' ' && c < 127)) code += c;
    }
    if (code.size() < 10000) die("examples/pairs is missing");
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::string out;
    for (int id = 0; out.size() < bytes; ++id) {
        const std::size_t size = 2000 + random() % 6000;
        const std::string response = code.substr(random() % (code.size() - size), size);
        std::ostringstream line, end, token, confidence;
        confidence.precision(6);
        line << R"({"id":"k)" << id << R"(","prompt":"Write a CUDA kernel, please.","response":")";
        for (const char c : response) {
            if (c == '\n') {
                line << "\\n";
                continue;
            }
            if (c == '"' || c == '\\') line << '\\';
            line << c;
        }
        for (std::size_t at = 0; at < size;) {
            const char* const comma = at ? "," : "";
            at = std::min(size, at + 1 + random() % 6);
            const double u = uniform(random);
            const double tiny = std::pow(10, -9 * uniform(random));
            end << comma << at;
            token << comma << random() % 49152;
            confidence << comma << (u < 0.8 ? 1 - tiny / 2 : tiny);
        }
        line << R"(","tag":{"spans":[{"kind":"kernel","name":"bn","begin":120,"end":918}],)"
             << R"("lang":"cuda"},"score":{"model":"SmolLM2-135M-Instruct","end":[)"
             << end.str() << "],\"id\":[" << token.str() << "],\"confidence\":[" << confidence.str()
             << "]}}\n";
        out += line.str();
    }
    return out;
}

double sum = 0;  // of the values that the walk sees, so that none can be left out

bool walk_value(od::value value) {
    od::json_type type{};
    if (value.type().get(type)) return false;
    switch (type) {
        case od::json_type::array: {
            od::array array;
            if (value.get_array().get(array)) return false;
            for (auto element : array) {
                od::value item;
                if (element.get(item) || !walk_value(item)) return false;
            }
            return true;
        }
        case od::json_type::object: {
            od::object object;
            if (value.get_object().get(object)) return false;
            for (auto member : object) {
                od::field field;
                std::string_view key;
                if (std::move(member).get(field) || field.unescaped_key().get(key)) return false;
                if (!walk_value(field.value())) return false;
            }
            return true;
        }
        case od::json_type::string: {
            std::string_view text;
            if (value.get_string().get(text)) return false;
            sum += static_cast<double>(text.size());
            return true;
        }
        case od::json_type::number: {
            double number = 0;
            if (value.get_double().get(number)) return false;
            sum += number;
            return true;
        }
        case od::json_type::boolean: {
            bool flag = false;
            return !value.get_bool().get(flag);
        }
        case od::json_type::null: return value.is_null();
    }
    return false;
}

void walk_lines(const simdjson::padded_string& text) {
    od::parser parser;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
        const auto left = static_cast<std::size_t>(end - at);
        const void* newline = std::memchr(at, '\n', left);
        const char* stop = newline ? static_cast<const char*>(newline) : end;
        od::document document;
        od::value value;
        if (parser
                .iterate(at, static_cast<std::size_t>(stop - at), left + simdjson::SIMDJSON_PADDING)
                .get(document) ||
            document.get_value().get(value) || !walk_value(value))
            die("the walk fails on its own file");
        at = stop + 1;
    }
}

simdjson::padded_string unpack(const std::string& path, std::size_t size) {
    const auto packed = simdjson::padded_string::load(path);
    simdjson::padded_string text(size);
    ZSTD_DCtx* const context = ZSTD_createDCtx();
    ZSTD_inBuffer in{packed.value_unsafe().data(), packed.value_unsafe().size(), 0};
    std::vector<char> piece(ZSTD_DStreamOutSize());
    std::size_t at = 0;
    while (at < size) {
        ZSTD_outBuffer out{piece.data(), piece.size(), 0};
        if (ZSTD_isError(ZSTD_decompressStream(context, &out, &in)) || out.pos == 0) die("zstd");
        std::memcpy(text.data() + at, piece.data(), out.pos);
        at += out.pos;
    }
    ZSTD_freeDCtx(context);
    return text;
}

void pack(const char* text, std::size_t size, const std::string& path) {
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 3);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    std::vector<char> piece(ZSTD_CStreamOutSize());
    std::ofstream file(path, std::ios::binary);
    for (std::size_t at = 0; at < size;) {
        const std::size_t n = std::min(size - at, ZSTD_CStreamInSize());
        ZSTD_inBuffer in{text + at, n, 0};
        at += n;
        for (bool done = false; !done;) {
            ZSTD_outBuffer out{piece.data(), piece.size(), 0};
            const auto left =
                ZSTD_compressStream2(context, &out, &in, at < size ? ZSTD_e_continue : ZSTD_e_end);
            if (ZSTD_isError(left)) die("zstd");
            file.write(piece.data(), static_cast<std::streamsize>(out.pos));
            done = at < size ? in.pos == in.size : left == 0;
        }
    }
    ZSTD_freeCCtx(context);
}

void run(std::vector<std::string> words) {
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    int ended = 0;
    if (::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ) != 0 ||
        ::waitpid(child, &ended, 0) != child || ended != 0)
        die(words[0] + " failed");
    posix_spawn_file_actions_destroy(&actions);
}

struct figure {
    std::string what;
    std::function<void()> work;
    double best = 1e9;
};

}  // namespace

int main(int argc, char** argv) {
    const std::size_t megabytes = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 150;
    std::string name = (fs::temp_directory_path() / "cuset-bench-XXXXXX").string();
    if (!::mkdtemp(name.data())) die("no temporary folder");
    const std::string plain = name + "/scored.jsonl", packed = name + "/scored.jsonl.zst",
                      out = name + "/out";
    const std::string text = make_records(megabytes << 20);
    std::ofstream(plain, std::ios::binary) << text;
    pack(text.data(), text.size(), packed);
    const std::string bin = fs::canonical("/proc/self/exe").parent_path().parent_path() / "bin";
    const std::string window = bin + "/cuset-window", tag = bin + "/cuset-tag",
                      stats = bin + "/cuset-stats";

    std::vector<figure> figures = {
        {"simdjson walk", [&] { walk_lines(simdjson::padded_string::load(plain).value_unsafe()); }},
        {"cuset-window --records --plain",
         [&] {
             run({window, "-qt1", "--records", "--plain", plain});
         }},
        {"cuset-window (table)",
         [&] {
             run({window, "-qt1", plain});
         }},
        {"zstd -d, walk", [&] { walk_lines(unpack(packed, text.size())); }},
        {"cuset-window --records --plain, zstd in",
         [&] {
             run({window, "-qt1", "--records", "--plain", packed});
         }},
        {"zstd -d, walk, zstd",
         [&] {
             const auto unpacked = unpack(packed, text.size());
             walk_lines(unpacked);
             pack(unpacked.data(), unpacked.size(), out);
         }},
        {"cuset-window --records, zstd in and out",
         [&] {
             run({window, "-qt1", "--records", packed});
         }},
        {"zstd -d", [&] { unpack(packed, text.size()); }},
        {"zstd", [&] { pack(text.data(), text.size(), out); }},
        {"cuset-stats",
         [&] {
             run({stats, "-qt1", plain});
         }},
        {"cuset-stats, zstd in",
         [&] {
             run({stats, "-qt1", packed});
         }},
    };
    for (int round = 0; round < 5; ++round)
        for (figure& f : figures) f.best = std::min(f.best, cpu_seconds(f.work));
    const double size = static_cast<double>(text.size()) / 1e6;
    std::printf("%.0f MB of scored records (%ju MB as zstd)\n", size,
                static_cast<std::uintmax_t>(fs::file_size(packed) / 1000000));
    for (const figure& f : figures) std::printf("%8.0f MB/s  %s\n", size / f.best, f.what.c_str());
    const auto ratio = [&](std::size_t tool, std::size_t bare) {
        std::printf("%8.0f %%     %s / %s\n", 100 * figures[bare].best / figures[tool].best,
                    figures[tool].what.c_str(), figures[bare].what.c_str());
    };
    std::puts("target: at least 80 % of the bare walk");
    ratio(1, 0);
    ratio(2, 0);
    ratio(4, 3);
    ratio(6, 5);
    ratio(9, 0);
    ratio(10, 3);
    for (const auto& tool : {tag, window, stats}) {
        if (!fs::exists(tool)) continue;
        double best = 1e9;
        for (int i = 0; i < 20; ++i)
            best = std::min(best, wall_seconds([&] { run({tool, "-q", "/dev/null"}); }));
        std::printf("%8.1f ms     %s on an empty file (target: 20)\n", 1e3 * best,
                    fs::path(tool).filename().c_str());
    }
    fs::remove_all(name);
    return sum == 0;
}

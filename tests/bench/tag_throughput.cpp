// Throughput of the tagger beside that of a bare tree-sitter parse, on one thread and in one run:
//   bench_tag FILE...         FILE: CUDA source, or JSON Lines of which the field "response" or
//                             "bench.cu" is (default: CUDABench beside the source folder)
// Both are timed on each text in turn, in processor time of the thread, and the best of several
// rounds counts, so that other work on the machine touches both alike.
#include <simdjson.h>
#include <time.h>
#include <tree_sitter/api.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "cuset/syntax/tagger.h"

extern "C" const TSLanguage* tree_sitter_cuda(void);

namespace {

double thread_seconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

void read_texts(const std::string& path, std::vector<std::string>& texts) {
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        std::fprintf(stderr, "bench_tag: cannot read %s\n", path.c_str());
        return;
    }
    if (!path.ends_with(".jsonl")) {
        texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
        return;
    }
    simdjson::dom::parser parser;
    for (std::string line; std::getline(in, line);) {
        simdjson::dom::element record;
        if (parser.parse(line).get(record) != simdjson::SUCCESS) continue;
        for (const char* field : {"response", "bench.cu"}) {
            std::string_view text;
            if (record[field].get(text) == simdjson::SUCCESS) texts.emplace_back(text);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> texts;
    for (int i = 1; i < argc; ++i) read_texts(argv[i], texts);
    if (argc == 1) {
        read_texts(CUSET_SOURCE_DIR "/../shared/data/cudabench/cudabench-100.jsonl", texts);
    }
    std::size_t bytes = 0;
    for (const std::string& text : texts) bytes += text.size();
    if (bytes == 0) return 1;

    TSParser* parser = ts_parser_new();
    ts_parser_set_language(parser, tree_sitter_cuda());
    cuset::tagger tagger;
    cuset::tag_options with_roles;
    with_roles.roles = true;
    cuset::tagger role_tagger(with_roles);
    const int rounds = static_cast<int>(std::clamp<std::size_t>(20'000'000 / bytes, 3, 30));
    double parse_seconds = 0, tag_seconds = 0, role_seconds = 0;
    std::size_t spans = 0, runs = 0, recovered = 0;
    for (const std::string& text : texts) {
        double best_parse = std::numeric_limits<double>::max(), best_tag = best_parse;
        double best_roles = best_parse;
        cuset::tagging found;
        for (int round = 0; round < rounds; ++round) {
            const double begin = thread_seconds();
            TSTree* tree = ts_parser_parse_string(parser, nullptr, text.data(),
                                                  static_cast<uint32_t>(text.size()));
            ts_tree_delete(tree);
            const double middle = thread_seconds();
            found = tagger.tag(text);
            best_parse = std::min(best_parse, middle - begin);
            best_tag = std::min(best_tag, thread_seconds() - middle);
        }
        // In rounds of their own: the tree of the device code would take the caches from tagging.
        for (int round = 0; round < rounds; ++round) {
            const double begin = thread_seconds();
            const cuset::tagging labelled = role_tagger.tag(text);
            best_roles = std::min(best_roles, thread_seconds() - begin);
            if (round == 0) {
                runs += labelled.roles.size();
                recovered += labelled.recovered;
            }
        }
        parse_seconds += best_parse;
        tag_seconds += best_tag;
        role_seconds += best_roles;
        spans += found.spans.size();
    }
    ts_parser_delete(parser);
    const double megabytes = static_cast<double>(bytes) / 1e6;
    std::printf("texts %zu  MB %.2f  spans %zu\n", texts.size(), megabytes, spans);
    std::printf("parse %.2f MB/s  tag %.2f MB/s  ratio %.3f\n", megabytes / parse_seconds,
                megabytes / tag_seconds, parse_seconds / tag_seconds);
    std::printf("roles %.2f MB/s  ratio %.3f  runs %zu  recovered bytes %zu\n",
                megabytes / role_seconds, parse_seconds / role_seconds, runs, recovered);
    return 0;
}

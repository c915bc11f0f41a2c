// Log-probabilities of token lists, for the scripts that compare them with Hugging Face.
//   logprob_dump MODEL [--adapter DIR] [--dtype auto|f32|bf16] [--threads N]
//                [--quantize nf4|int8]
//                [--path automatic|float_products|bfloat16_products|operators] [--one-by-one]
// stdin:  lines {"tokens": [...], "prompt": N}
// stdout: for each a line {"log_probability": [...]} or {"error": "..."}
// stderr: one line {"load": s, "run": s, "tokens": n, "peak_kb": n, "compute": "...", "name":
// "...",
//         "notes": ["..."]}
#include <simdjson.h>
#include <sys/resource.h>

#include <cstdio>
#include <iostream>
#include <string>

#include "cuset/stream/json_writer.h"
#include "model_arguments.h"

namespace {

using namespace cuset;

struct options {
    std::string model;
    model_options load;
    bool one_by_one = false;
};

bool parse(int argc, char** argv, options& out) {
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--one-by-one") {
            out.one_by_one = true;
        } else if (!argument.starts_with("--")) {
            out.model = argument;
        } else if (i + 1 == argc) {
            return false;
        } else if (!read_model_option(argument, argv[++i], out.load)) {
            return false;
        }
    }
    return !out.model.empty();
}

int fail(const status& error) {
    std::fprintf(stderr, "logprob_dump: %s\n", error.message().c_str());
    return exit_code(error.kind());
}

int run(const options& chosen) {
    const auto start = std::chrono::steady_clock::now();
    auto model = causal_lm::load(chosen.model, chosen.load);
    if (!model) return fail(model.error());
    const double load_seconds = seconds_since(start);

    std::vector<std::vector<std::int32_t>> tokens;
    std::vector<std::size_t> prompts;
    std::string line;
    simdjson::dom::parser parser;
    std::size_t total = 0;
    while (std::getline(std::cin, line)) {
        const simdjson::dom::element record = parser.parse(line);
        auto& list = tokens.emplace_back();
        for (const std::int64_t token : record["tokens"]) {
            list.push_back(static_cast<std::int32_t>(token));
        }
        prompts.push_back(static_cast<std::size_t>(std::uint64_t{record["prompt"]}));
        total += list.size();
    }
    std::vector<scoring_request> batch;
    for (std::size_t i = 0; i < tokens.size(); ++i) batch.push_back({tokens[i], prompts[i]});

    const auto begin = std::chrono::steady_clock::now();
    std::vector<scoring_reply> replies, part;
    if (chosen.one_by_one) {
        for (const auto& request : batch) {
            if (auto error = model->log_probabilities({&request, 1}, part); !error) {
                return fail(error);
            }
            replies.push_back(std::move(part.front()));
        }
    } else if (auto error = model->log_probabilities(batch, replies); !error) {
        return fail(error);
    }
    const double run_seconds = seconds_since(begin);
    for (const auto& reply : replies) {
        if (!reply.error) {
            std::printf("{\"error\": \"%s\"}\n", reply.error.message().c_str());
            continue;
        }
        std::printf("{\"log_probability\": [");
        const char* separator = "";
        for (const float value : reply.log_probability) {
            std::printf("%s%.9g", separator, static_cast<double>(value));
            separator = ", ";
        }
        std::printf("]}\n");
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::string notes;
    for (const auto& note : model->notes()) notes += (notes.empty() ? "" : ", ") + json_of(note);
    std::fprintf(stderr,
                 "{\"load\": %.3f, \"run\": %.3f, \"tokens\": %zu, \"peak_kb\": %ld, \"compute\": "
                 "\"%s\", \"name\": \"%s\", \"notes\": [%s]}\n",
                 load_seconds, run_seconds, total, usage.ru_maxrss,
                 model->compute_description().c_str(), model->name().c_str(), notes.c_str());
    return 0;
}

}  // namespace

int main(int argc, char** argv) try {
    options chosen;
    if (!parse(argc, argv, chosen)) {
        std::fprintf(stderr, "usage: logprob_dump MODEL [options]\n");
        return 2;
    }
    return run(chosen);
} catch (const std::exception& exception) {
    std::fprintf(stderr, "logprob_dump: %s\n", exception.what());
    return 1;
}

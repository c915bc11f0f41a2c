// Greedy continuations of token lists, for the scripts that time them or compare them with Hugging
// Face.
//   decode_dump MODEL --new N [--adapter DIR] [--dtype auto|f32|bf16] [--threads N] [--device D]
//               [--quantize nf4|int8]
//               [--path automatic|operators] [--copies N] [--gaps]
// stdin:  lines {"tokens": [...]}, each decoded N tokens further (end markers are tokens like any
//         other), all in one batch; with --copies, each N times over, its prompt read once
// stdout: for each a line {"tokens": [...]}; with --gaps also "gaps", each largest logit's lead
// stderr: one line {"load": s, "prompt": s, "steps": [s of each further token], "peak_kb": n,
//         "compute": "..."}
#include <simdjson.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "cuset/model/cached_decoder.h"
#include "model_arguments.h"

namespace {

using namespace cuset;

struct options {
    std::string model;
    model_options load;
    std::size_t new_tokens = 0, copies = 1;
    bool gaps = false;
};

bool parse(int argc, char** argv, options& out) {
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument == "--gaps") {
            out.gaps = true;
        } else if (!argument.starts_with("--")) {
            out.model = argument;
        } else if (i + 1 == argc) {
            return false;
        } else {
            const std::string value = argv[++i];
            if (argument == "--new") {
                out.new_tokens = std::strtoul(value.c_str(), nullptr, 10);
            } else if (argument == "--copies") {
                out.copies = std::strtoul(value.c_str(), nullptr, 10);
            } else if (!read_model_option(argument, value, out.load)) {
                return false;
            }
        }
    }
    return !out.model.empty() && out.new_tokens > 0 && out.copies > 0;
}

int fail(const status& error) {
    std::fprintf(stderr, "decode_dump: %s\n", error.message().c_str());
    return exit_code(error.kind());
}

struct continuation {
    std::vector<std::int32_t> tokens;
    std::vector<float> gaps;

    /// Takes the token with the largest logit; of several the first.
    void take(std::span<const float> logits, bool with_gap) {
        const auto best = std::max_element(logits.begin(), logits.end());
        tokens.push_back(static_cast<std::int32_t>(best - logits.begin()));
        if (!with_gap) return;
        float second = -INFINITY;
        for (auto it = logits.begin(); it != logits.end(); ++it) {
            if (it != best) second = std::max(second, *it);
        }
        gaps.push_back(*best - second);
    }
};

template <class T, class Print>
void print_list(const char* name, const std::vector<T>& values, std::FILE* to, const Print& print) {
    std::fprintf(to, "\"%s\": [", name);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) std::fputs(", ", to);
        print(values[i]);
    }
    std::fputs("]", to);
}

int run(const options& chosen) {
    std::vector<std::vector<std::int32_t>> prompts;
    std::string line;
    simdjson::dom::parser parser;
    std::size_t longest = 0;
    while (std::getline(std::cin, line)) {
        auto& list = prompts.emplace_back();
        for (const std::int64_t token : parser.parse(line)["tokens"]) {
            list.push_back(static_cast<std::int32_t>(token));
        }
        longest = std::max(longest, list.size());
    }
    const std::size_t count = prompts.size() * chosen.copies;
    const auto start = std::chrono::steady_clock::now();
    auto model =
        cached_decoder::load(chosen.model, chosen.load, count, longest + chosen.new_tokens);
    if (!model) return fail(model.error());
    const double load_seconds = seconds_since(start);
    const auto vocab = static_cast<std::size_t>(model->config().vocab);

    auto begin = std::chrono::steady_clock::now();
    std::vector<decoder_input> inputs;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        inputs.push_back({i * chosen.copies, prompts[i]});
    }
    std::vector<float> logits(count * vocab);
    if (auto error = model->append(inputs, std::span(logits).first(prompts.size() * vocab));
        !error) {
        return fail(error);
    }
    std::vector<continuation> written(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t prompt = i / chosen.copies;
        if (auto error = model->copy(prompt * chosen.copies, i); !error) return fail(error);
        written[i].take(std::span(logits).subspan(prompt * vocab, vocab), chosen.gaps);
    }
    const double prompt_seconds = seconds_since(begin);

    std::vector<double> steps;
    for (std::size_t step = 1; step < chosen.new_tokens; ++step) {
        begin = std::chrono::steady_clock::now();
        inputs.clear();
        for (std::size_t i = 0; i < count; ++i)
            inputs.push_back({i, {&written[i].tokens.back(), 1}});
        if (auto error = model->append(inputs, logits); !error) return fail(error);
        for (std::size_t i = 0; i < count; ++i) {
            written[i].take(std::span(logits).subspan(i * vocab, vocab), chosen.gaps);
        }
        steps.push_back(seconds_since(begin));
    }

    for (const auto& one : written) {
        std::printf("{");
        print_list("tokens", one.tokens, stdout, [](std::int32_t t) { std::printf("%d", t); });
        if (chosen.gaps) {
            std::printf(", ");
            print_list("gaps", one.gaps, stdout,
                       [](float gap) { std::printf("%.6g", static_cast<double>(gap)); });
        }
        std::printf("}\n");
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::fprintf(stderr, "{\"load\": %.3f, \"prompt\": %.4f, ", load_seconds, prompt_seconds);
    print_list("steps", steps, stderr, [](double s) { std::fprintf(stderr, "%.5f", s); });
    std::fprintf(stderr, ", \"peak_kb\": %ld, \"compute\": \"%s\"}\n", usage.ru_maxrss,
                 model->compute_description().c_str());
    return 0;
}

}  // namespace

int main(int argc, char** argv) try {
    options chosen;
    if (!parse(argc, argv, chosen)) {
        std::fprintf(stderr, "usage: decode_dump MODEL --new N [options]\n");
        return 2;
    }
    return run(chosen);
} catch (const std::exception& exception) {
    std::fprintf(stderr, "decode_dump: %s\n", exception.what());
    return 1;
}

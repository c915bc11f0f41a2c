// A short training run, for training_steps.py.
//
// usage: training_dump MODEL OUT
// Standard input: {"options": {...}, "samples": [{"tokens", "prompt", "sensitive", "key"}, ...]},
// for dpo with "rejected" and "rejected_prompt", for grpo with "old_log_p", "advantage" and
// "masked". Writes the adapter into the folder OUT and a line {"step", "loss", "norm", "lr",
// "seconds", and the figures of dpo and grpo} a step to standard output, and the peak memory to
// standard error. Samples are taken in order.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <iterator>

#include "cuset/train/trainer.h"
#include "training_request.h"

namespace {

using namespace cuset;
namespace dom = simdjson::dom;

status run(const char* folder, const char* out) {
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    dom::parser parser;
    const dom::element asked = parser.parse(text);
    const dom::object options = asked["options"].get_object();
    CUSET_ASSIGN(const auto decoder,
                 trainable_decoder::load(folder, request::model_options(options)));
    data_set data;
    for (const dom::element element : asked["samples"].get_array()) {
        auto s = request::read_sample(element);
        data.pairs.push_back(
            {std::to_string(data.pairs.size()), std::move(s.tokens), s.prompt, s.sensitive});
        data.pairs.back().weight = s.weight;
        data.pairs.back().rejected = std::move(s.rejected);
        data.pairs.back().rejected_prompt_length = s.rejected_prompt;
        data.pairs.back().rejected_sensitive = std::move(s.rejected_sensitive);
        data.pairs.back().old_log_p = std::move(s.old_log_p);
        data.pairs.back().advantage = s.advantage;
        data.pairs.back().is_masked = s.is_masked;
    }
    const auto whole = [&](const char* name, double otherwise) {
        return static_cast<std::size_t>(request::number(options, name, otherwise));
    };
    training_settings settings;
    settings.objective = request::objective(options);
    settings.schedule.kind = schedule_by_name(request::word(options, "schedule", "cosine")).value();
    settings.schedule.peak = request::number(options, "lr", 1e-2);
    settings.schedule.warmup = request::number(options, "warmup", 0.1);
    settings.optimizer.clip = request::number(options, "clip", 1);
    settings.optimizer.weight_decay = request::number(options, "weight_decay", 0);
    settings.batches.shuffle = false;
    settings.batches.batch = whole("batch", 1);
    settings.batches.accumulate = whole("accumulate", 1);
    settings.max_steps = whole("steps", 20);
    settings.pass_tokens = whole("pass_tokens", 4096);
    process_group alone;
    trainer steps(decoder, data, settings, alone);
    CUSET_TRY(steps.keep_reference({}));
    const auto start = std::chrono::steady_clock::now();
    while (steps.steps_done() < steps.total_steps()) {
        CUSET_ASSIGN(const step_report step, steps.step());
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
        std::printf("{\"step\":%zu,\"loss\":%.9g,\"norm\":%.9g,\"lr\":%.9g,\"margin\":%.9g,",
                    step.step, step.loss, step.gradient_norm, step.learning_rate,
                    step.reward_margin);
        std::printf("\"accuracy\":%.9g,\"ratio\":%.9g,\"clip_share\":%.9g,\"kl\":%.9g,",
                    step.accuracy, step.ratio, step.clip_share, step.divergence);
        std::printf("\"seconds\":%.6f}\n", passed.count());
    }
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    std::fprintf(stderr, "peak_kb %ld\n", usage.ru_maxrss);
    return decoder.save(out);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const status done = run(argv[1], argv[2]);
    if (!done) std::fprintf(stderr, "training_dump: %s\n", done.message().c_str());
    return exit_code(done.kind());
}

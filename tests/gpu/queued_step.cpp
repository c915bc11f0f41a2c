// Queues a training step on a GPU while LibTorch makes an error of every wait of the host, then
// reads what came of it. For models.py.
//
//   queued_step MODEL f32|bf16 OBJECTIVE
#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAFunctions.h>
#include <torch/csrc/autograd/autograd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

#include "cuset/model/device_kernels.h"
#include "cuset/model/trainable_decoder.h"
#include "cuset/train/head_loss.h"
#include "cuset/train/optimizer.h"

using namespace cuset;

namespace {

void waiting_is(c10::cuda::SyncDebugMode mode) {
    c10::cuda::warning_state().set_sync_debug_mode(mode);
}

status run(char** arguments) {
    training_model_options options;
    options.device = "cuda";
    options.dtype = std::strcmp(arguments[1], "bf16") == 0 ? compute_type::bf16 : compute_type::f32;
    CUSET_ASSIGN(const auto decoder, trainable_decoder::load(arguments[0], options));
    objective_settings objective;
    objective.kind = objective_by_name(arguments[2]).value();
    objective.window = 16;

    std::vector<std::vector<std::int32_t>> texts;
    for (const std::int32_t length : {70, 9, 33}) {
        texts.emplace_back();
        for (std::int32_t i = 0; i < length; ++i) texts.back().push_back((i * 37 + length) % 256);
    }
    constexpr std::size_t prompt = 4;
    const std::vector<bool> sensitive(texts.front().size() - prompt, true);
    std::vector<training_sample> inputs;
    std::vector<loss_sample> targets;
    step_totals totals{0, texts.size()};
    for (const auto& text : texts) {
        inputs.push_back({text, prompt, text.size()});
        targets.push_back({std::span(text).subspan(prompt),
                           text.size() == texts.front().size() ? &sensitive : nullptr});
        totals.tokens += text.size() - prompt;
    }
    adamw optimizer(decoder.parameters(), {}, std::array{1e-3});
    const auto queue = [&] {
        at::Tensor reference;
        if (objective.needs_reference())
            reference = decoder.hidden_rows(inputs, pass_kind::reference);
        const at::Tensor hidden = decoder.hidden_rows(inputs, pass_kind::training);
        head_loss result =
            fused_head_loss(hidden, decoder.head(), targets, objective, totals, reference);
        torch::autograd::backward({result.loss}, {});
        optimizer.queue_step();
        return std::move(result.outcome);
    };
    // The first step loads libraries and kernels.
    double first = 0, second = 0;
    for (const sample_loss& s : queue().samples()) first += s.loss;
    optimizer.finish_step();
    wait_for(decoder.device());

    waiting_is(c10::cuda::SyncDebugMode::L_ERROR);
    const pass_outcome outcome = queue();
    waiting_is(c10::cuda::SyncDebugMode::L_DISABLED);
    for (const sample_loss& s : outcome.samples()) second += s.loss;
    std::printf("loss %.6g, then %.6g\n", first, second);
    if (!optimizer.finish_step().updated || !(second < first))
        return data_error("the loss did not fall");
    return {};
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 4) return 2;
    const status done = run(argv + 1);
    if (!done) std::fprintf(stderr, "queued_step: %s\n", done.message().c_str());
    return exit_code(done.kind());
} catch (const std::exception& exception) {
    std::fprintf(stderr, "queued_step: %s\n", exception.what());
    return 1;
}

// Queues a training step of two passes on a GPU, behind work that takes a while, with LibTorch
// making an error of every wait of the host that it knows of; the host must be through before that
// work is. For models.py, with a model of one layer: a stream holds about a thousand launches, and
// then the host waits for room.
//
//   queued_step MODEL f32|bf16 OBJECTIVE [recompute] [full] [nf4]
#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <c10/cuda/CUDAFunctions.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string_view>
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

training_model_options options_of(int count, char** arguments) {
    training_model_options options;
    options.device = "cuda";
    options.dtype = std::strcmp(arguments[1], "bf16") == 0 ? compute_type::bf16 : compute_type::f32;
    for (int i = 3; i < count; ++i) {
        if (std::string_view(arguments[i]) == "recompute") options.recompute = true;
        if (std::string_view(arguments[i]) == "full") options.lora.reset();
        if (std::string_view(arguments[i]) == "nf4") options.quantise = quantisation::nf4;
    }
    return options;
}

status run(int count, char** arguments) {
    CUSET_ASSIGN(const auto decoder,
                 trainable_decoder::load(arguments[0], options_of(count, arguments)));
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
    step_totals totals{0, 2 * texts.size()};
    for (const auto& text : texts) {
        inputs.push_back({text, prompt, text.size()});
        targets.push_back({std::span(text).subspan(prompt),
                           text.size() == texts.front().size() ? &sensitive : nullptr});
        totals.tokens += 2 * (text.size() - prompt);
    }
    adamw optimizer(decoder.parameters(), {});
    const auto queue_pass = [&] {
        at::Tensor reference;
        if (objective.needs_reference())
            reference = decoder.hidden_rows(inputs, pass_kind::reference);
        const at::Tensor hidden = decoder.hidden_rows(inputs, pass_kind::training);
        head_loss result =
            fused_head_loss(hidden, decoder.head(), targets, objective, totals, reference);
        torch::autograd::backward({result.loss}, {});
        return std::move(result.outcome);
    };
    const auto queue_step = [&] {
        std::vector<pass_outcome> passes;
        passes.push_back(queue_pass());
        passes.push_back(queue_pass());
        optimizer.queue_step(1e-4);
        return passes;
    };
    const at::Tensor a = at::randn({8192, 8192}, at::TensorOptions(decoder.device()));
    at::Tensor b = at::mm(a, a);
    // A product takes some 22 ms on an H100.
    const auto keep_busy = [&](int products) {
        for (int i = 0; i < products; ++i) at::mm_out(b, a, a);
    };
    // The first steps load libraries and kernels, and allocate the memory for a step that is queued
    // but not begun.
    for (int i = 0; i < 3; ++i) {
        keep_busy(8);
        queue_step();
        if (!optimizer.finish_step().updated) return data_error("a step was refused");
    }
    wait_for(decoder.device());

    waiting_is(c10::cuda::SyncDebugMode::L_ERROR);
    at::cuda::CUDAEvent before;
    keep_busy(45);
    before.record();
    const std::vector<pass_outcome> passes = queue_step();
    const bool waited = before.query();
    waiting_is(c10::cuda::SyncDebugMode::L_DISABLED);
    if (waited) return data_error("the host waited for the GPU");
    for (const pass_outcome& outcome : passes)
        for (const sample_loss& s : outcome.samples())
            if (!s.finite || !std::isfinite(s.loss)) return data_error("a loss is not finite");
    if (!optimizer.finish_step().updated) return data_error("a step was refused");
    return {};
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 4) return 2;
    const status done = run(argc - 1, argv + 1);
    if (!done) std::fprintf(stderr, "queued_step: %s\n", done.message().c_str());
    return exit_code(done.kind());
} catch (const std::exception& exception) {
    std::fprintf(stderr, "queued_step: %s\n", exception.what());
    return 1;
}

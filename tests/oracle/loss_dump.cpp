// The loss and gradients of training steps, for loss_gradients.py.
//
// usage: loss_dump MODEL OUT.safetensors
// Standard input, a line for each step: {"options": {...}, "micro_batches": [[{"tokens": [...],
// "prompt": N, "sensitive": [0, 1, ...], "key": N}, ...], ...]}; for dpo with "rejected",
// "rejected_prompt" and "reference", for grpo with "old_log_p", "advantage", "masked" and, with a
// beta, "reference". Each loads the model anew. Writes
// the gradient of every parameter to OUT, accumulated over the micro-batches of the one step, and
// then a line {"loss", "samples": [...]} to standard output.
#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros.h>
#include <simdjson.h>
#include <torch/csrc/autograd/autograd.h>

#include <cstdio>
#include <iostream>
#include <string>

#include "cuset/model/safetensors.h"
#include "cuset/model/trainable_decoder.h"
#include "cuset/train/head_loss.h"
#include "training_request.h"

namespace {

using namespace cuset;
using request::sample;
namespace dom = simdjson::dom;

template <class Values>
void print_list(const char* name, const Values& values) {
    std::printf(",\"%s\":[", name);
    const char* comma = "";
    for (const auto value : values) {
        std::printf("%s%.9g", comma, static_cast<double>(value));
        comma = ",";
    }
    std::printf("]");
}

status run(const std::string& text, const char* folder, const char* out) {
    dom::parser parser;
    const dom::element asked = parser.parse(text);
    const dom::object options = asked["options"].get_object();

    CUSET_ASSIGN(const auto decoder,
                 trainable_decoder::load(folder, request::model_options(options)));
    const objective_settings settings = request::objective(options);

    std::vector<std::vector<sample>> batches;
    step_totals totals;
    for (const dom::element batch : asked["micro_batches"].get_array()) {
        batches.emplace_back();
        for (const dom::element element : batch.get_array()) {
            batches.back().push_back(request::read_sample(element));
            const sample& s = batches.back().back();
            if (!s.is_masked)
                totals.tokens += s.tokens.size() - s.prompt + s.rejected.size() - s.rejected_prompt;
            ++totals.samples;
        }
    }
    // Where a part of the tokens alone has a loss, the request says how many of them count.
    totals.tokens = static_cast<std::size_t>(
        request::number(options, "counted", static_cast<double>(totals.tokens)));
    double loss = 0;
    std::printf("{\"samples\":[");
    const char* comma = "";
    for (const auto& batch : batches) {
        std::vector<training_sample> inputs;
        std::vector<loss_sample> targets;
        for (const sample& s : batch) {
            inputs.push_back({s.tokens, s.prompt, s.key});
            const auto response = std::span(s.tokens).subspan(s.prompt);
            const std::span<const float> reference(s.reference);
            targets.push_back({response, &s.sensitive, &s.left_out, s.weight, reference,
                               s.old_log_p, s.advantage, s.is_masked, &s.droppable});
            if (s.rejected.empty()) continue;
            targets.back().reference = reference.first(response.size());
            inputs.push_back({s.rejected, s.rejected_prompt, s.key});
            targets.push_back({std::span(s.rejected).subspan(s.rejected_prompt),
                               &s.rejected_sensitive, nullptr, 1,
                               reference.subspan(response.size())});
        }
        at::Tensor reference;
        if (settings.needs_reference())
            reference = decoder.hidden_rows(inputs, pass_kind::reference);
        const at::Tensor hidden = decoder.hidden_rows(inputs, pass_kind::training);
        const head_loss result =
            fused_head_loss(hidden, decoder.head(), targets, settings, totals, reference);
        torch::autograd::backward({result.loss}, {});
        const float* log_p = result.outcome.log_probability.const_data_ptr<float>();
        const float* scale = result.outcome.row_scale.const_data_ptr<float>();
        for (const sample_loss& s : result.outcome.samples()) {
            std::printf("%s{\"loss\":%.17g,\"weight\":%.17g,\"kept\":%zu", comma, s.loss, s.weight,
                        s.kept);
            print_list("log_p", std::span(log_p, s.tokens));
            std::vector<double> k;
            const double share =
                settings.learns_from_verdicts()
                    ? 1
                    : divisor(settings.norm, s.tokens, totals.tokens, totals.samples);
            for (std::size_t t = 0; t < s.tokens; ++t)
                k.push_back(static_cast<double>(scale[t]) * share);
            print_list("k", k);
            std::printf(",\"margin\":%.17g,\"preferred\":%g", s.verdict.margin,
                        s.verdict.preferred);
            std::printf(",\"ratio\":%.17g,\"clipped\":%g,\"kl\":%.17g", s.verdict.ratio,
                        s.verdict.clipped, s.verdict.divergence);
            std::printf("}");
            log_p += s.tokens;
            scale += s.tokens;
            comma = ",";
            loss += s.loss;
        }
    }
    std::vector<tensor_header> headers;
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : decoder.parameters()) {
        headers.push_back({parameter.name, element_type::f32, parameter.value.sizes().vec()});
        const at::Tensor g = parameter.value.grad();
        gradients.push_back(g.defined() ? g.to(at::kCPU).contiguous()
                                        : at::zeros(parameter.value.sizes()));
    }
    CUSET_TRY(write_safetensors(out, headers, [&](std::size_t i) {
        return std::as_bytes(std::span(gradients[i].const_data_ptr<float>(),
                                       static_cast<std::size_t>(gradients[i].numel())));
    }));
    std::printf("],\"loss\":%.17g}\n", loss);
    std::fflush(stdout);
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    for (std::string line; std::getline(std::cin, line);)
        if (const status done = run(line, argv[1], argv[2]); !done) {
            std::fprintf(stderr, "loss_dump: %s\n", done.message().c_str());
            return exit_code(done.kind());
        }
    return 0;
}

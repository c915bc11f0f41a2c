// One training step's loss and gradients, for loss_gradients.py.
//
// usage: loss_dump MODEL OUT.safetensors
// Standard input: {"options": {...}, "micro_batches": [[{"tokens": [...], "prompt": N, "sensitive":
// [0, 1, ...], "key": N}, ...], ...]}. Writes the gradient of every parameter to OUT, accumulated
// over the micro-batches of the one step, and {"loss", "samples": [...]} to standard output.
#include <ATen/ATen.h>
#include <simdjson.h>
#include <torch/csrc/autograd/autograd.h>

#include <cstdio>
#include <iostream>
#include <iterator>

#include "cuset/model/safetensors.h"
#include "cuset/model/trainable_decoder.h"
#include "cuset/train/head_loss.h"

namespace {

using namespace cuset;
namespace dom = simdjson::dom;

struct sample {
    std::vector<std::int32_t> tokens;
    std::size_t prompt = 1;
    std::vector<bool> sensitive;
    std::uint64_t key = 0;
};

double number(dom::object options, const char* name, double otherwise) {
    double value = 0;
    return options[name].get(value) == simdjson::SUCCESS ? value : otherwise;
}
bool flag(dom::object options, const char* name, bool otherwise) {
    bool value = false;
    return options[name].get(value) == simdjson::SUCCESS ? value : otherwise;
}
std::string word(dom::object options, const char* name, const char* otherwise) {
    std::string_view value;
    return std::string(options[name].get(value) == simdjson::SUCCESS ? value : otherwise);
}

sample read_sample(dom::element element) {
    sample s;
    for (const dom::element token : element["tokens"].get_array())
        s.tokens.push_back(static_cast<std::int32_t>(token.get_int64()));
    s.prompt = element["prompt"].get_uint64();
    s.key = element["key"].get_uint64();
    for (const dom::element one : element["sensitive"].get_array())
        s.sensitive.push_back(one.get_int64() != 0);
    return s;
}

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

status run(const char* folder, const char* out) {
    const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
    dom::parser parser;
    const dom::element request = parser.parse(text);
    const dom::object options = request["options"].get_object();

    training_model_options model;
    model.dtype = word(options, "dtype", "f32") == "bf16" ? compute_type::bf16 : compute_type::f32;
    model.device = word(options, "device", "cpu");
    model.threads = 2;
    model.recompute = flag(options, "recompute", false);
    model.lora->dropout = number(options, "dropout", 0);
    if (const auto adapter = word(options, "adapter", ""); !adapter.empty())
        model.init_adapter = adapter;
    if (flag(options, "full", false)) model.lora.reset();
    CUSET_ASSIGN(const auto decoder, trainable_decoder::load(folder, model));

    objective_settings settings;
    settings.kind = objective_by_name(word(options, "objective", "cuset")).value();
    settings.norm = norm_by_name(word(options, "norm", "tokens")).value();
    settings.tau = number(options, "tau", settings.tau);
    settings.lambda = number(options, "lambda", settings.lambda);
    settings.window = static_cast<std::size_t>(number(options, "window", 256));
    settings.alpha = number(options, "alpha", settings.alpha);
    settings.beta = number(options, "beta", settings.beta);
    settings.confidence_mask = flag(options, "confidence_mask", true);
    settings.cuda_mask = flag(options, "cuda_mask", true);
    settings.reweight = flag(options, "reweight", true);

    std::vector<std::vector<sample>> batches;
    step_totals totals;
    for (const dom::element batch : request["micro_batches"].get_array()) {
        batches.emplace_back();
        for (const dom::element element : batch.get_array()) {
            batches.back().push_back(read_sample(element));
            const sample& s = batches.back().back();
            totals.tokens += s.tokens.size() - s.prompt;
            ++totals.samples;
        }
    }
    double loss = 0;
    std::printf("{\"samples\":[");
    const char* comma = "";
    for (const auto& batch : batches) {
        std::vector<training_sample> inputs;
        std::vector<loss_sample> targets;
        for (const sample& s : batch) {
            inputs.push_back({s.tokens, s.prompt, s.key});
            targets.push_back({std::span(s.tokens).subspan(s.prompt), &s.sensitive});
        }
        at::Tensor reference;
        if (settings.needs_reference())
            reference = decoder.hidden_rows(inputs, pass_kind::reference);
        const at::Tensor hidden = decoder.hidden_rows(inputs, pass_kind::training);
        const head_loss result =
            fused_head_loss(hidden, decoder.head(), targets, settings, totals, reference);
        torch::autograd::backward({result.loss}, {});
        for (const sample_loss& s : result.samples) {
            std::printf("%s{\"loss\":%.17g,\"weight\":%.17g,\"kept\":%zu", comma, s.loss, s.weight,
                        s.kept);
            print_list("log_p", s.log_probability);
            print_list("k", s.coefficient);
            std::printf("}");
            comma = ",";
            loss += s.loss;
        }
    }
    std::printf("],\"loss\":%.17g}\n", loss);

    std::vector<tensor_header> headers;
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : decoder.parameters()) {
        headers.push_back({parameter.name, element_type::f32, parameter.value.sizes().vec()});
        const at::Tensor g = parameter.value.grad();
        gradients.push_back(g.defined() ? g.to(at::kCPU).contiguous()
                                        : at::zeros(parameter.value.sizes()));
    }
    return write_safetensors(out, headers, [&](std::size_t i) {
        return std::as_bytes(std::span(gradients[i].const_data_ptr<float>(),
                                       static_cast<std::size_t>(gradients[i].numel())));
    });
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const status done = run(argv[1], argv[2]);
    if (!done) std::fprintf(stderr, "loss_dump: %s\n", done.message().c_str());
    return exit_code(done.kind());
}

#include "open_model.h"

#include <utility>

#include "cuset/model/product_choice.h"
#include "device.h"

namespace cuset {

std::string_view name_of(quantisation kind) {
    switch (kind) {
        case quantisation::nf4: return "nf4";
        case quantisation::int8: return "int8";
        case quantisation::none: break;
    }
    return "";
}

result<opened_model> open_model(const std::filesystem::path& folder, const model_options& options) {
    opened_model model;
    CUSET_TRY(choose_kernels());
    CUSET_TRY(choose_products());
    CUSET_ASSIGN(model.device, resolve_device(options.device));
    if (options.quantise != quantisation::none && model.device >= 0)
        return unsupported("a model is quantised on a CPU only (--device cpu), not on a GPU");
    model.threads = set_threads(options.threads);
    CUSET_ASSIGN(auto opened, open_checkpoint(folder, options.dtype, options.adapter.value_or(""),
                                              options.quantise, model.threads));
    model.bfloat16 = opened.bfloat16;
    model.weights = std::move(opened.weights);
    model.name = last_component(folder);
    model.quantised = name_of(options.quantise);
    if (!model.quantised.empty()) model.name += ":" + model.quantised;
    if (options.adapter) model.name += "+" + last_component(*options.adapter);
    model.operators = model.device >= 0 || options.path == forward_path::operators;
    return model;
}

std::string opened_model::description(const std::string& way) const {
    const std::string type =
        (quantised.empty() ? "" : quantised + " in ") + std::string(bfloat16 ? "bf16" : "f32");
    if (device >= 0) return "cuda:" + std::to_string(device) + " " + type;
    return "cpu " + type + " (" + way + ", " + std::to_string(threads) +
           (threads == 1 ? " thread)" : " threads)");
}

}  // namespace cuset

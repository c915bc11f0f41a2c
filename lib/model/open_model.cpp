#include "open_model.h"

#include <cstdlib>
#include <optional>
#include <utility>

#include "cuset/kernels/instruction_set.h"
#include "cuset/kernels/packed_products.h"
#include "cuset/model/product_choice.h"
#include "device.h"
#include "frozen_codes.h"

namespace cuset {

namespace {

/// Our own kernels wherever they can compute.
product_choice own_products() {
    product_choice choice{.bfloat16 = product_provider::mkl, .single = product_provider::own};
    if (kernels::has_bfloat16_products()) choice.bfloat16 = product_provider::own;
    return choice;
}

}  // namespace

result<opened_model> open_model(const std::filesystem::path& folder, const model_options& options) {
    opened_model model;
    CUSET_TRY(choose_kernels());
    // Processes that measured for themselves might choose differently.
    const bool is_free = options.part && std::getenv("CUSET_PRODUCTS") == nullptr;
    CUSET_TRY(choose_products(is_free ? std::optional(own_products()) : std::nullopt));
    CUSET_ASSIGN(model.device, resolve_device(options.device));
    CUSET_ASSIGN(const quantisation kept, resolve_quantisation(folder, options.quantise));
    if (options.part && kept != quantisation::none)
        return usage_error("a quantised base cannot be shared: its codes are kept whole");
    model.threads = set_threads(options.threads);
    CUSET_ASSIGN(auto opened, open_checkpoint(folder, options.dtype, options.adapter.value_or(""),
                                              kept, model.threads, code_order_on(model.device)));
    model.bfloat16 = opened.bfloat16;
    model.weights = std::move(opened.weights);
    model.name = last_component(folder);
    model.quantised = name_of(kept);
    if (!model.quantised.empty()) model.name += ":" + model.quantised;
    if (options.adapter) model.name += "+" + last_component(*options.adapter);
    model.operators = model.device >= 0 || options.path == forward_path::operators || options.part;
    return model;
}

std::string opened_model::shared_description() const {
    const bool rounds = bfloat16 && kernels::has_bfloat16_products();
    return description(std::string(rounds ? "bf16" : "float") + " operators, " +
                       name_of(chosen_products()) + ", " +
                       kernels::name_of(kernels::active_instruction_set()));
}

std::string opened_model::description(const std::string& way) const {
    const std::string type =
        (quantised.empty() ? "" : quantised + " in ") + std::string(bfloat16 ? "bf16" : "f32");
    if (device >= 0) return "cuda:" + std::to_string(device) + " " + type;
    return "cpu " + type + " (" + way + ", " + std::to_string(threads) +
           (threads == 1 ? " thread)" : " threads)");
}

}  // namespace cuset

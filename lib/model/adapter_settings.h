// adapter_config.json of peft: which modules an adapter updates, and with what rank and scale.
// Private to lib/model.
#pragma once

#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuset/base/status.h"
#include "weights.h"

namespace cuset {

/// target_modules or exclude_modules: an expression for whole names, or ends of names.
struct module_choice {
    bool all = false;
    std::optional<std::regex> expression;
    std::vector<std::string> ends;

    bool holds(const std::string& module) const;
};

/// rank_pattern or alpha_pattern: values for modules whose names end so, the first that fits.
struct module_values {
    std::vector<std::pair<std::regex, double>> values;

    double of(const std::string& module, double otherwise) const;
};

struct adapter_settings {
    std::int64_t rank = 0;
    double alpha = 0;
    module_values ranks, alphas;
    bool rank_stabilised = false;
    module_choice targets, excluded;
    std::vector<std::int64_t> layers;  ///< empty: all
    std::vector<std::regex> lists;     ///< names of modules in layers_pattern's lists; empty: all
    std::vector<std::string> saved;    ///< modules_to_save: ends of names
    bool ensures_tying = false;        ///< ensure_weight_tying

    /// Whether peft would give this module of decoder layer `layer` an update (its
    /// check_target_module_exists). Its name is as "model.layers.3.self_attn.q_proj".
    bool names(const std::string& module, std::int64_t layer) const;

    /// Whether modules_to_save has this module ("lm_head"): the adapter's file then holds it whole.
    bool saves(std::string_view module) const;

    adapter_shape shape_of(const std::string& module) const;
};

/// error_kind::unsupported names all settings of peft that would compute something else.
result<adapter_settings> parse_adapter_settings(std::string_view json);

}  // namespace cuset

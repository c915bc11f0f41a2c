// The counts that a task may ask for (cuset-tasks(5), "answer"): those of a verdict's cost that are
// exact, and what a GPU executes for them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cuset/cost/launch_cost.h"

namespace cuset {

struct cost_quantity {
    std::string_view name;     ///< "cost.flops": the field of a verdict's "cost" with its prefix
    std::string_view meaning;  ///< as a question has it: "the floating-point operations that …"
    bool is_of_gpu;            ///< what a GPU executes, by the table of sass_operations.h
};

/// Null where there is no such quantity.
const cost_quantity* cost_quantity_named(std::string_view name);
/// "cost.flops, cost.fp16, …"
std::string cost_quantity_names();

/// The count over the launches of `cost`, as a verdict has it: a whole number.
double value_of(const cost_quantity& quantity, const launch_cost& cost);

/// Whether a GPU executes floating-point operations for these launches that the source does not
/// have: those of divisions, square roots and mathematical functions. Nothing where the table lacks
/// what decides it.
std::optional<bool> has_hidden_flops(const launch_cost& cost);

}  // namespace cuset

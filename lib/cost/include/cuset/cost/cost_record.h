// The costs of a program's kernels as records and tables.
#pragma once

#include <string>
#include <vector>

#include "cuset/cost/gpu.h"
#include "cuset/cost/launch_cost.h"
#include "cuset/stream/json_writer.h"

namespace cuset {

/// An object: the sums over all launches, and "kernels", an array with an object for each of
/// `costs`. "flops" counts a call of a function as one; "flops_sass" is what a GPU executes
/// (sass_operations.h). With a GPU, "estimate" has its name, and the seconds of all launches and of
/// one launch of each kernel.
void write_costs(const std::vector<launch_cost>& costs, const gpu* on, json_writer& json);

/// Columns separated by tabs, with a line of their names: kernel, place ("12", or "b.cu:12"),
/// launches, and the sums over these. With a GPU, microseconds of one launch, estimated, and what
/// bounds it.
std::string cost_table(const std::vector<launch_cost>& costs, const gpu* on);

/// A line for each kernel of which something is not counted: "k: not counted: textures".
std::string costs_left_out(const std::vector<launch_cost>& costs);

}  // namespace cuset

// The costs of a program's kernels as records and tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/cost/gpu_model.h"
#include "cuset/cost/launch_cost.h"
#include "cuset/stream/json_writer.h"

namespace cuset {

/// What a program's run cost.
struct program_cost {
    std::vector<launch_cost> kernels;  ///< in the order of their names; empty: nothing was counted
    std::string not_counted;           ///< why not, or nothing if nobody asked
    const gpu_model* estimated = nullptr;  ///< whose time is estimated
    /// The estimated seconds of a reference's launches, on the same inputs.
    std::optional<double> reference_seconds;

    bool is_asked() const { return !kernels.empty() || !not_counted.empty(); }
    double seconds() const;  ///< estimated, of all launches
};

/// How many times as long the program takes by the estimate as its reference; nothing where a part
/// of it is not counted, or one of both times is not known.
std::optional<double> estimated_slowdown(const program_cost& cost);

/// An object: the sums over all launches, and "kernels", an array with an object for each. "flops"
/// counts a call of a function as one; "flops_sass" is what a GPU executes (sass_operations.h).
/// With a GPU, "estimate" has its name, the seconds of all launches whose configuration is known,
/// and with a reference its seconds and, where all are known, how many times as long the program
/// takes ("slowdown"). Where nothing was counted,
/// the object has "not_counted" alone.
void write_cost(const program_cost& cost, json_writer& json);

/// What write_cost() has written. error_kind::data where it is something else.
result<program_cost> parse_cost(std::string_view json);

/// Columns separated by tabs, with a line of their names: kernel, place ("12", or "b.cu:12"),
/// launches, and the sums over these. With a GPU, microseconds of one launch, estimated, and what
/// bounds it.
std::string cost_table(const program_cost& cost);

/// A line for each kernel of which something is not counted: "k: not counted: textures".
std::string costs_left_out(const program_cost& cost);

/// The sums of a program in one line, whose columns cost_columns names. The last has what of the
/// kernels is not counted; where there is any, and where they are not known, the estimated time and
/// the slowdown are empty.
inline constexpr std::string_view cost_columns =
    "launches\tflops\tflops_sass\tbytes_read\tbytes_written\tatomics\testimated_us\tslowdown\t"
    "not_counted";
std::string cost_line(const program_cost& cost);

}  // namespace cuset

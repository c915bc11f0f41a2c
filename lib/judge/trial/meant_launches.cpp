#include "trial/meant_launches.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "cuset/cost/cost_quantity.h"
#include "cuset/cost/sass_operations.h"

namespace cuset {

namespace {

/// "k" of "ns::k<float>": the host model's name of a kernel.
std::string_view plain_name(std::string_view kernel) {
    kernel = kernel.substr(0, kernel.find('<'));
    const std::size_t at = kernel.rfind(':');
    return at == kernel.npos ? kernel : kernel.substr(at + 1);
}

/// What the model tells together with other launches, or does not count at all, has no name of a
/// kernel: "(CUDA's libraries)".
bool is_kernel(const launch_cost& cost) { return !cost.kernel.starts_with('('); }

/// The runtime's line of launches beyond 1,000 configurations.
bool has_other_launches(const launch_cost& cost) { return cost.kernel == "(other launches)"; }

/// What a sum leaves out; empty if nothing. Of launches that are told together only the time is not
/// known, for which nobody asks.
std::string left_out_of(const launch_cost& cost) {
    const auto found = std::ranges::find_if(cost.not_counted, [&](const std::string& what) {
        return !has_other_launches(cost) || !what.starts_with("the time of launches");
    });
    return found == cost.not_counted.end() ? std::string() : *found;
}

std::string kernels_in(const program_cost& cost) {
    std::string names;
    for (const launch_cost& each : cost.kernels)
        if (is_kernel(each) && (", " + names + ", ").find(", " + each.kernel + ", ") == names.npos)
            names.append(names.empty() ? "" : ", ").append(each.kernel);
    return names.empty() ? "no kernel" : names;
}

/// Why the task says something else of the launch than it is; empty if it does not.
std::string wrong_shape(const launch_cost& cost, const count_question& asked) {
    for (const auto& [key, said, is] : {std::tuple{"grid", asked.grid, cost.grid},
                                        std::tuple{"block", asked.block, cost.block}}) {
        if (!said || *said == is) continue;
        std::string text = "the task's \"";
        text += key;
        text += "\" is " + shown(*said) + ", and that of the launch is " + shown(is);
        return text;
    }
    return {};
}

right_count told_together(const std::string& what) {
    return no_count(failure::unsupported,
                    "bench.cu launches kernels in more than 1,000 configurations, and those beyond "
                    "are counted together, without " +
                        what);
}

}  // namespace

right_count no_count(failure why, std::string diagnostic) {
    right_count none;
    none.why = why;
    none.diagnostic = std::move(diagnostic);
    return none;
}

meant_launches meant_in(const program_cost& cost, const count_question& asked) {
    const std::string_view name = plain_name(asked.kernel);
    meant_launches meant;
    for (const launch_cost& each : cost.kernels) {
        const bool is_nameless = has_other_launches(each);
        if (is_kernel(each) || is_nameless) meant.of_all += each.launches;
        if (is_nameless) meant.nameless += each.launches;
        // The sum of a whole program has its libraries' kernels too, which nobody counts.
        const bool is_meant =
            name.empty() ? is_kernel(each) || asked.all_launches : each.kernel == name;
        if (!is_meant) continue;
        meant.costs.push_back(&each);
        meant.launches += each.launches;
    }
    return meant;
}

right_count value_of_meant(const meant_launches& meant, const count_question& asked) {
    const cost_quantity& quantity = *cost_quantity_named(asked.quantity);
    right_count right;
    right.hidden_flops = false;
    for (const launch_cost* cost : meant.costs) {
        if (const std::string what = left_out_of(*cost); !what.empty())
            return no_count(failure::unsupported, cost->kernel + ": not counted: " + what);
        if (quantity.is_of_gpu)
            if (const auto unknown = sass_operations_of(*cost).unknown; !unknown.empty())
                return no_count(failure::unsupported,
                                cost->kernel + ": not counted: " + unknown.front() + " as SASS");
        if (has_other_launches(*cost) && (asked.grid || asked.block))
            return told_together("their grids and blocks");
        if (const std::string fault = wrong_shape(*cost, asked); !fault.empty())
            return no_count(failure::evaluator, fault);
        right.expected += value_of(quantity, *cost);
        const auto hidden = has_hidden_flops(*cost);
        // One that has some decides for all; one of which nobody knows leaves it open otherwise.
        if (hidden == std::optional(true))
            right.hidden_flops = true;
        else if (!hidden && right.hidden_flops == std::optional(false))
            right.hidden_flops.reset();
    }
    return right;
}

right_count none_is_meant(const meant_launches& found, const program_cost& cost,
                          const count_question& asked) {
    if (found.nameless > 0) return told_together("their kernels' names");
    const std::string name =
        asked.kernel.empty() ? "a kernel" : "the kernel \"" + asked.kernel + '"';
    return no_count(failure::evaluator,
                    "bench.cu does not launch " + name + "; it launches " + kernels_in(cost));
}

right_count value_of_all(const program_cost& cost, const count_question& asked) {
    const meant_launches meant = meant_in(cost, asked);
    // The launches that have no name may be the kernel's too.
    if (!asked.kernel.empty() && meant.nameless > 0) return told_together("their kernels' names");
    if (meant.costs.empty()) return none_is_meant(meant, cost, asked);
    return value_of_meant(meant, asked);
}

}  // namespace cuset

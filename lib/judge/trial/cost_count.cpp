#include "trial/cost_count.h"

#include <algorithm>
#include <string>
#include <utility>

#include "build/flat_source.h"
#include "build/hip_program.h"
#include "trial/program_trial.h"

namespace cuset {

namespace {

/// "line 12 of b.cu" of a program of several files.
void name_file(launch_cost& cost, const line_origins& origins) {
    constexpr std::string_view of = " of ";
    const std::string place = origins.in_files("line " + std::to_string(cost.line));
    const std::size_t at = place.find(of);
    if (at == place.npos) return;
    cost.line = line_in(place);
    cost.file = place.substr(at + of.size());
}

std::string why_not_compiled(const compilation& made) {
    std::string text = "the program does not compile to be counted";
    if (!made.diagnostic.empty()) text += ": " + made.diagnostic;
    return text;
}

void take_costs(std::vector<launch_cost> costs, const compilation& made, verdict& v) {
    v.cost.kernels = std::move(costs);
    if (made.origins)
        for (launch_cost& cost : v.cost.kernels) name_file(cost, *made.origins);
    if (v.cost.kernels.empty()) v.cost.not_counted = "no kernel ran";
}

}  // namespace

status count_costs(const trial_setting& setting, const program_source& source,
                   const program_run& run_once, verdict& v) {
    if (v.order == "warp") {
        v.cost.not_counted = "it is right only where the threads of each warp run in step";
        return {};
    }
    CUSET_ASSIGN(const compilation made, setting.backend.compile(source, program_form::counted));
    v.compile_seconds += made.seconds;
    if (made.end != compile_end::compiled) {
        v.cost.not_counted = why_not_compiled(made);
        return {};
    }
    // The counting makes kernels up to thirty times slower.
    trial_setting limited = setting;
    limited.limits.seconds = std::max(setting.limits.seconds, 10 + 30 * v.run_seconds);
    limited.needs_kernels = false;
    CUSET_ASSIGN(trial t, run_once(limited, made, {0, v.order == "asynchronous"}));
    v.run_seconds += t.run_seconds;
    if (t.failed.why != failure::none && t.failed.why != failure::wrong_exit) {
        v.cost.not_counted = "the run that counts ended with ";
        v.cost.not_counted += name_of(t.failed.why);
        return {};
    }
    take_costs(std::move(t.costs), made, v);
    return {};
}

status run_counted(const trial_setting& setting, const program_source& source,
                   const program_run& run_once, verdict& v) {
    // The plain form says what is wrong in the program, and what the model lacks.
    CUSET_ASSIGN([[maybe_unused]] const compilation plain, compile_program(setting, source, v));
    if (!v.passed()) return {};
    CUSET_ASSIGN(const compilation made, setting.backend.compile(source, program_form::counted));
    v.compile_seconds += made.seconds;
    if (made.end != compile_end::compiled) {
        v.why = failure::unsupported;
        v.diagnostic = why_not_compiled(made);
        return {};
    }
    CUSET_ASSIGN(trial t, try_in_orders(setting, [&](run_order order, bool) {
                     return run_once(setting, made, order);
                 }));
    v.order = std::move(t.order);
    v.run_seconds = t.run_seconds;
    v.reached = t.reached;
    v.why = t.failed.why;
    v.diagnostic = std::move(t.failed.diagnostic);
    v.findings = std::move(t.findings);
    if (v.passed() || v.why == failure::wrong_exit) take_costs(std::move(t.costs), made, v);
    const bool is_hip = is_hip_program(source);
    for (const auto& file : source.files) excuse(v, setting.backend, file.content, is_hip);
    return {};
}

}  // namespace cuset

#include "trial/cost_count.h"

#include <algorithm>
#include <string>
#include <utility>

#include "build/flat_source.h"
#include "build/hip_program.h"
#include "cuset/syntax/lexer.h"
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

/// Whether the rest of a #line may name one of the runtime's headers, whose arithmetic does not
/// count: of a name that a macro gives, or with escapes, nobody knows.
bool may_name_header(std::string_view rest) {
    const std::size_t name = rest.find_first_not_of("0123456789 \t");
    if (name == rest.npos) return false;
    return rest[name] != '"' || rest.find("/include/") != rest.npos || rest.find('\\') != rest.npos;
}

bool hides_arithmetic(std::string_view text) {
    syntax::token_stream code;
    syntax::lex(text, code);
    return std::ranges::any_of(code.directives, [&](const syntax::directive& d) {
        if (d.keyword != syntax::pp_keyword::other) return false;
        std::string_view line = text.substr(d.begin, d.end - d.begin);
        line.remove_prefix(std::min(line.find_first_not_of("# \t"), line.size()));
        const bool is_named = line.starts_with("line");
        if (!is_named && (line.empty() || line[0] < '0' || line[0] > '9')) return false;
        return may_name_header(line.substr(is_named ? 4 : 0));
    });
}

/// Empty: nothing is known that hinders.
std::string why_not_counted(const program_source& source, const verdict& v) {
    if (v.order == "warp") return "it is right only where the threads of each warp run in step";
    for (const auto& file : source.files)
        if (hides_arithmetic(file.content)) return "a #line in " + file.path + " may name a header";
    return {};
}

std::string why_not_compiled(const compilation& made) {
    std::string text = "the program does not compile to be counted";
    if (!made.diagnostic.empty()) text += ": " + made.diagnostic;
    return text;
}

void take_costs(std::vector<launch_cost> costs, const compilation& made, verdict& v) {
    v.cost.kernels = std::move(costs);
    for (launch_cost& cost : v.cost.kernels) cost.fast_math = made.fast_math;
    if (made.origins)
        for (launch_cost& cost : v.cost.kernels) name_file(cost, *made.origins);
    if (v.cost.kernels.empty()) v.cost.not_counted = "no kernel ran";
}

}  // namespace

status count_costs(const trial_setting& setting, const program_source& source,
                   const program_run& run_once, verdict& v) {
    v.cost.not_counted = why_not_counted(source, v);
    if (!v.cost.not_counted.empty()) return {};
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
    v.cost.not_counted = why_not_counted(source, v);
    if (v.cost.not_counted.empty() && (v.passed() || v.why == failure::wrong_exit))
        take_costs(std::move(t.costs), made, v);
    const bool is_hip = is_hip_program(source);
    for (const auto& file : source.files) excuse(v, setting.backend, file.content, is_hip);
    return {};
}

}  // namespace cuset

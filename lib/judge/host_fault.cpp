#include "host_fault.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "told_lines.h"

namespace cuset {

namespace {

constexpr std::size_t longest = 500;

constexpr failure told_kinds[] = {failure::unsupported,    failure::illegal_address,
                                  failure::out_of_bounds,  failure::uninitialised_read,
                                  failure::use_after_free, failure::barrier_divergence,
                                  failure::race,           failure::crash,
                                  failure::launch_error};

}  // namespace

std::optional<program_fault> fault_told(const run_report& report) {
    std::optional<std::string_view> told;
    for_lines_of(report.told, "fault ", [&](std::string_view rest) {
        const bool has_message = rest.find(": ") != rest.npos;
        if (!told || has_message) told = rest;
        return !has_message;
    });
    if (!told) return {};
    const std::string_view name = told->substr(0, told->find(": "));
    const auto* const kind = std::find_if(std::begin(told_kinds), std::end(told_kinds),
                                          [&](failure known) { return name_of(known) == name; });
    if (kind == std::end(told_kinds))
        return program_fault{failure::crash, std::string(told->substr(0, longest))};
    if (name.size() == told->size())
        return program_fault{*kind, "the program ended before the runtime could say where"};
    return program_fault{*kind, std::string(told->substr(name.size() + 2, longest))};
}

std::optional<program_fault> refusal_told(const run_report& report) {
    const auto told = first_of(report.told, "refused ");
    if (!told) return {};
    // "k 12: invalid configuration argument"; the name may contain blanks and colons.
    const std::size_t colon = told->rfind(": ");
    if (colon == told->npos || colon == 0) return {};
    const std::size_t number = told->rfind(' ', colon - 1);
    if (number == told->npos) return {};
    std::string text = "kernel " + std::string(told->substr(0, number)) + ", launched in line " +
                       std::string(told->substr(number + 1, colon - number - 1)) +
                       std::string(told->substr(colon));
    return program_fault{failure::launch_error, text.substr(0, longest)};
}

std::optional<program_fault> lost_told(const run_report& report) {
    const auto told = first_of(report.told, "lost ");
    if (!told) return {};
    return program_fault{told->starts_with(name_of(failure::launch_error))
                             ? failure::launch_error
                             : failure::illegal_address,
                         std::string(told->substr(std::min(told->find(' ') + 1, told->size())))};
}

stream_need streams_told(const run_report& report) {
    stream_need need = stream_need::none;
    for_lines_of(report.told, "streams ", [&](std::string_view rest) {
        need = rest == "needed" ? stream_need::needed : stream_need::asked;
        return need != stream_need::needed;
    });
    return need;
}

std::string note_told(const run_report& report) {
    const auto told = first_of(report.told, "note: ");
    return told ? std::string(told->substr(0, longest)) : std::string();
}

std::optional<kernel_use> kernels_told(const run_report& report) {
    if (!first_of(report.told, "runtime")) return {};
    return kernel_use{most_of(report.told, "launches ").value_or(0),
                      most_of(report.told, "from-kernels ").value_or(0)};
}

std::string launches_told(const run_report& report) {
    if (first_of(report.told, "digests void")) return {};
    std::string text;
    for_lines_of(report.told, "digest ", [&](std::string_view rest) {
        text.append(rest) += '\n';
        return true;
    });
    return text;
}

}  // namespace cuset

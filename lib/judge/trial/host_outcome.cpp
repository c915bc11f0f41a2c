#include "trial/host_outcome.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "cuset/sandbox/channel_lines.h"

namespace cuset {

namespace {

constexpr std::size_t longest = 500;

constexpr failure fault_kinds[] = {failure::unsupported,    failure::illegal_address,
                                   failure::out_of_bounds,  failure::uninitialised_read,
                                   failure::use_after_free, failure::barrier_divergence,
                                   failure::race,           failure::crash,
                                   failure::launch_error};

/// Of "KIND: MESSAGE" or "KIND".
program_fault fault_of(std::string_view text) {
    const std::string_view name = text.substr(0, text.find(": "));
    const auto* const kind = std::find_if(std::begin(fault_kinds), std::end(fault_kinds),
                                          [&](failure known) { return name_of(known) == name; });
    if (kind == std::end(fault_kinds))
        return {failure::crash, std::string(text.substr(0, longest))};
    if (name.size() == text.size())
        return {*kind, "the program ended before the runtime could say where"};
    return {*kind, std::string(text.substr(name.size() + 2, longest))};
}

std::optional<program_fault> fault_in(std::string_view output) {
    std::optional<std::string_view> found;
    for_lines_of(output, "fault ", [&](std::string_view rest) {
        const bool has_message = rest.find(": ") != rest.npos;
        if (!found || has_message) found = rest;
        return !has_message;
    });
    if (!found) return {};
    return fault_of(*found);
}

/// Each of a kind and line once; notes behind all others.
std::vector<finding> findings_in(std::string_view output) {
    std::vector<finding> found;
    const auto add = [&](finding made) {
        const auto is_same = [&](const finding& f) {
            return f.why == made.why &&
                   (made.why == failure::none ? f.message == made.message
                                              : line_in(f.message) == line_in(made.message));
        };
        if (std::none_of(found.begin(), found.end(), is_same)) found.push_back(std::move(made));
        return found.size() < most_findings;
    };
    for_lines_of(output, "fault ", [&](std::string_view rest) {
        if (rest.find(": ") == rest.npos) return true;
        program_fault made = fault_of(rest);
        // What the model lacks is no error of the program, and ends it.
        if (made.why == failure::unsupported) return false;
        return add({made.why, std::move(made.diagnostic)});
    });
    if (found.empty() || found.size() == most_findings) return found;
    for_lines_of(output, "note: ", [&](std::string_view rest) {
        return add({failure::none, std::string(rest.substr(0, longest))});
    });
    return found;
}

/// Of "k 12", where the name may contain blanks: "kernel k, launched in line 12"; empty for any
/// other text.
std::string launch_in(std::string_view text) {
    const std::size_t number = text.rfind(' ');
    if (number == text.npos || number == 0 || number + 1 == text.size()) return {};
    return "kernel " + std::string(text.substr(0, std::min(number, longest))) +
           ", launched in line " + std::string(text.substr(number + 1));
}

std::optional<program_fault> refusal_in(std::string_view output) {
    const auto found = first_of(output, "refused ");
    if (!found) return {};
    // "k 12: invalid configuration argument"; the name may contain colons.
    const std::size_t colon = found->rfind(": ");
    if (colon == found->npos) return {};
    std::string text = launch_in(found->substr(0, colon));
    if (text.empty()) return {};
    text += found->substr(colon);
    return program_fault{failure::launch_error, text.substr(0, longest)};
}

/// Whether the last launch that was refused is one whose error the program has not asked for.
bool has_unasked_refusal(std::string_view output) {
    bool is_refused = false, unasked = false;
    for_lines_of(output, "", [&](std::string_view line) {
        is_refused = is_refused || line.starts_with("refused ");
        if (line.starts_with("refused ") || line == "dropped") unasked = is_refused;
        if (line == "asked") unasked = false;
        return true;
    });
    return unasked;
}

std::string failed_call_in(std::string_view output) {
    const auto found = first_of(output, "call ");
    return found ? std::string(found->substr(0, longest)) : std::string();
}

std::string running_in(std::string_view output) {
    const auto found = first_of(output, "running ");
    return found ? launch_in(*found) : std::string();
}

std::optional<program_fault> survived_fault_in(std::string_view output) {
    const auto found = first_of(output, "lost ");
    if (!found) return {};
    return program_fault{found->starts_with(name_of(failure::launch_error))
                             ? failure::launch_error
                             : failure::illegal_address,
                         std::string(found->substr(std::min(found->find(' ') + 1, found->size())))};
}

stream_need streams_in(std::string_view output) {
    stream_need need = stream_need::none;
    for_lines_of(output, "streams ", [&](std::string_view rest) {
        need = rest == "needed" ? stream_need::needed : stream_need::asked;
        return need != stream_need::needed;
    });
    return need;
}

std::vector<launch_cost> costs_in(std::string_view output) {
    std::vector<launch_cost> found;
    for_lines_of(output, "cost ", [&](std::string_view rest) {
        if (auto cost = parse_launch_cost(rest)) {
            found.push_back(std::move(cost).value());
        } else {  // a line of the channel has an end
            found.emplace_back().kernel = "(a kernel with a long name)";
            found.back().not_counted.emplace_back("all of it");
        }
        return true;
    });
    return found;
}

std::string note_in(std::string_view output) {
    const auto found = first_of(output, "note: ");
    return found ? std::string(found->substr(0, longest)) : std::string();
}

std::optional<kernel_use> kernels_in(std::string_view output) {
    if (!first_of(output, "runtime")) return {};
    return kernel_use{most_of(output, "launches ").value_or(0),
                      most_of(output, "from-kernels ").value_or(0)};
}

std::string launches_in(std::string_view output) {
    if (first_of(output, "digests void")) return {};
    std::string text;
    for_lines_of(output, "digest ", [&](std::string_view rest) {
        text.append(rest) += '\n';
        return true;
    });
    return text;
}

}  // namespace

program_outcome host_outcome_of(std::string_view channel_output) {
    return {.fault = fault_in(channel_output),
            .findings = findings_in(channel_output),
            .survived_fault = survived_fault_in(channel_output),
            .cuda_error = refusal_in(channel_output),
            .is_refusal_unasked = has_unasked_refusal(channel_output),
            .failed_call = failed_call_in(channel_output),
            .streams = streams_in(channel_output),
            .kernels = kernels_in(channel_output),
            .running = running_in(channel_output),
            .note = note_in(channel_output),
            .launches = launches_in(channel_output),
            .costs = costs_in(channel_output)};
}

}  // namespace cuset

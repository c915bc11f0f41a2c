#include "host_fault.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "last_line.h"

namespace cuset {

namespace {

constexpr int fault_code = 97;

constexpr failure told_kinds[] = {failure::unsupported,
                                  failure::illegal_address,
                                  failure::out_of_bounds,
                                  failure::uninitialised_read,
                                  failure::use_after_free,
                                  failure::barrier_divergence,
                                  failure::race};

}  // namespace

std::optional<program_fault> told_by_runtime(const run_report& report) {
    constexpr std::string_view begin = "cuset-host: ";
    constexpr std::size_t longest = 500;
    if (report.end != run_end::exited || report.code != fault_code) return {};
    std::string_view line = last_line(report.err);
    if (!line.starts_with(begin)) return {};
    line.remove_prefix(begin.size());
    const std::size_t colon = line.find(": ");
    if (colon == line.npos || line.substr(0, colon) == "note") return {};
    const std::string message(line.substr(colon + 2, longest));
    const auto* const kind =
        std::find_if(std::begin(told_kinds), std::end(told_kinds),
                     [&](failure known) { return name_of(known) == line.substr(0, colon); });
    if (kind == std::end(told_kinds))
        return program_fault{failure::crash, std::string(line.substr(0, longest))};
    return program_fault{*kind, message};
}

std::string noted_by_runtime(const run_report& report) {
    constexpr std::string_view begin = "cuset-host: note: ";
    constexpr std::size_t longest = 500;
    std::string_view said = report.err;
    while (!said.empty()) {
        const std::string_view line = said.substr(0, said.find('\n'));
        if (line.starts_with(begin)) return std::string(line.substr(begin.size(), longest));
        said.remove_prefix(std::min(line.size() + 1, said.size()));
    }
    return {};
}

std::optional<program_fault> told_by_sanitizer(const run_report& report) {
    constexpr std::string_view begin = "ERROR: AddressSanitizer: ", place = "program.cu:";
    const std::size_t at = report.err.find(begin);
    if (at == std::string::npos || (report.end == run_end::exited && report.code == 0)) return {};
    const std::string_view said = std::string_view(report.err).substr(at + begin.size());
    const std::string_view what = said.substr(0, said.find_first_of(" :\n"));
    std::string text = "host code";
    if (const std::size_t line = said.find(place); line != said.npos) {
        const std::string_view number = said.substr(line + place.size());
        text += ", line " + std::string(number.substr(0, number.find_first_not_of("0123456789")));
    }
    text.append(": ").append(what);
    failure why = failure::crash;
    if (what.find("overflow") != what.npos && what.find("stack-overflow") == what.npos)
        why = failure::out_of_bounds;
    if (what.find("use-after") != what.npos || what == "attempting") why = failure::use_after_free;
    if (what == "attempting")
        text =
            text.substr(0, text.rfind(':')) + ": " + std::string(said.substr(0, said.find(" on ")));
    return program_fault{why, text};
}

}  // namespace cuset

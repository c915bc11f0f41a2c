#include "trial/run_failure.h"

#include <algorithm>
#include <string_view>

#include "cuset/sandbox/text_lines.h"
#include "tasks/script_run.h"

namespace cuset {

namespace {

struct phrase {
    std::string_view text;
    failure why;
};

/// The texts of cudaGetErrorString and cudaGetErrorName.
constexpr phrase phrases[] = {
    {"no CUDA-capable device is detected", failure::evaluator},
    {"cudaErrorNoDevice", failure::evaluator},
    {"CUDA driver version is insufficient", failure::evaluator},
    {"cudaErrorInsufficientDriver", failure::evaluator},
    {"all CUDA-capable devices are busy", failure::evaluator},
    {"illegal memory access", failure::illegal_address},
    {"cudaErrorIllegalAddress", failure::illegal_address},
    {"misaligned address", failure::illegal_address},
    {"cudaErrorMisalignedAddress", failure::illegal_address},
    {"invalid configuration argument", failure::launch_error},
    {"cudaErrorInvalidConfiguration", failure::launch_error},
    {"too many resources requested for launch", failure::launch_error},
    {"cudaErrorLaunchOutOfResources", failure::launch_error},
    {"invalid device function", failure::launch_error},
    {"cudaErrorInvalidDeviceFunction", failure::launch_error},
    {"no kernel image is available", failure::launch_error},
    {"unspecified launch failure", failure::launch_error},
    {"cudaErrorLaunchFailure", failure::launch_error},
    {"the launch timed out", failure::launch_error},
    {"too large for the device", failure::launch_error},
};

constexpr std::size_t longest_line = 300;

std::string line_around(std::string_view text, std::size_t at) {
    const std::size_t before = at == 0 ? text.npos : text.rfind('\n', at - 1);
    const std::size_t begin = before == text.npos ? 0 : before + 1;
    return std::string(
        text.substr(begin, std::min<std::size_t>(text.find('\n', at) - begin, longest_line)));
}

/// The first line of the program's own: the host backend's runtime writes to standard error too.
std::string first_line_printed(const run_report& report) {
    constexpr std::string_view blanks = " \t\r\n", of_runtime = "cuset-host: ";
    for (const std::string_view output :
         {std::string_view(report.err), std::string_view(report.out)})
        for (std::string_view rest = output; !rest.empty();) {
            const std::string line(take_line(rest));
            if (line.find_first_not_of(blanks) == line.npos || line.starts_with(of_runtime))
                continue;
            return ": " + line.substr(0, longest_line);
        }
    return {};
}

}  // namespace

program_fault failure_of_run(const run_report& report, const sandbox_limits& limits) {
    const std::string end = describe_end(report, limits);
    switch (report.end) {
        case run_end::exited: break;
        case run_end::signalled: return {failure::crash, end + first_line_printed(report)};
        case run_end::too_long: return {failure::run_timeout, end};
        default: return {failure::run_limit, end};
    }
    if (report.code == 0) return {};
    return {failure::wrong_exit,
            "exit code " + std::to_string(report.code) + first_line_printed(report)};
}

std::optional<program_fault> printed_cuda_error(const run_report& report, bool of_devices) {
    for (const std::string* output : {&report.err, &report.out})
        for (const auto& [text, why] : phrases) {
            if (why == failure::evaluator && !of_devices) continue;
            if (const std::size_t at = output->find(text); at != output->npos)
                return program_fault{why, line_around(*output, at)};
        }
    return {};
}

}  // namespace cuset

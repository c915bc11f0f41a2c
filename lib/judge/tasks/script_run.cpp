#include "tasks/script_run.h"

#include <cstring>
#include <utility>

#include "cuset/base/format.h"
#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/text_lines.h"
#include "trial/driver_folder.h"

namespace cuset {

std::string gibibytes(std::uint64_t bytes) {
    return format("%.3g GiB", static_cast<double>(bytes) / (1U << 30));
}

result<sandbox_request> script_request(
    const script_setting& setting, const std::string& name, std::string_view text,
    const std::filesystem::path& work, std::vector<sandbox_mount> mounts,
    std::vector<std::pair<std::string, std::string>> environment) {
    CUSET_TRY(write_text(work / name, text));
    sandbox_request request;
    request.command = {setting.python.program.string(), name};
    request.work = work;
    request.mounts = std::move(mounts);
    request.mounts.insert(request.mounts.end(), setting.python.mounts.begin(),
                          setting.python.mounts.end());
    request.environment = std::move(environment);
    request.environment.emplace_back("PYTHONDONTWRITEBYTECODE", "1");
    request.environment.emplace_back("PYTHONHASHSEED", "0");
    request.limits = setting.limits;
    request.gpu = setting.gpu;
    if (setting.gpu) add_driver_folder(request);
    request.sockets = true;
    return request;
}

result<run_report> run_script(const script_setting& setting, const std::string& name,
                              std::string_view text, const std::filesystem::path& work,
                              std::vector<sandbox_mount> mounts,
                              std::vector<std::pair<std::string, std::string>> environment) {
    CUSET_ASSIGN(
        const sandbox_request request,
        script_request(setting, name, text, work, std::move(mounts), std::move(environment)));
    return setting.box->run(request);
}

std::string describe_end(const run_report& report, const sandbox_limits& limits) {
    switch (report.end) {
        case run_end::exited: return {};
        case run_end::signalled:
            return "ended by signal " + std::to_string(report.code) + " (" +
                   ::strsignal(report.code) + ')';
        case run_end::too_long: return format("ran for more than %g s", limits.seconds);
        case run_end::too_much_memory:
            return "took more than " + gibibytes(limits.memory_bytes) + " of memory";
        case run_end::too_many_processes:
            return "started more than " + std::to_string(limits.processes) + " processes";
        case run_end::too_much_output: return "printed more than " + gibibytes(limits.output_bytes);
        case run_end::too_large_files:
            return "wrote more than " + gibibytes(limits.file_bytes) + ", or 10,000 files";
    }
    return {};
}

std::string complaint_of(const std::string& name, const run_report& report,
                         const sandbox_limits& limits) {
    std::string end = describe_end(report, limits);
    if (report.end == run_end::exited) end = "exit code " + std::to_string(report.code);
    const std::string_view last = last_line(report.err.empty() ? report.out : report.err);
    std::string text = name + " failed: " + end;
    if (!last.empty()) text.append(": ").append(last.substr(0, 300));
    return text;
}

}  // namespace cuset

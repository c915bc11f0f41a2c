#include "comparison.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string_view>
#include <vector>

#include "cuset/base/fd.h"
#include "script_run.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// A task has one output, seldom two: more orders than these are not tried.
constexpr std::size_t most_orders = 24;

bool is_yes(std::string_view out) {
    std::string_view last;
    while (!out.empty()) {
        const std::size_t end = std::min(out.find('\n'), out.size());
        std::string_view line = out.substr(0, end);
        out.remove_prefix(std::min(end + 1, out.size()));
        line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
        line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
        if (line == "F") return false;
        if (!line.empty()) last = line;
    }
    return last == "T";
}

std::string first_line(std::string_view text) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    text.remove_prefix(begin);
    return std::string(text.substr(0, std::min<std::size_t>(text.find_first_of("\r\n"), 300)));
}

}  // namespace

result<std::optional<std::string>> take_outputs(const task& t, const fs::path& from,
                                                const fs::path& to) {
    const unique_fd data(::open(from.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    for (const auto& name : t.outputs) {
        const std::string file = name + ".bin";
        struct stat about {};
        if (!data || ::fstatat(data.get(), file.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(about.st_mode))
            return std::optional(file);
        if (::fchmodat(data.get(), file.c_str(), 0644, 0) != 0 ||
            ::renameat(data.get(), file.c_str(), AT_FDCWD, (to / file).c_str()) != 0)
            return io_error((to / file).string(), errno);
    }
    return std::optional<std::string>();
}

result<comparison> compare_outputs(const task& t, const task_data& data, const fs::path& work,
                                   const script_setting& setting) {
    std::vector<sandbox_mount> mounts;
    for (const auto* files : {&data.inputs, &data.references})
        for (const auto& file : *files) mounts.push_back({file.path, "/job/data/" + file.name});
    CUSET_ASSIGN(const run_report report,
                 run_script(setting, "compare.py", t.comparer, work, std::move(mounts)));
    comparison done;
    done.seconds = report.seconds;
    done.crashed = report.end != run_end::exited || report.code != 0;
    done.passed = !done.crashed && is_yes(report.out);
    if (done.crashed) done.said = complaint_of("compare.py", report, setting.limits);
    if (!done.crashed && !done.passed) done.said = "compare.py: " + first_line(report.out);
    return done;
}

result<std::optional<bool>> reference_passes(const task& t, const task_data& data,
                                             const fs::path& work, const script_setting& setting) {
    if (t.outputs.empty() || data.references.size() < t.outputs.size())
        return std::optional<bool>();
    std::vector<std::size_t> order(data.references.size());
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t tries = 0; tries < most_orders; ++tries) {
        std::error_code error;
        fs::remove_all(work, error);
        fs::create_directories(work / "data", error);
        for (std::size_t i = 0; i < t.outputs.size() && !error; ++i)
            fs::copy_file(data.references[order[i]].path, work / "data" / (t.outputs[i] + ".bin"),
                          error);
        if (error) return io_error(work.string(), error.value());
        CUSET_ASSIGN(const comparison done, compare_outputs(t, data, work, setting));
        if (done.passed) return std::optional(true);
        // The next arrangement of the first places, whatever stands behind them.
        std::reverse(order.begin() + static_cast<std::ptrdiff_t>(t.outputs.size()), order.end());
        if (!std::next_permutation(order.begin(), order.end())) break;
    }
    return std::optional(false);
}

}  // namespace cuset

#include "trial/comparison.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/scratch_folder.h"
#include "cuset/sandbox/text_lines.h"
#include "cuset/sandbox/written_folder.h"
#include "tasks/script_run.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// A task has one output, seldom two; no more orders than this are tried.
constexpr std::size_t most_orders = 24;

/// CUDABench's compare.py sees all files of data/; no more than these are mounted.
constexpr std::size_t most_files = 1000;

/// All of this is kept of what a script prints, so that no F is lost.
constexpr std::uint64_t most_searched = std::uint64_t{128} << 10;

bool is_yes(std::string_view out) {
    std::string_view last;
    while (!out.empty()) {
        std::string_view line = take_line(out);
        line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
        line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
        if (line == "F") return false;
        if (!line.empty()) last = line;
    }
    return last == "T";
}

std::string first_words(std::string_view text) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    text.remove_prefix(begin);
    return std::string(text.substr(0, std::min<std::size_t>(text.find_first_of("\r\n"), 300)));
}

}  // namespace

result<std::optional<std::string>> take_outputs(const task& t, const fs::path& work,
                                                const fs::path& to, protocol rule) {
    CUSET_ASSIGN(const written_folder left, written_folder::open(work));
    const auto data = left.folder("data");
    if (!data) return std::optional<std::string>("there is no folder data any more");
    std::optional<std::string> missing;
    for (const auto& name : t.outputs) {
        const std::string file = name + ".bin";
        CUSET_ASSIGN(const auto taken, data->take(file, to / file, 0644));
        if (!taken.obstacle.empty() && !missing) missing = "data/" + file + ' ' + taken.obstacle;
    }
    if (!is_of_cudabench(rule)) return missing;
    const auto others = data->files(most_files);
    if (!others) return missing;
    for (const auto& file : *others) {
        const auto taken = data->take(file, to / file, 0644);
        if (!taken) return taken.error();
    }
    return missing;
}

result<comparison> compare_outputs(const task& t, const task_data& data, const fs::path& work,
                                   const script_setting& setting, protocol rule,
                                   const std::vector<data_file>& outputs) {
    std::vector<sandbox_mount> mounts;
    for (const auto* files : {&data.inputs, &data.references, &outputs})
        for (const auto& file : *files) mounts.push_back({file.path, "/job/data/" + file.name});
    script_setting limited = setting;
    if (is_of_cudabench(rule))
        limited.limits.output_bytes = std::min(limited.limits.output_bytes, most_searched);
    CUSET_ASSIGN(const run_report report,
                 run_script(limited, "compare.py", t.comparer, work, std::move(mounts)));
    comparison done;
    done.seconds = report.seconds;
    done.crashed = !report.succeeded();
    const bool is_right =
        is_of_cudabench(rule) ? report.out.find('F') == report.out.npos : is_yes(report.out);
    done.passed = !done.crashed && is_right;
    if (done.crashed) done.message = complaint_of("compare.py", report, limited.limits);
    if (!done.crashed && !done.passed) done.message = "compare.py: " + first_words(report.out);
    return done;
}

result<std::optional<std::vector<data_file>>> passing_references(const task& t,
                                                                 const task_data& data,
                                                                 const fs::path& scratch,
                                                                 const script_setting& setting,
                                                                 protocol rule) {
    using references = std::optional<std::vector<data_file>>;
    if (t.outputs.empty() || data.references.size() < t.outputs.size()) return references();
    std::vector<std::size_t> order(data.references.size());
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t tries = 0; tries < most_orders; ++tries) {
        // Each comparison has a new folder: compare.py may do anything in it.
        CUSET_ASSIGN(const scratch_folder work, scratch_folder::make(scratch));
        CUSET_TRY(make_folder(work.path() / "data"));
        std::vector<data_file> chosen;
        for (std::size_t i = 0; i < t.outputs.size(); ++i)
            chosen.push_back({t.outputs[i] + ".bin", data.references[order[i]].path});
        CUSET_ASSIGN(const comparison done,
                     compare_outputs(t, data, work.path(), setting, rule, chosen));
        if (done.passed) return references(std::move(chosen));
        // Goes to the next arrangement of the first places, whatever the order of the rest.
        std::reverse(order.begin() + static_cast<std::ptrdiff_t>(t.outputs.size()), order.end());
        if (!std::next_permutation(order.begin(), order.end())) break;
    }
    return references(std::in_place);
}

}  // namespace cuset

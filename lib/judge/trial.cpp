#include "trial.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "comparison.h"
#include "cuset/base/fd.h"
#include "scratch_folder.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

result<run_report> run_program(const trial_setting& setting, const task_data& made,
                               const fs::path& program, const fs::path& work, std::uint64_t order) {
    sandbox_request request;
    request.work = work;
    request.limits = setting.limits;
    for (const auto& file : made.inputs)
        request.mounts.push_back({file.path, "/job/data/" + file.name});
    setting.device.acquire();
    auto report = setting.backend.run(program, std::move(request), order);
    setting.device.release();
    return report;
}

/// The outputs' failure, or none.
status compare(const trial_setting& setting, const task& of, const task_data& made,
               const fs::path& scratch, const run_report& report, trial& t) {
    t.reached = stage::ran;
    const fs::path work = scratch / "compare";
    std::error_code error;
    if (!fs::create_directories(work / "data", error))
        return io_error(work.string(), error.value());
    CUSET_ASSIGN(const auto missing, take_outputs(of, scratch / "run" / "data", work / "data"));
    run_failure& failed = t.failed;
    if (missing) {
        failed = {failure::missing_output, "data/" + *missing + " is missing"};
    } else {
        auto done = compare_outputs(of, made, work, setting.scripts);
        if (!done) {
            failed = {failure::evaluator, done.error().message()};
        } else if (t.compare_seconds = done->seconds; done->passed) {
            t.reached = stage::correct;
            return {};
        } else if (failed = {failure::wrong_output, done->said}; done->crashed) {
            // Outputs of another size do this, and so does a compare.py that nothing would pass.
            CUSET_ASSIGN(const auto can_pass,
                         reference_passes(of, made, scratch / "reference", setting.scripts));
            if (can_pass == false) failed.why = failure::evaluator;
        }
    }
    if (failed.why != failure::evaluator) failed = failure_of_results(report, std::move(failed));
    return {};
}

/// Of a file that a program may have written, made a link, or made large.
std::string record_in(const fs::path& work, const std::string& name) {
    constexpr std::size_t most = std::size_t{16} << 20;
    if (name.empty()) return {};
    const unique_fd file(
        ::open((work / name).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat about {};
    if (!file || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) return {};
    std::string text(std::min<std::size_t>(static_cast<std::size_t>(about.st_size), most), '\0');
    const ssize_t got = ::pread(file.get(), text.data(), text.size(), 0);
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return text;
}

result<trial> try_once(const trial_setting& setting, const task& of, const task_data& made,
                       const fs::path& program, std::uint64_t order) {
    trial t;
    CUSET_ASSIGN(const scratch_folder scratch, scratch_folder::make(setting.scripts.scratch));
    const fs::path work = scratch.path() / "run";
    std::error_code error;
    if (!fs::create_directories(work / "data", error))
        return io_error(work.string(), error.value());
    const auto report = run_program(setting, made, program, work, order);
    if (!report) {
        t.failed = {failure::evaluator, report.error().message()};
        return t;
    }
    t.run_seconds = report->seconds;
    t.launches = record_in(work, setting.backend.launch_record());
    t.note = setting.backend.note_of(*report);
    if (auto told = setting.backend.fault_of(*report)) {
        t.failed = {told->why, std::move(told->diagnostic)};
    } else {
        t.failed = failure_of_run(*report, setting.limits);
    }
    if (t.failed.why == failure::none)
        CUSET_TRY(compare(setting, of, made, scratch.path(), *report, t));
    return t;
}

/// Whether a program's own results are what failed, which may depend on the order of threads.
bool is_of_results(failure why) {
    return why == failure::none || why == failure::wrong_output || why == failure::missing_output ||
           why == failure::wrong_exit;
}

bool passed(const trial& t) { return t.failed.why == failure::none; }

/// What the first run came to, in the light of a later one.
void weigh(trial& first, trial later, std::uint64_t order) {
    first.run_seconds += later.run_seconds;
    first.compare_seconds += later.compare_seconds;
    if (later.failed.why == failure::evaluator) {
        first.failed = std::move(later.failed);
        first.reached = std::min(first.reached, later.reached);
        return;
    }
    if (passed(first) == passed(later)) return;
    const std::string seed = "the order of seed " + std::to_string(order);
    if (passed(first) && !is_of_results(later.failed.why)) {
        first.failed = {later.failed.why, "in " + seed + ": " + later.failed.diagnostic};
        first.reached = later.reached;
        return;
    }
    const bool right = passed(first);
    std::string text = std::string("outputs are ") + (right ? "right" : "wrong") +
                       " in order 0 and " + (right ? "wrong" : "right") + " in " + seed;
    if (const std::string where = first_difference(first.launches, later.launches); !where.empty())
        text += ": " + where;
    first.failed = {failure::race, std::move(text)};
    first.reached = stage::ran;
}

/// "add" and "12" of "0 add 12 5f…"; the name may have blanks.
std::string place_of(std::string_view line) {
    constexpr std::size_t longest = 100;
    const std::size_t first = line.find(' '), last = line.rfind(' ');
    if (first == line.npos || last <= first) return {};
    const std::size_t number = line.rfind(' ', last - 1);
    if (number == line.npos || number <= first) return {};
    return "kernel " + std::string(line.substr(first + 1, std::min(number - first - 1, longest))) +
           " (line " + std::string(line.substr(number + 1, std::min(last - number - 1, longest))) +
           ')';
}

std::string_view next_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

}  // namespace

std::string first_difference(std::string_view plain, std::string_view other) {
    while (!plain.empty() || !other.empty()) {
        const std::string_view a = next_line(plain), b = next_line(other);
        if (a == b) continue;
        const std::string place = place_of(a.empty() ? b : a);
        return place.empty() ? std::string() : place + " is the first to differ";
    }
    return {};
}

std::string with_note(std::string diagnostic, const std::string& note) {
    if (note.empty()) return diagnostic;
    return (diagnostic.empty() ? "note: " : std::move(diagnostic) + "; note: ") + note;
}

result<trial> try_program(const trial_setting& setting, const task& of, const task_data& made,
                          const fs::path& program) {
    const auto orders = setting.backend.orders();
    CUSET_ASSIGN(trial first, try_once(setting, of, made, program, orders.front()));
    for (std::size_t i = 1; i < orders.size(); ++i) {
        if (!is_of_results(first.failed.why)) break;
        CUSET_ASSIGN(trial later, try_once(setting, of, made, program, orders[i]));
        weigh(first, std::move(later), orders[i]);
    }
    if (is_of_results(first.failed.why))
        first.failed.diagnostic = with_note(std::move(first.failed.diagnostic), first.note);
    return first;
}

}  // namespace cuset

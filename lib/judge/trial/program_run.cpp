#include "cuset/judge/program_run.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <semaphore>
#include <utility>

#include "build/flat_source.h"
#include "build/hip_program.h"
#include "cuset/base/fd.h"
#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/scratch_folder.h"
#include "trial/cost_count.h"
#include "trial/kept_files.h"
#include "trial/program_trial.h"
#include "trial/race_search.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// What one program has printed and read, and how its runs ended.
class program_runs {
public:
    program_runs(const judge_environment& environment, const program_request& request)
        : environment_(environment), request_(request) {}

    /// To be called once, before anything runs.
    status prepare();
    result<trial> run_once(const trial_setting& setting, const compilation& made, run_order order);

    program_result found;
    status failed;  ///< of the streams

private:
    enum class listening : unsigned char { live, later, never };
    listening listening_to(run_order order) const;
    status take(listening how, output_stream from, std::string_view text);
    status tell_rest();
    result<live_streams> streams(listening how);

    const judge_environment& environment_;
    const program_request& request_;
    std::optional<scratch_folder> room_;
    unique_fd read_;  // what the first run has read
    fs::path given_;  // the files of the folder, as they were
    int runs_ = 0;
    stream_need needs_ = stream_need::none;
    std::array<std::string, 2> told_;                             // of each stream
    std::vector<std::pair<output_stream, std::string>> waiting_;  // what may be told later
};

status program_runs::prepare() {
    CUSET_ASSIGN(room_, scratch_folder::make(environment_.scratch.path()));
    if (request_.input >= 0) {
        const fs::path place = room_->path() / "input";
        read_ = unique_fd(::open(place.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        if (!read_) return io_error(place.string(), errno);
    }
    if (request_.folder.empty()) return {};
    given_ = room_->path() / "given";
    return copy_files(request_.folder, given_);
}

program_runs::listening program_runs::listening_to(run_order order) const {
    if (runs_ == 0) return listening::live;
    return runs_ == 1 && order.has_asynchronous_streams ? listening::later : listening::never;
}

result<live_streams> program_runs::streams(listening how) {
    live_streams streams;
    if (how != listening::never)
        streams.on_output = [this, how](output_stream from, std::string_view text) {
            status done = take(how, from, text);
            if (!done) failed = done;
            return done;
        };
    if (request_.input < 0) return streams;
    if (runs_ == 0) {
        streams.input = request_.input;
        streams.input_copy = read_.get();
    } else {
        if (::lseek(read_.get(), 0, SEEK_SET) < 0) return io_error("the input's copy", errno);
        streams.input = read_.get();
    }
    return streams;
}

status program_runs::take(listening how, output_stream from, std::string_view text) {
    if (how == listening::later) {
        waiting_.emplace_back(from, text);
        return {};
    }
    told_[from == output_stream::out ? 0 : 1] += text;
    return request_.on_output ? request_.on_output(from, text) : status();
}

/// The run that counts began as the one before: what that has told is not told again.
status program_runs::tell_rest() {
    std::array<std::size_t, 2> at{};
    std::array<bool, 2> is_equal{true, true};
    for (const auto& [from, text] : std::exchange(waiting_, {})) {
        const std::size_t i = from == output_stream::out ? 0 : 1;
        std::string_view rest = text;
        if (is_equal[i]) {
            const std::string_view told = std::string_view(told_[i]).substr(at[i]);
            const auto same = std::ranges::mismatch(rest, told);
            const auto count = static_cast<std::size_t>(same.in1 - rest.begin());
            at[i] += count;
            rest.remove_prefix(count);
            is_equal[i] = rest.empty();
        }
        if (!rest.empty() && request_.on_output) CUSET_TRY(request_.on_output(from, rest));
    }
    return {};
}

result<trial> program_runs::run_once(const trial_setting& setting, const compilation& made,
                                     run_order order) {
    trial t;
    const listening how = listening_to(order);
    CUSET_ASSIGN(const scratch_folder scratch, scratch_folder::make(environment_.scratch.path()));
    sandbox_request request;
    request.work = scratch.path() / "run";
    CUSET_TRY(given_.empty() ? make_folder(request.work) : copy_files(given_, request.work));
    request.mounts = request_.mounts;
    request.command = {"./" + request_.name};
    request.command.insert(request.command.end(), request_.arguments.begin(),
                           request_.arguments.end());
    CUSET_ASSIGN(request.streams, streams(how));
    CUSET_ASSIGN(const program_outcome outcome,
                 run_program(setting, made.program, request, order, request_.name, t));
    ++runs_;
    if (!failed) return failed;
    end_run(outcome, made, t);
    const bool counts =
        how == listening::later && (needs_ == stream_need::needed || t.failed.why == failure::none);
    if (how == listening::live) needs_ = t.streams;
    if (how != listening::live && !counts) return t;
    found.has_ended_itself = t.failed.why != failure::evaluator && !t.has_faulted;
    found.end = t.end;
    found.code = t.code;
    found.refused = outcome.cuda_error              ? outcome.cuda_error->diagnostic
                    : t.failed.why == failure::none ? outcome.failed_call
                                                    : std::string();
    found.is_launch_unasked = outcome.is_refusal_unasked;
    if (made.origins) found.refused = made.origins->in_files(found.refused);
    if (counts) {
        failed = tell_rest();
        if (!failed) return failed;
    }
    if (given_.empty()) return t;
    // Where something is mounted, the work folder has only a place for it.
    std::vector<std::string> mounted{request_.name};
    for (const auto& mount : request_.mounts)
        mounted.push_back(mount.inside.lexically_relative("/job").begin()->string());
    CUSET_TRY(keep_files(request.work, given_, request_.folder, mounted));
    return t;
}

status judge_program(const trial_setting& setting, const program_request& request,
                     const program_run& run_once, verdict& v) {
    CUSET_ASSIGN(const compilation built, compile_program(setting, request.source, v));
    if (!v.passed()) return {};
    CUSET_TRY(judge_runs(setting, request.source, built, run_once, v));
    CUSET_TRY(explain_by_race(setting, request.source, run_once, v));
    if (!request.counts || (!v.passed() && v.why != failure::wrong_exit)) return {};
    return count_costs(setting, request.source, run_once, v);
}

}  // namespace

result<program_result> run_and_judge(const judge_environment& environment,
                                     const program_request& request) {
    std::counting_semaphore<> device{1};
    trial_setting setting{*environment.backend, environment.scripts, environment.run_limits,
                          device};
    for (const auto& file : request.source.files) setting.sources.push_back(file.content);
    setting.is_hip = is_hip_program(request.source);
    setting.finds_libraries = true;
    program_runs runs(environment, request);
    CUSET_TRY(runs.prepare());
    const backend_description about = environment.backend->description();
    verdict v;
    const program_run run_once = [&](const trial_setting& once, const compilation& made,
                                     run_order order) { return runs.run_once(once, made, order); };
    v.reached = stage::extracted;
    v.setting.backend = about.name;
    v.setting.toolchain = about.toolchain;
    if (request.only_counts)
        CUSET_TRY(run_counted(setting, request.source, run_once, v));
    else
        CUSET_TRY(judge_program(setting, request, run_once, v));
    if ((request.counts || request.only_counts) && !v.cost.is_asked())
        v.cost.not_counted = v.reached < stage::compiled ? "the program does not compile"
                                                         : "the program did not come to its end";
    if (sandbox::is_stopped()) return data_error("the program was stopped");
    if (v.why == failure::evaluator) return data_error(v.diagnostic);
    runs.found.judged = std::move(v);
    return std::move(runs.found);
}

}  // namespace cuset

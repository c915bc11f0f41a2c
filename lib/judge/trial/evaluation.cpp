#include "cuset/judge/evaluation.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <unordered_set>

#include "cuset/base/log.h"
#include "cuset/judge/verdict_log.h"
#include "cuset/stream/line_source.h"
#include "cuset/stream/parallel_stages.h"
#include "cuset/stream/progress.h"
#include "tasks/record_fields.h"
#include "trial/running_candidates.h"

namespace cuset {

namespace {

/// A candidate and its verdict.
struct judging_job {
    candidate what;
    const task* the_task = nullptr;
    std::optional<result<verdict>> outcome;
    bool from_log = false;
};

class evaluator {
public:
    evaluator(int threads, const judge& judging, const task_set& tasks, line_source lines,
              std::optional<verdict_log> log_file)
        : judging_(judging),
          tasks_(tasks),
          lines_(std::move(lines)),
          log_(std::move(log_file)),
          stages_(threads, stage_order::as_done) {}

    result<evaluation> run();

private:
    std::unique_ptr<judging_job> next();
    bool read_line();
    status take(const line& l);
    status add(std::vector<candidate> found);
    void finish(const judging_job& j);
    void tell_progress();
    void tell_until(const std::stop_token& end);

    const judge& judging_;
    const task_set& tasks_;
    line_source lines_;
    std::optional<verdict_log> log_;
    parallel_stages stages_;

    // Used only by the reading stage.
    candidate_reader reader_{solution_files::read};
    std::deque<std::unique_ptr<judging_job>> waiting_;
    std::unordered_set<std::string> seen_;
    bool at_end_ = false;
    bool is_replacing_ = false;  // which has been said
    status read_error_;

    // The reading stage's position, for who tells progress.
    std::atomic<std::uint64_t> consumed_ = 0, total_ = 0;
    std::atomic<std::uint64_t> finished_ = 0;
    running_candidates running_;
    std::mutex telling_;
    std::condition_variable_any second_;

    status error_;
    evaluation done_;
    progress_meter progress_{"candidates"};
};

std::unique_ptr<judging_job> evaluator::next() {
    while (waiting_.empty() && !at_end_ && !stages_.is_stopped()) {
        at_end_ = !read_line();
        consumed_ = lines_.bytes_consumed();
        total_ = lines_.bytes_total();
    }
    if (waiting_.empty() || stages_.is_stopped()) return nullptr;
    auto job = std::move(waiting_.front());
    waiting_.pop_front();
    return job;
}

/// False at the end of the input, and at an error.
bool evaluator::read_line() {
    const auto line = lines_.next();
    if (!line) {
        if (!stages_.is_stopped()) read_error_ = line.error();
        return false;
    }
    if (*line == nullptr) return false;
    read_error_ = take(**line);
    return read_error_.is_ok();
}

status evaluator::take(const line& l) {
    auto found = reader_.read(l.text);
    if (!found) return lines_.is_mine(l) ? lines_.reject(std::move(found).error()) : status();
    if (!lines_.is_mine(found->front().task)) return {};
    if (status added = add(std::move(found).value()); !added)
        return lines_.reject(std::move(added));
    lines_.accept();
    return {};
}

/// Adds all candidates of a line, or none.
status evaluator::add(std::vector<candidate> found) {
    const task* the_task = tasks_.find(found.front().task);
    if (the_task == nullptr) return data_error("there is no task \"" + found.front().task + '"');
    const auto place = [&](const candidate& c) { return std::to_string(c.sample) + ' ' + c.task; };
    for (const auto& c : found)
        if (seen_.contains(place(c)))
            return data_error("sample " + std::to_string(c.sample) + " of task \"" + c.task +
                              "\" was there before");
    for (auto& c : found) {
        seen_.insert(place(c));
        auto job = std::make_unique<judging_job>();
        job->the_task = the_task;
        job->what = std::move(c);
        if (log_) {
            const judge::keys keys = judging_.keys_of(job->what, *the_task);
            const verdict* known = log_->find(the_task->id, job->what.sample, keys.plain);
            if (known == nullptr) known = log_->find(the_task->id, job->what.sample, keys.limited);
            if (known != nullptr) {
                job->outcome.emplace(*known);
                job->from_log = true;
            } else if (!is_replacing_ && log_->has(the_task->id, job->what.sample)) {
                // Said early: another model's file may have been named, and until the end of the
                // evaluation its verdicts are there.
                is_replacing_ = true;
                log(log_level::note,
                    log_->path() +
                        " has verdicts on the same samples with other answers, tasks or "
                        "settings: they will be replaced");
            }
        }
        waiting_.push_back(std::move(job));
    }
    return {};
}

void evaluator::finish(const judging_job& j) {
    if (!j.outcome || !error_.is_ok()) return;
    if (!*j.outcome) {
        error_ = j.outcome->error();
    } else {
        const verdict& v = **j.outcome;
        if (log_ && !j.from_log) error_ = log_->append(v);
        if (!j.from_log) ++done_.judged;
        done_.verdicts.push_back(v);
    }
    if (!error_.is_ok()) stages_.stop();
    finished_ = done_.verdicts.size();
    tell_progress();
}

void evaluator::tell_progress() {
    const std::lock_guard lock(telling_);
    progress_.update(finished_, consumed_, total_, running_.describe());
}

/// A program that hangs finishes nothing for a while, and then this alone says what is going on.
void evaluator::tell_until(const std::stop_token& end) {
    for (;;) {
        std::unique_lock lock(telling_);
        second_.wait_for(lock, end, std::chrono::seconds(1), [] { return false; });
        if (end.stop_requested()) return;
        lock.unlock();
        if (!running_.describe().empty()) tell_progress();
    }
}

result<evaluation> evaluator::run() {
    lines_.set_interrupt(stages_.stop_event());
    const auto work = [this](judging_job& j) {
        if (j.outcome) return;
        const running_candidates::entry running(running_,
                                                j.what.task + '/' + std::to_string(j.what.sample));
        j.outcome.emplace(judging_.decide(j.what, *j.the_task));
    };
    const std::jthread teller([this](const std::stop_token& end) { tell_until(end); });
    CUSET_TRY(stages_.run<judging_job>([this] { return next(); }, work,
                                       [this](const judging_job& j) { finish(j); }));
    if (log_ && done_.judged > 0) CUSET_TRY(log_->sync());
    CUSET_TRY(error_);
    CUSET_TRY(read_error_);
    CUSET_TRY(lines_.finish());
    if (log_) CUSET_TRY(log_->remove_replaced());
    done_.records = lines_.records();
    done_.rejected = lines_.rejected();
    return std::move(done_);
}

}  // namespace

result<evaluation> evaluate(stream_options stream, const std::string& verdicts,
                            const judge& judging, const task_set& tasks) {
    stream.longest_line = longest_line;
    stream.written.push_back({"--verdicts", identify(verdicts)});
    CUSET_ASSIGN(line_source lines, line_source::open(stream));
    std::optional<verdict_log> log_file;
    if (!verdicts.empty()) {
        CUSET_ASSIGN(log_file, verdict_log::open(verdicts, judging.setting()));
    }
    return evaluator(stream.threads, judging, tasks, std::move(lines), std::move(log_file)).run();
}

}  // namespace cuset

#include "cuset/judge/evaluation.h"

#include <sys/eventfd.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_set>

#include "cuset/judge/verdict_log.h"
#include "cuset/stream/line_source.h"
#include "cuset/stream/progress.h"
#include "record_fields.h"

namespace cuset {

namespace {

/// A candidate on its way to its verdict.
struct judging_job {
    candidate what;
    const task* of = nullptr;
    std::optional<result<verdict>> outcome;
    bool from_log = false;
};

class evaluator {
public:
    evaluator(const evaluation_options& options, const judge& judging, const task_set& tasks,
              line_source lines, std::optional<verdict_log> log_file)
        : options_(options),
          judging_(judging),
          tasks_(tasks),
          lines_(std::move(lines)),
          log_(std::move(log_file)) {}

    result<evaluation> run();

private:
    judging_job* next();
    bool read_line();
    status take(const line& l);
    status add(std::vector<candidate> found);
    void work(judging_job& j) const;
    void finish(const judging_job& j);
    void stop();

    const evaluation_options& options_;
    const judge& judging_;
    const task_set& tasks_;
    line_source lines_;
    std::optional<verdict_log> log_;

    // The reading stage's.
    candidate_reader reader_;
    std::deque<std::unique_ptr<judging_job>> waiting_;
    std::unordered_set<std::string> seen_;
    bool at_end_ = false;
    status read_error_;

    // What the reading stage has come to, for the last one, which tells progress beside it.
    std::atomic<std::uint64_t> consumed_ = 0, total_ = 0;

    std::atomic<bool> stopped_ = false;
    unique_fd stop_event_;
    status error_;
    evaluation done_;
    progress_meter progress_{"candidates"};
};

judging_job* evaluator::next() {
    while (waiting_.empty() && !at_end_ && !stopped_) {
        at_end_ = !read_line();
        consumed_ = lines_.bytes_consumed();
        total_ = lines_.bytes_total();
    }
    if (waiting_.empty() || stopped_) return nullptr;
    judging_job* job = waiting_.front().release();
    waiting_.pop_front();
    return job;
}

/// False at the end of the input, and at an error.
bool evaluator::read_line() {
    const auto line = lines_.next();
    if (!line) {
        if (!stopped_) read_error_ = line.error();
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

/// All candidates of a line, or none.
status evaluator::add(std::vector<candidate> found) {
    const task* of = tasks_.find(found.front().task);
    if (of == nullptr) return data_error("there is no task \"" + found.front().task + '"');
    const auto place = [&](const candidate& c) { return std::to_string(c.sample) + ' ' + c.task; };
    for (const auto& c : found)
        if (seen_.contains(place(c)))
            return data_error("sample " + std::to_string(c.sample) + " of task \"" + c.task +
                              "\" was there before");
    for (auto& c : found) {
        seen_.insert(place(c));
        auto job = std::make_unique<judging_job>();
        job->of = of;
        job->what = std::move(c);
        if (log_) {
            const judge::keys keys = judging_.keys_of(job->what, *of);
            const verdict* known = log_->find(of->id, job->what.sample, keys.plain);
            if (known == nullptr) known = log_->find(of->id, job->what.sample, keys.limited);
            if (known != nullptr) {
                job->outcome.emplace(*known);
                job->from_log = true;
            }
        }
        waiting_.push_back(std::move(job));
    }
    return {};
}

void evaluator::work(judging_job& j) const {
    if (!j.outcome && !stopped_) j.outcome.emplace(judging_.decide(j.what, *j.of));
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
    if (!error_.is_ok()) stop();
    progress_.update(done_.verdicts.size(), consumed_, total_);
}

/// The reading stage may wait for whoever writes the other end.
void evaluator::stop() {
    stopped_ = true;
    const std::uint64_t one = 1;
    static_cast<void>(!::write(stop_event_.get(), &one, sizeof one));
}

result<evaluation> evaluator::run() {
    stop_event_ = unique_fd(::eventfd(0, EFD_CLOEXEC));
    if (!stop_event_) return io_error("eventfd", errno);
    lines_.set_interrupt(stop_event_.get());
    const int threads = options_.threads > 0 ? options_.threads : tbb::info::default_concurrency();
    // One more than the workers: reading may wait for input, and must not hold up one of them.
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads) + 1);
    tbb::task_arena arena(threads + 1);
    const auto source = [this](tbb::flow_control& control) -> judging_job* {
        judging_job* job = next();
        if (job == nullptr) control.stop();
        return job;
    };
    const auto working = [this](judging_job* j) {
        work(*j);
        return j;
    };
    const auto sink = [this](judging_job* j) {
        const std::unique_ptr<judging_job> owned(j);
        finish(*owned);
    };
    using tbb::filter_mode;
    arena.execute([&] {
        tbb::parallel_pipeline(
            static_cast<std::size_t>(threads),
            tbb::make_filter<void, judging_job*>(filter_mode::serial_in_order, source) &
                tbb::make_filter<judging_job*, judging_job*>(filter_mode::parallel, working) &
                tbb::make_filter<judging_job*, void>(filter_mode::serial_out_of_order, sink));
    });
    if (log_ && done_.judged > 0) CUSET_TRY(log_->sync());
    CUSET_TRY(error_);
    CUSET_TRY(read_error_);
    CUSET_TRY(lines_.finish());
    done_.records = lines_.records();
    done_.rejected = lines_.rejected();
    return std::move(done_);
}

}  // namespace

result<evaluation> evaluate(const evaluation_options& options, const judge& judging,
                            const task_set& tasks) {
    CUSET_ASSIGN(line_source lines,
                 line_source::open({.inputs = options.inputs,
                                    .skip_errors = options.skip_errors,
                                    .rejects = options.rejects,
                                    .shard_index = options.shard_index,
                                    .shard_count = options.shard_count,
                                    .longest_line = longest_line,
                                    .written = {{"--verdicts", identify(options.verdicts)}}}));
    std::optional<verdict_log> log_file;
    if (!options.verdicts.empty()) {
        CUSET_ASSIGN(verdict_log opened, verdict_log::open(options.verdicts));
        log_file.emplace(std::move(opened));
    }
    return evaluator(options, judging, tasks, std::move(lines), std::move(log_file)).run();
}

}  // namespace cuset

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

#include "cuset/base/log.h"
#include "cuset/judge/verdict_log.h"
#include "cuset/stream/line_reader.h"
#include "cuset/stream/output.h"
#include "cuset/stream/pair_record.h"
#include "cuset/stream/progress.h"

namespace cuset {

namespace {

/// Of rejected lines, so that a file of another kind does not fill the screen.
constexpr std::size_t most_reasons = 10;

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
              line_reader lines, std::optional<output> rejects, std::optional<verdict_log> log_file)
        : options_(options),
          judging_(judging),
          tasks_(tasks),
          lines_(std::move(lines)),
          rejects_(std::move(rejects)),
          log_(std::move(log_file)) {}

    result<evaluation> run();

private:
    judging_job* next();
    bool read_batch();
    void take(const line& l);
    status add(std::vector<candidate> found);
    void reject(const line& l, status reason);
    void work(judging_job& j) const;
    void finish(const judging_job& j);
    void stop();
    bool is_mine(std::uint64_t key) const {
        return key % options_.shard_count == options_.shard_index;
    }

    const evaluation_options& options_;
    const judge& judging_;
    const task_set& tasks_;
    line_reader lines_;
    std::optional<output> rejects_;
    std::optional<verdict_log> log_;

    // The reading stage's.
    candidate_reader reader_;
    line_batch batch_;
    std::deque<std::unique_ptr<judging_job>> waiting_;
    std::unordered_set<std::string> seen_;
    bool at_end_ = false;
    status read_error_;
    std::size_t reasons_told_ = 0;

    std::atomic<bool> stopped_ = false;
    unique_fd stop_event_;
    status error_;
    evaluation done_;
    progress_meter progress_{"candidates"};
};

judging_job* evaluator::next() {
    while (waiting_.empty() && !at_end_ && !stopped_) at_end_ = !read_batch();
    if (waiting_.empty() || stopped_) return nullptr;
    judging_job* job = waiting_.front().release();
    waiting_.pop_front();
    return job;
}

/// False at the end of the input, and at an error.
bool evaluator::read_batch() {
    auto more = lines_.next(batch_);
    if (!more) {
        if (!stopped_) read_error_ = std::move(more).error();
        return false;
    }
    if (!*more) return false;
    for (const line& l : batch_.lines) {
        take(l);
        if (!read_error_.is_ok()) return false;
    }
    return true;
}

void evaluator::take(const line& l) {
    auto found = reader_.read(l.text);
    if (!found) {
        if (is_mine(l.number)) reject(l, std::move(found).error());
        return;
    }
    if (!is_mine(fnv1a_64(found->front().task))) return;
    ++done_.records;
    if (status added = add(std::move(found).value()); !added) {
        --done_.records;
        reject(l, std::move(added));
    }
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
            const verdict* known =
                log_->find(of->id, job->what.sample, judging_.key(job->what, *of));
            if (known != nullptr) {
                job->outcome.emplace(*known);
                job->from_log = true;
            }
        }
        waiting_.push_back(std::move(job));
    }
    return {};
}

void evaluator::reject(const line& l, status reason) {
    ++done_.records;
    reason = std::move(reason).with_prefix(lines_.source(batch_.source).name() + ':' +
                                           std::to_string(l.number) + ": ");
    if (!options_.skip_errors) {
        read_error_ = std::move(reason);
        return;
    }
    ++done_.rejected;
    if (reasons_told_ < most_reasons)
        log(log_level::note, "rejected: " + reason.message() +
                                 (++reasons_told_ == most_reasons ? " (no more are told)" : ""));
    if (status written = rejects_->write(std::string(l.text) + '\n'); !written)
        read_error_ = std::move(written);
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
    progress_.update(done_.verdicts.size(), lines_.bytes_consumed(), lines_.bytes_total());
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
    if (rejects_) CUSET_TRY(rejects_->finish());
    return std::move(done_);
}

}  // namespace

result<evaluation> evaluate(const evaluation_options& options, const judge& judging,
                            const task_set& tasks) {
    std::vector<input> inputs;
    std::vector<std::string> paths = options.inputs;
    if (paths.empty()) paths.emplace_back("-");
    for (const auto& path : paths) {
        CUSET_ASSIGN(input file, input::open(path));
        if (!options.verdicts.empty() && file.identity().is_same_file(identify(options.verdicts)))
            return usage_error(path + ": input and --verdicts are the same file");
        inputs.push_back(std::move(file));
    }
    std::optional<output> rejects;
    if (!options.rejects.empty()) {
        if (options.rejects == "-") return usage_error("--rejects: standard output is no FILE");
        CUSET_ASSIGN(output opened,
                     output::open({.path = options.rejects, .form = output_form::text}));
        rejects.emplace(std::move(opened));
    }
    std::optional<verdict_log> log_file;
    if (!options.verdicts.empty()) {
        CUSET_ASSIGN(verdict_log opened, verdict_log::open(options.verdicts));
        log_file.emplace(std::move(opened));
    }
    // Small batches: a candidate is seconds of work, and what has come is to be begun.
    return evaluator(options, judging, tasks, line_reader(std::move(inputs), 16 * 1024),
                     std::move(rejects), std::move(log_file))
        .run();
}

}  // namespace cuset

#include "cuset/stream/record_filter.h"

#include <sys/eventfd.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <new>
#include <optional>

#include "cuset/base/log.h"
#include "cuset/stream/line_reader.h"
#include "cuset/stream/progress.h"

namespace cuset {
namespace {

/// The number of reasons that are shown, so that a file of another kind does not fill the screen.
constexpr std::size_t most_reasons = 10;

// One batch on its way through the stages.
struct job {
    line_batch batch;
    std::vector<std::string> lines;  // for the output
    std::string rejected_lines;
    std::vector<status> reject_reasons;  // the first few
    std::uint64_t records = 0, rejected = 0, units = 0;
    std::uint64_t bytes_consumed = 0;
    status error;  // of the first record that stops the stream; `lines` ends before it
};

// A worker with the reader and the records that it uses again and again.
struct worker_slot {
    worker_slot(std::unique_ptr<record_worker> w, const record_options& wanted)
        : worker(std::move(w)), reader(wanted) {}
    std::unique_ptr<record_worker> worker;
    record_reader reader;
    std::vector<pair_record> records;
    std::vector<record_outcome> outcomes;
    std::vector<status> read_errors;  // of each line
};

class stream {
public:
    stream(const stream_options& options, const record_options& wanted,
           const worker_factory& make_worker, std::unique_ptr<record_worker> first,
           line_reader reader, output out, std::optional<output> rejects)
        : options_(options),
          wanted_(wanted),
          make_worker_(make_worker),
          reader_(std::move(reader)),
          output_(std::move(out)),
          rejects_(std::move(rejects)),
          progress_(options.unit) {
        idle_.push_back(std::make_unique<worker_slot>(std::move(first), wanted));
    }

    result<stream_summary> run();

private:
    bool read(job& j);
    void work(job& j);
    void work_with(worker_slot& slot, job& j);
    void write(job& j);
    void stop();
    status write_batch(const job& j);
    bool is_mine(std::uint64_t key) const {
        return key % options_.shard_count == options_.shard_index;
    }
    void collect(const line& l, const status& error, job& j) const;

    const stream_options& options_;
    const record_options& wanted_;
    const worker_factory& make_worker_;
    line_reader reader_;
    output output_;
    std::optional<output> rejects_;

    std::mutex idle_mutex_;
    std::vector<std::unique_ptr<worker_slot>> idle_;
    std::atomic<bool> stopped_ = false;
    unique_fd stop_event_;  // wakes a reading stage that waits for input
    status read_error_;     // written by the reading stage, reported after what was read is written
    status error_;
    stream_summary summary_;
    std::size_t reasons_told_ = 0;
    progress_meter progress_;
    std::uint64_t units_ = 0;
};

bool stream::read(job& j) {
    if (stopped_) return false;
    auto more = reader_.next(j.batch);
    if (!more) {
        if (!stopped_) read_error_ = std::move(more).error();
        return false;
    }
    j.bytes_consumed = reader_.bytes_consumed();
    return more.value();
}

void stream::work(job& j) {
    std::unique_ptr<worker_slot> slot;
    {
        const std::lock_guard lock(idle_mutex_);
        if (!idle_.empty()) {
            slot = std::move(idle_.back());
            idle_.pop_back();
        }
    }
    if (!slot) {
        auto worker = make_worker_();
        if (!worker) {
            j.error = std::move(worker).error();
            return;
        }
        slot = std::make_unique<worker_slot>(std::move(worker).value(), wanted_);
    }
    work_with(*slot, j);
    const std::lock_guard lock(idle_mutex_);
    idle_.push_back(std::move(slot));
}

// Sorts an error into "goes to the rejects" or "stops the stream".
void stream::collect(const line& l, const status& error, job& j) const {
    status located = error;
    if (error.kind() == error_kind::data)
        located = std::move(located).with_prefix(reader_.source(j.batch.source).name() + ':' +
                                                 std::to_string(l.number) + ": ");
    if (error.kind() != error_kind::data || !options_.skip_errors) {
        j.error = std::move(located);
        return;
    }
    ++j.rejected;
    if (j.reject_reasons.size() < most_reasons) j.reject_reasons.push_back(std::move(located));
    j.rejected_lines += l.text;
    j.rejected_lines += '\n';
}

void stream::work_with(worker_slot& slot, job& j) {
    const auto& lines = j.batch.lines;
    slot.records.resize(std::max(slot.records.size(), lines.size()));
    slot.read_errors.assign(lines.size(), {});
    std::size_t used = 0;  // records of this shard that could be read, in the order of the lines
    for (std::size_t i = 0; i < lines.size(); ++i) {
        pair_record& record = slot.records[used];
        record.source = j.batch.source;
        status error = slot.reader.read(lines[i], record);
        if (!error.is_ok()) {
            slot.read_errors[i] = std::move(error);
            // What comes after a record that stops the stream is never written.
            if (!options_.skip_errors && is_mine(lines[i].number)) break;
        } else if (is_mine(fnv1a_64(record.id))) {
            ++used;
        }
    }
    slot.outcomes.assign(used, {});
    if (used > 0) slot.worker->process({slot.records.data(), used}, slot.outcomes);

    std::size_t next = 0;
    for (std::size_t i = 0; i < lines.size() && j.error.is_ok(); ++i) {
        if (next < used && slot.records[next].line.data() == lines[i].text.data()) {
            ++j.records;
            record_outcome& outcome = slot.outcomes[next++];
            if (outcome.error.is_ok()) {
                j.lines.push_back(std::move(outcome.lines));
                j.units += outcome.units;
            } else {
                collect(lines[i], outcome.error, j);
            }
        } else if (!slot.read_errors[i].is_ok() && is_mine(lines[i].number)) {
            ++j.records;
            collect(lines[i], slot.read_errors[i], j);
        }
    }
}

status stream::write_batch(const job& j) {
    for (const std::string& lines : j.lines) CUSET_TRY(output_.write(lines));
    if (rejects_) CUSET_TRY(rejects_->write(j.rejected_lines));
    if (j.batch.input_paused || options_.flush_batches) {
        CUSET_TRY(output_.flush());
        if (rejects_) CUSET_TRY(rejects_->flush());
    }
    return {};
}

// No more batches. The reading stage may wait for a writer who takes his time: a bad record of
// `tail -f` is told now, not with the next line.
void stream::stop() {
    stopped_ = true;
    const std::uint64_t one = 1;
    static_cast<void>(!::write(stop_event_.get(), &one, sizeof one));
}

void stream::write(job& j) {
    if (!error_.is_ok()) return;
    for (const status& reason : j.reject_reasons) {
        if (reasons_told_ == most_reasons) break;
        log(log_level::note, "rejected: " + reason.message() +
                                 (++reasons_told_ == most_reasons ? " (no more are told)" : ""));
    }
    error_ = write_batch(j);
    summary_.records += j.records;
    summary_.rejected += j.rejected;
    if (error_.is_ok()) error_ = std::move(j.error);
    if (!error_.is_ok()) stop();
    units_ += j.units;
    progress_.update(units_, j.bytes_consumed, reader_.bytes_total());
}

result<stream_summary> stream::run() {
    stop_event_ = unique_fd(::eventfd(0, EFD_CLOEXEC));
    if (!stop_event_) return io_error("eventfd", errno);
    reader_.set_interrupt(stop_event_.get());
    const int threads = options_.threads > 0 ? options_.threads : tbb::info::default_concurrency();
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
    // The arena that TBB makes by itself is never larger than the machine.
    tbb::task_arena arena(threads);
    using job_pointer = std::unique_ptr<job>;
    // TBB's stages want copyable items, hence the raw pointers between them.
    const auto source = [this](tbb::flow_control& control) -> job* {
        auto next = std::make_unique<job>();
        if (read(*next)) return next.release();
        control.stop();
        return nullptr;
    };
    const auto work_stage = [this](job* j) {
        if (!stopped_) work(*j);
        return j;
    };
    const auto sink = [this](job* j) {
        const job_pointer owned(j);
        write(*owned);
    };
    try {
        // Twice the threads: one batch in work and one waiting for its turn to be written.
        arena.execute([&] {
            tbb::parallel_pipeline(
                static_cast<std::size_t>(threads == 1 ? 1 : 2 * threads),
                tbb::make_filter<void, job*>(tbb::filter_mode::serial_in_order, source) &
                    tbb::make_filter<job*, job*>(tbb::filter_mode::parallel, work_stage) &
                    tbb::make_filter<job*, void>(tbb::filter_mode::serial_in_order, sink));
        });
    } catch (const std::bad_alloc&) {
        return io_error("records", ENOMEM);
    }
    if (!error_.is_ok() || !read_error_.is_ok()) {
        // What came before the error is written, at any number of threads; the frame stays open.
        static_cast<void>(output_.flush());
        return error_.is_ok() ? read_error_ : error_;
    }
    if (rejects_) CUSET_TRY(rejects_->finish());
    CUSET_TRY(output_.finish());
    return summary_;
}

}  // namespace

result<stream_summary> filter_records(const stream_options& options, const record_options& wanted,
                                      const worker_factory& make_worker) {
    // The output comes first: where an input is missing, it ends as an open frame, and the next
    // tool in the pipe does not take our silence for an empty stream.
    CUSET_ASSIGN(output out, output::open(options.output));
    CUSET_TRY(check(wanted));
    std::vector<input> inputs;
    std::vector<std::string> paths = options.inputs;
    if (paths.empty()) paths.emplace_back("-");
    for (const std::string& path : paths) {
        CUSET_ASSIGN(input in, input::open(path));
        inputs.push_back(std::move(in));
    }
    std::optional<output> rejects;
    if (!options.rejects.empty()) {
        if (options.rejects == "-") return usage_error("--rejects: standard output is no FILE");
        CUSET_ASSIGN(output opened,
                     output::open({.path = options.rejects,
                                   .form = output_form::text,
                                   .compression_level = options.output.compression_level}));
        if (opened.is_same_destination(out)) {
            out.abandon();
            return usage_error("--rejects and the output are the same file");
        }
        rejects.emplace(std::move(opened));
    }
    for (const input& in : inputs) {
        if (in.identity().is_same_file(out.identity())) {
            out.abandon();
            return usage_error(in.name() + ": input and output are the same file");
        }
        if (rejects && in.identity().is_same_file(rejects->identity()))
            return usage_error(in.name() + ": input and --rejects are the same file");
    }
    CUSET_ASSIGN(auto worker, make_worker());
    const std::size_t asked = worker->batch_bytes();
    line_reader lines(std::move(inputs), asked > 0 ? asked : options.batch_bytes);
    return stream(options, wanted, make_worker, std::move(worker), std::move(lines), std::move(out),
                  std::move(rejects))
        .run();
}

}  // namespace cuset

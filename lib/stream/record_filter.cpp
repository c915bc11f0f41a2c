#include "cuset/stream/record_filter.h"

#include <mutex>
#include <optional>

#include "cuset/base/log.h"
#include "cuset/stream/line_reader.h"
#include "cuset/stream/parallel_stages.h"
#include "cuset/stream/progress.h"
#include "opened_stream.h"

namespace cuset {
namespace {

// One batch in the stages.
struct job {
    line_batch batch;
    std::vector<std::string> lines;  // for the output
    std::string rejected_lines;
    std::vector<status> reject_reasons;  // the first few
    std::uint64_t records = 0, rejected = 0, units = 0;
    std::uint64_t bytes_consumed = 0;
    status error;  // the first record's that stops the stream; `lines` ends before it
};

// A worker with its reader and records, whose memory is reused.
struct worker_slot {
    worker_slot(std::unique_ptr<record_worker> w, const record_options& wanted)
        : worker(std::move(w)), reader(wanted) {}
    std::unique_ptr<record_worker> worker;
    record_reader reader;
    std::vector<pair_record> records;
    std::vector<record_outcome> outcomes;
    std::vector<status> read_errors;  // for each line
};

class stream {
public:
    stream(const stream_options& options, const record_options& wanted,
           const worker_factory& make_worker, std::unique_ptr<record_worker> first,
           line_reader reader, std::optional<output> out, reject_file rejects)
        : options_(options),
          wanted_(wanted),
          make_worker_(make_worker),
          reader_(std::move(reader)),
          output_(std::move(out)),
          rejects_(std::move(rejects)),
          stages_(options.threads, stage_order::as_read),
          progress_(options.unit) {
        idle_.push_back(std::make_unique<worker_slot>(std::move(first), wanted));
    }

    result<stream_summary> run();

private:
    std::unique_ptr<job> read();
    void work(job& j);
    void work_with(worker_slot& slot, job& j);
    void write(job& j);
    status write_batch(const job& j);
    bool is_mine(std::uint64_t key) const {
        return key % options_.shard_count == options_.shard_index;
    }
    void collect(const line& l, const status& error, job& j) const;

    const stream_options& options_;
    const record_options& wanted_;
    const worker_factory& make_worker_;
    line_reader reader_;
    std::optional<output> output_;
    reject_file rejects_;
    parallel_stages stages_;

    std::mutex idle_mutex_;
    std::vector<std::unique_ptr<worker_slot>> idle_;
    status read_error_;       // by the reading stage; reported after all lines before it
    bool has_lines_ = false;  // by the reading stage
    status error_;
    stream_summary summary_;
    progress_meter progress_;
    std::uint64_t units_ = 0;
};

std::unique_ptr<job> stream::read() {
    if (stages_.is_stopped()) return nullptr;
    auto j = std::make_unique<job>();
    auto more = reader_.next(j->batch);
    if (!more && !stages_.is_stopped()) read_error_ = std::move(more).error();
    if (!more || !more.value()) return nullptr;
    j->bytes_consumed = reader_.bytes_consumed();
    has_lines_ |= !j->batch.lines.empty();
    return j;
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

// Decides whether an error sends the line to the rejects or stops the stream.
void stream::collect(const line& l, const status& error, job& j) const {
    status located = error;
    if (error.kind() == error_kind::data)
        located = std::move(located).with_prefix(place_of(reader_.source(j.batch.source), l));
    if (error.kind() != error_kind::data || !options_.skip_errors) {
        j.error = std::move(located);
        return;
    }
    ++j.rejected;
    if (j.reject_reasons.size() < reject_file::most_reasons)
        j.reject_reasons.push_back(std::move(located));
    j.rejected_lines += l.text;
    j.rejected_lines += '\n';
}

void stream::work_with(worker_slot& slot, job& j) {
    const auto& lines = j.batch.lines;
    slot.records.resize(std::max(slot.records.size(), lines.size()));
    slot.read_errors.assign(lines.size(), {});
    std::size_t used = 0;  // readable records of this shard, in the order of the lines
    for (std::size_t i = 0; i < lines.size(); ++i) {
        pair_record& record = slot.records[used];
        record.source = j.batch.source;
        status error = slot.reader.read(lines[i], record);
        if (!error.is_ok()) {
            slot.read_errors[i] = std::move(error);
            // Nothing after a record that stops the stream is ever written.
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
    if (output_)
        for (const std::string& lines : j.lines) CUSET_TRY(output_->write(lines));
    CUSET_TRY(rejects_.write(j.rejected_lines));
    if (j.batch.input_paused || options_.flush_batches) {
        if (output_) CUSET_TRY(output_->flush());
        CUSET_TRY(rejects_.flush());
    }
    return {};
}

void stream::write(job& j) {
    if (!error_.is_ok()) return;
    for (const status& reason : j.reject_reasons) rejects_.tell(reason);
    error_ = write_batch(j);
    summary_.records += j.records;
    summary_.rejected += j.rejected;
    if (error_.is_ok()) error_ = std::move(j.error);
    // Wakes a reader that waits for a slow writer: a bad record of `tail -f` is reported now.
    if (!error_.is_ok()) stages_.stop();
    units_ += j.units;
    progress_.update(units_, j.bytes_consumed, reader_.bytes_total());
}

result<stream_summary> stream::run() {
    if (output_ && !options_.heading.empty()) CUSET_TRY(output_->write(options_.heading));
    reader_.set_interrupt(stages_.stop_event());
    CUSET_TRY(stages_.run<job>([this] { return read(); }, [this](job& j) { work(j); },
                               [this](job& j) { write(j); }));
    if (!error_.is_ok() || !read_error_.is_ok()) {
        // Lines before the error are written, with any number of threads; the frame stays open.
        if (output_) static_cast<void>(output_->flush());
        return error_.is_ok() ? read_error_ : error_;
    }
    CUSET_TRY(rejects_.finish());
    if (output_) CUSET_TRY(output_->finish());
    if (!has_lines_ && reader_.bytes_consumed() == 0) tell_empty_input();
    return summary_;
}

}  // namespace

result<stream_summary> filter_records(const stream_options& options, const record_options& wanted,
                                      const worker_factory& make_worker) {
    // The output is opened first: if an input is missing, the output ends as an open frame, and the
    // next tool in the pipe does not take it for an empty stream.
    std::optional<output> out;
    if (options.output) {
        CUSET_ASSIGN(out, output::open(*options.output));
    }
    CUSET_TRY(check(wanted));
    CUSET_ASSIGN(opened_stream opened, opened_stream::open(options, out ? &*out : nullptr));
    CUSET_ASSIGN(auto worker, make_worker());
    const std::size_t asked = worker->batch_bytes();
    line_reader lines(std::move(opened.inputs), asked > 0 ? asked : options.batch_bytes,
                      options.longest_line);
    return stream(options, wanted, make_worker, std::move(worker), std::move(lines), std::move(out),
                  std::move(opened.rejects))
        .run();
}

}  // namespace cuset

// The loop that every record tool runs: lines in, work on records, lines out, in order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "cuset/base/status.h"
#include "cuset/stream/pair_record.h"
#include "cuset/stream/stream_options.h"

namespace cuset {

class record_worker;
using made_worker = result<std::unique_ptr<record_worker>>;
/// Makes a worker. The first one is made when all streams are open and nothing is read yet, so that
/// an error (a model that does not load) ends the output as an open frame.
using worker_factory = std::function<made_worker()>;

/// What became of one record: lines to write (each with its newline), or an error. A data error
/// concerns the record alone; any other kind ends the stream.
struct record_outcome {
    std::string lines;
    status error;
    std::uint64_t units = 1;  ///< what the record adds to the progress
};

/// Works on the records of one batch. One worker is used by one thread at a time.
class record_worker {
public:
    virtual ~record_worker() = default;
    /// How many bytes of lines a process() call should see; 0: as stream_options says.
    virtual std::size_t batch_bytes() const { return 0; }
    /// outcomes[i] (empty at first) belongs to records[i]. A worker may take what it needs out of
    /// a record, but for its `line` and the places of the tool's own key.
    virtual void process(std::span<pair_record> records, std::span<record_outcome> outcomes) = 0;
};

struct stream_summary {
    std::uint64_t records = 0;   ///< of this shard, written or not
    std::uint64_t rejected = 0;  ///< written to the rejects file
};

/// Reads all inputs, lets workers work on the records of this shard, and writes what they make, in
/// the order of the input at any number of threads. Memory is bounded by the batches in flight.
/// A bad record is an error "FILE:LINE: …", or, with skip_errors, goes as it came to the rejects.
/// A line too broken to have an id belongs to the shard of its line number.
/// On an error the output's frame stays open and a file named as output stays as it was.
result<stream_summary> filter_records(const stream_options& options, const record_options& wanted,
                                      const worker_factory& make_worker);

}  // namespace cuset

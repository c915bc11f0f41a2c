// The loop of every record tool: reads lines, works on records, writes lines in order.
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
/// Makes a worker. The first is made when all streams are open and nothing is read yet, so that an
/// error (a model that does not load) leaves the output's frame open.
using worker_factory = std::function<made_worker()>;

/// The result of one record: lines to write (each with its newline), or an error. A data error
/// concerns only the record; any other kind ends the stream.
struct record_outcome {
    std::string lines;
    status error;
    std::uint64_t units = 1;  ///< what the record adds to the progress
};

/// Works on the records of one batch. One worker is used by one thread at a time.
class record_worker {
public:
    virtual ~record_worker() = default;
    /// The bytes of lines that a process() call should get; 0: as in stream_options.
    virtual std::size_t batch_bytes() const { return 0; }
    /// outcomes[i] (empty at first) belongs to records[i]. A worker may move parts out of a record,
    /// but not its `line` and the places of the tool's own key.
    virtual void process(std::span<pair_record> records, std::span<record_outcome> outcomes) = 0;
};

struct stream_summary {
    std::uint64_t records = 0;   ///< of this shard, written or not
    std::uint64_t rejected = 0;  ///< written to the rejects file
};

/// Reads all inputs, lets workers process the records of this shard, and writes their lines in the
/// order of the input, with any number of threads. The batches in flight bound the memory. A bad
/// record is an error "FILE:LINE: …" or, with skip_errors, goes unchanged to the rejects. A line
/// without a readable id belongs to the shard of its line number. After an error the output's frame
/// stays open, and a file named as output stays as it was.
result<stream_summary> filter_records(const stream_options& options, const record_options& wanted,
                                      const worker_factory& make_worker);

}  // namespace cuset

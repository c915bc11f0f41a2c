// Decoding by processes that share a base: each appends the same tokens to the same sequences,
// since gathering the layers takes longer than some rows more. Private to lib/model.
#pragma once

#include <memory>

#include "decoding_pass.h"
#include "work_broadcast.h"

namespace cuset {

/// Process 0's pass; what it is asked for, the others do too.
class shared_decoding final : public decoding_pass {
public:
    /// `exchange` must outlive it. `own` gathers through it already.
    shared_decoding(std::unique_ptr<decoding_pass> own, layer_exchange& exchange, base_part part,
                    std::int64_t vocab)
        : own_(std::move(own)), others_(exchange, part), vocab_(vocab) {}

    void append(std::span<const decoding_step> steps, std::span<float> logits) override;
    // The operators' pass needs neither.
    void clear(std::size_t) override {}
    void truncate(std::size_t, std::int64_t) override {}
    void copy(std::size_t from, std::size_t to, std::int64_t length) override;

    /// Of the others: does what process 0 does until its object is destroyed. Throws what a pass
    /// throws, and failed_exchange.
    void serve();

private:
    std::unique_ptr<decoding_pass> own_;
    work_broadcast others_;
    std::int64_t vocab_;
};

}  // namespace cuset

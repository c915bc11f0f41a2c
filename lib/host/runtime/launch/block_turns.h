// Blocks in turns, where they may wait for each other in loops of their own.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "block_runner.h"

namespace cuset_host {

/// Blocks that have yielded wait for others, which may be on another core, or for the host. Where
/// nothing has ended for seconds, the host has to go on.
class fruitless_turns {
public:
    explicit fruitless_turns(const grid& g) : resets_before_(g.resets_before) {}
    void count(bool any_ended);

private:
    unsigned resets_before_;
    std::uint64_t turns_ = 0;
    std::chrono::steady_clock::time_point since_;
};

/// The blocks of a launch that one OS thread runs.
class block_turns {
public:
    /// `first` runs those that do not wait. Both outlive the object.
    block_turns(block_runner& first, const grid& g);
    /// Runs a block to its end, or until it waits; and after some blocks each that waits once more.
    /// Of as many as a device holds, one ends first.
    void run(std::uint64_t block);
    /// Runs those that wait to their ends.
    void finish();

private:
    std::uint64_t most_waiting();
    std::size_t stack_bytes_of_next();
    void go_on();

    const grid& g_;
    fruitless_turns turns_;
    std::uint64_t most_waiting_ = 0;  // not asked yet
    std::uint64_t begun_ = 0;         // blocks, since those that wait had their turn
    std::vector<std::unique_ptr<block_runner>> more_;
    std::vector<block_runner*> idle_, waiting_;
};

}  // namespace cuset_host

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
    /// So many blocks have had a turn each, and whether one of them has ended.
    void count(bool any_ended, std::size_t blocks);

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
    /// Runs a block to its end, or until it waits, and each that waits once more. Where as many
    /// wait as may, one ends first.
    void run(std::uint64_t block);
    /// Runs those that wait to their ends.
    void finish();

private:
    void make_room();
    std::uint64_t held_by_device();
    void go_on();

    const grid& g_;
    fruitless_turns turns_;
    std::uint64_t usual_waiting_, most_waiting_;  // blocks that may wait, at first and now
    std::uint64_t held_ = 0;                      // 0: not asked yet
    std::vector<std::unique_ptr<block_runner>> more_;
    std::vector<block_runner*> idle_, waiting_;
};

}  // namespace cuset_host

// Plain accesses that nothing orders, of which one is a read. They may be meant so: a flag that
// threads set and look at, a value that is written again as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "access_history.h"

namespace cuset_host::races {

/// The running thread is about to make the access at `place`, which nothing orders with the one
/// `before`. The first of each two places is looked at when the launch ends; what is surely wrong
/// is told at once. `is_same`: the write leaves the value as it was. In an array of device memory
/// this may be meant, as of a boundary, or by chance.
[[gnu::cold]] void suspect(std::uintptr_t address, std::size_t bytes, const access_mark& before,
                           bool before_wrote, std::uint32_t place, bool is_same = false);
/// A plain write of those bytes has come to its end, and changed memory or not.
void look_at_suspicions(std::uintptr_t address, std::size_t bytes, bool changed);
/// Two threads have written the same value with nothing between them, which is mostly meant so, and
/// `text` says which. The first of a run is noted when its launch ends.
bool has_same_write();
[[gnu::cold]] void keep_same_write(std::string text);
/// The launch ends: tells what is no flag, and notes, once a run, what is taken for one.
void judge_suspicions();
/// A launch begins.
void forget_suspicions();

}  // namespace cuset_host::races

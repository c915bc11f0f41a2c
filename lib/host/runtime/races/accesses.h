// An access of a kernel's own code, as the search for races sees it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "access_history.h"
#include "happens_before.h"

namespace cuset_host::races {

struct access {
    std::uintptr_t address;
    std::size_t bytes;
    bool writes;
    bool is_strong;            ///< atomic or volatile; one that writes may read too
    const void* pc;            ///< behind the call that tells of it; null where the line is known
    int line = 0;              ///< 0: not known
    bool is_of_block = false;  ///< an atomic of the block's scope
};

/// An access to the shared memory of a block of the cluster, which may not have begun or have
/// ended.
void look_at_visit(const access& a);
/// Tells such an access as a race.
[[gnu::cold]] void tell_visit(const visit& v, const block_clock& host, const char* fault);
/// Called before the access. Ends the program if it races.
void look(const access& a);
void look_at_fence(fence_scope scope);
/// The same for an access of the host's to memory that it shares with the device. The device's own
/// is closed to it.
void look_at_host(const access& a);
/// Whether this thread of the host does work of a stream, which has begun as a task.
extern __constinit thread_local bool is_in_stream_work;

/// The block whose threads this OS thread runs; null: it runs the host's code.
extern __constinit thread_local block_clock* current;

enum region_name : std::size_t { variables, device, shared_with_host };
/// By region_name; null until memory is watched.
extern history_region* regions[3];

/// Where a program is not checked, a read of shared memory that races with a write is no failure:
/// many a program in use has such reads, between a loop's end and its next turn.
extern bool looks_at_shared_reads;

/// The last plain access of this thread's kernel, but to pages that are left out: it may fault.
struct plain_access {
    std::uintptr_t address;
    const void* pc;
};
extern __constinit thread_local plain_access last_access;

/// Whether nothing is to be known of a plain access. Most are such: of locals, of pages that are
/// left out, and reads of shared memory.
inline bool is_passed_over(std::uintptr_t address, bool writes, const void* pc) {
    const block_clock* const block = current;
    if (block == nullptr)
        return regions[shared_with_host] == nullptr || !regions[shared_with_host]->holds(address);
    // A plain store behind a fence may be what others learn from, and so is looked at everywhere.
    const auto is_left_out = [&](const history_region& region) {
        return !region.is_looked_at(address) && !(writes && block->has_fenced());
    };
    if (regions[device]->holds(address)) return is_left_out(*regions[device]);
    if (block->is_shared(address)) return !writes && !looks_at_shared_reads;
    if (regions[shared_with_host]->holds(address)) return is_left_out(*regions[shared_with_host]);
    if (regions[variables]->holds(address)) return false;
    if (block->is_in_cluster() && current->holder_of(address) != nullptr) return false;
    last_access = {address, pc};
    return true;
}

}  // namespace cuset_host::races

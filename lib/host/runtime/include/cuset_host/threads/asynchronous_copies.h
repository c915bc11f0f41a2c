// Copies from global to shared memory that a device makes meanwhile: cp.async, and what is made of
// it; and those that an mbarrier counts. A device may make one at any time until its thread waits
// for it. Here it takes the value at once and stores it at the wait, the latest of these times,
// since a program that forgets to wait, or waits for too few, reads the old bytes on a device too:
// the copy takes longer than a barrier.
#pragma once

#include <cuset_host/alignment.h>

#include <cstddef>
#include <cstring>

namespace cuset_host {

/// What is stored at once is at most this long.
inline constexpr std::size_t longest_piece = 16;

struct copied_piece {
    void* to;
    std::size_t bytes;
    alignas(longest_piece) unsigned char value[longest_piece];
};

/// The running thread begins to copy; the piece is of the group that it commits next.
void begin_copy(const copied_piece& piece);
/// What it has begun since the last group is a group from here on.
void commit_copies();
/// The oldest piece that is neither in the last `left` groups nor, without `all`, in none yet;
/// false if there is none. It is the caller's to store it.
bool take_copy(copied_piece* piece, std::size_t left, bool all);
/// Whether a device copies so: to the block's shared memory, from elsewhere.
bool copies_asynchronously(const void* to, const void* from);

// In the program's own code, so that --check and the search for races see the accesses and their
// lines.
[[gnu::always_inline]] inline void wait_for_copies(std::size_t left, bool all = false) {
    copied_piece piece;
    while (take_copy(&piece, left, all)) ::memcpy(piece.to, piece.value, piece.bytes);
}
[[gnu::always_inline]] inline void wait_for_all_copies() { wait_for_copies(0, true); }

/// `bytes`: 4, 8 or 16; behind the first `taken` come zeros.
[[gnu::always_inline]] inline void copy_piece(void* to, const void* from, std::size_t taken,
                                              std::size_t bytes) {
    copied_piece piece{to, bytes, {}};
    ::memcpy(piece.value, from, taken);
    begin_copy(piece);
}

/// A copy of any length, which devices make at once where they have no instruction for it.
[[gnu::always_inline]] inline void copy_asynchronously(void* to, const void* from,
                                                       std::size_t bytes) {
    const auto places = reinterpret_cast<std::size_t>(to) | reinterpret_cast<std::size_t>(from);
    if ((places | bytes) % 4 != 0 || !copies_asynchronously(to, from)) {
        ::memcpy(to, from, bytes);
        return;
    }
    const std::size_t step = places % 16 == 0 ? 16 : places % 8 == 0 ? 8 : 4;
    for (std::size_t at = 0; at < bytes; at += step) {
        const std::size_t piece = bytes - at < step ? bytes - at : step;
        copy_piece(static_cast<char*>(to) + at, static_cast<const char*>(from) + at, piece, piece);
    }
}

/// A copy that an mbarrier counts takes until somebody has to wait for the barrier: who waits for
/// another phase, or not at all, reads the old bytes. So may only be one to the block's own shared
/// memory. To be called before it: what is there now; null where it is made at once.
unsigned char* bytes_before_copy(const void* to, std::size_t bytes);
/// It has been made: what was there before comes back, until it lands.
void defer_copy(const unsigned char* barrier, void* to, std::size_t bytes, unsigned char* before);
/// Somebody waits for the barrier: its copies are in place. Returns their bytes.
std::size_t land_copies(const unsigned char* barrier);
/// The barrier begins anew.
void forget_copies(const unsigned char* barrier);

}  // namespace cuset_host

// The last accesses to a block's shared memory, of each four bytes or, where parts of them have
// been touched, of each byte, and whether a barrier is between them. For --check.
//
// If two threads touch a byte and one of them changes it, they must have met in between: at a
// barrier of the block or, in one warp, at a warp operation. A write that changes nothing is none
// with another write, for many threads may set the same flag; in an array it is one with a read of
// a value that was there before, since that is the same by the program's data alone. Atomic
// operations are none with each other, and order more where the first thread has a fence before its
// own: what it did before the fence has been done for the thread whose operation comes later at the
// same address. (A fence of that thread is not asked for.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "byte_states.h"

namespace cuset_host::checks {

class shared_watch {
public:
    void begin_block(unsigned char* base, unsigned char* dynamic, std::size_t dynamic_bytes);
    /// All of it has values from here on, wherever they come from.
    void take_for_set();
    bool holds(std::uintptr_t address) const { return address - base_ < bytes_; }
    /// Called before the access. Ends the program if the access is out of bounds.
    void look(std::uintptr_t address, std::size_t bytes, bool writes, const void* pc);
    /// Of a copy, whose writes have been looked at.
    void set_states(std::uintptr_t address, std::size_t bytes, byte_state state);
    /// The line is known, or the place in the code. `writes`: it may. The compiler reports the
    /// operation of a library once more, as an access like others, which look() then passes over.
    void look_atomic(std::uintptr_t address, std::size_t bytes, bool writes, int line,
                     const void* pc);
    void note_fence();
    /// The change by a write is found after it, before anything else happens.
    void settle() {
        for (unsigned i = 0; i < recent_count_; ++i)
            if (!recent_[i].is_read_of_same_word()) settle(recent_[i]);
    }
    /// The running thread waits or ends.
    void leave_thread() {
        settle();
        recent_count_ = 0;
        atomic_address_ = 0;
    }
    /// Called at a barrier, and at the block's end. Tells if a thread has read a value that nobody
    /// has written, before it or since.
    void block_met();
    void warp_met(unsigned warp) { ++warp_turn_[warp]; }
    /// Lanes met at an operation that orders their memory, such as __syncwarp().
    void lanes_ordered(unsigned warp);

private:
    static constexpr std::size_t word = 4;
    struct touch {
        std::uint32_t turn = 0, warp_turn = 0, ordered_turn = 0;
        std::uint16_t thread = 0;
        bool atomic = false;
        // Of the thread, before it, and its warp's ordered turn at the last.
        std::uint32_t fences = 0, fenced_turn = 0;
        int line = 0;  // where it is known
        const void* pc = nullptr;
    };
    struct history {
        touch write, first_read, last_read;
        touch rewrite;               // the last write that left the value as it was
        std::uint32_t split_in = 0;  // the turn since when its bytes have their own
    };

    /// An access of the running thread. The compiler does not report a write to memory that the
    /// same statements have read or written before: so each access is watched for a while.
    struct recent_access {
        std::uintptr_t address = 0;
        std::size_t bytes = 0;
        bool wrote = false;  // its bytes hold a value after it, whether changed or not
        touch by;
        unsigned char before[16] = {};
        std::vector<unsigned char> before_of_more{};
        /// Most are, and are to be told quickly: each access asks for all of them.
        bool is_read_of_same_word() const {
            return !wrote && bytes == word &&
                   __builtin_memcmp(before, reinterpret_cast<const void*>(address), word) == 0;
        }
        unsigned char* values() { return bytes <= sizeof before ? before : before_of_more.data(); }
    };

    history& whole(std::uintptr_t address) { return histories_[(address - base_) / word]; }
    bool is_split(const history& h) const { return h.split_in >= first_turn_; }
    /// That of a byte, or of the four bytes around it.
    history& history_at(std::uintptr_t address) {
        history& h = whole(address);
        return is_split(h) ? parts_[address - base_] : h;
    }
    /// Calls see(history, address, bytes) for each history of [address, address + bytes).
    template <class See>
    void each(std::uintptr_t address, std::size_t bytes, const See& see) {
        const std::uintptr_t end = address + bytes;
        while (address < end) {
            history& h = whole(address);
            if (!is_split(h)) {
                if ((address - base_) % word == 0 && end - address >= word) {
                    see(h, address, word);
                    address += word;
                    continue;
                }
                history* const parts = &parts_[(address - base_) / word * word];
                for (std::size_t i = 0; i < word; ++i) parts[i] = h;
                h.split_in = turn_;
            }
            see(parts_[address - base_], address, std::size_t{1});
            ++address;
        }
    }

    static std::uintptr_t place_of(const touch& t);
    touch now(const void* pc, bool atomic) const;
    void remember(std::uintptr_t address, std::size_t bytes, bool writes, const touch& by);
    void settle(recent_access& a);
    void wrote(history& h, const touch& by, std::uintptr_t address);
    /// A write has left the value as it was.
    void wrote_again(history& h, const touch& by, std::uintptr_t address);
    /// Whether this was so of another word too, at the same places of the program. One scalar may
    /// be written again as it is for good reason.
    bool is_same_in_array(const touch& before, const touch& later, std::uintptr_t address);
    void look_at_read(history& h, const touch& by, std::uintptr_t address);
    bool met_since(const touch& before, const touch& now) const {
        return before.turn != now.turn || before.thread == now.thread ||
               are_ordered_in_turn(before, now);
    }
    bool are_ordered_in_turn(const touch& before, const touch& now) const;
    void learn_from(const touch& atomic_write, unsigned thread);
    void check_bounds(std::uintptr_t address, std::size_t bytes, bool writes, const void* pc,
                      int line = 0);
    void tell_awaited(std::uintptr_t address, std::size_t bytes, int line);
    void tell_hazard(const touch& before, bool before_wrote, const touch& later, bool writes,
                     std::uintptr_t address);
    std::string words_of(byte_state state, std::uintptr_t at, std::size_t bytes, bool writes,
                         int line) const;

    std::uintptr_t base_ = 0, dynamic_ = 0;
    std::size_t bytes_ = 0, dynamic_bytes_ = 0;
    std::vector<byte_state> states_, fresh_;
    std::vector<history> histories_, parts_;
    std::uint32_t turn_ = 1;        // never the same again, so that nothing is to be cleared
    std::uint32_t first_turn_ = 1;  // of the block
    std::uint32_t warp_turn_[32] = {}, ordered_turn_[32] = {};
    std::uint32_t fences_[1024] = {}, fenced_turn_[1024] = {};  // of each thread
    // What has been done for each thread: by each other before so many of its fences, and by each
    // warp before that ordered turn. Empty until a thread of the block has a fence.
    std::vector<std::uint32_t> known_, known_warps_;
    bool has_learned_[32] = {};          // a lane of the warp, since its lanes were ordered
    std::uintptr_t atomic_address_ = 0;  // of an operation that the compiler reports too

    static constexpr unsigned most_recent = 16;
    recent_access recent_[most_recent];
    unsigned recent_count_ = 0, recent_next_ = 0;
    std::string unset_read_;  // the first since the last barrier
    struct same_value {
        std::uintptr_t earlier, later;  // places of the program
        std::uintptr_t address;
    };
    std::vector<same_value> same_values_;  // of the block
};

}  // namespace cuset_host::checks

// The last accesses to each byte of device memory, for the search for races.
#pragma once

#include <cstddef>
#include <cstdint>

#include "happens_before.h"

namespace cuset_host::races {

/// An access: whose, and from where in the program.
struct access_mark {
    segment_number segment = 0;  ///< 0: none
    std::uint32_t place = 0;     ///< see race_words.h
};

/// What is known of four bytes of memory or, where parts of them have been touched, of one.
struct access_history {
    access_mark write, read, later_read;  // plain ones; of the reads the first and the last
    access_mark strong;                   // the last atomic or volatile one
};

/// The histories of a range of addresses. Memory for them is taken as they are used: eight times
/// that of the bytes that kernels touch.
class history_region {
public:
    /// Holds no address if the system has no room.
    history_region(std::uintptr_t base, std::size_t bytes);
    ~history_region();
    history_region(const history_region&) = delete;
    history_region& operator=(const history_region&) = delete;

    std::uintptr_t base() const { return base_; }
    std::size_t bytes() const { return bytes_; }
    bool holds(std::uintptr_t address) const { return address - base_ < bytes_; }
    /// Calls look(history, address) for each history of [address, address + bytes), which are its.
    template <class Look>
    void each(std::uintptr_t address, std::size_t bytes, const Look& look) {
        const std::uintptr_t end = address + bytes;
        while (address < end) {
            access_history& whole = words_[(address - base_) / word];
            if (address % word == 0 && end - address >= word && !is_split(whole)) {
                look(whole, address);
                address += word;
                continue;
            }
            access_history* const parts = parts_ + (address - base_) / word * word;
            if (!is_split(whole)) {
                for (std::size_t i = 0; i < word; ++i) parts[i] = whole;
                whole.write.place = split;
            }
            look(parts[address % word], address);
            ++address;
        }
    }
    void forget(std::uintptr_t begin, std::size_t bytes);

    /// Whether plain accesses to the address are looked at.
    bool is_looked_at(std::uintptr_t address) const {
        const std::size_t page = (address - base_) / page_bytes;
        return (left_out_[page / 64] >> (page % 64) & 1) == 0;
    }
    /// Of an array that is larger than this only so many of its pages, spread over it, are looked
    /// at: histories of all of it take longer to make than a program runs, and most races in large
    /// arrays are in many places.
    static constexpr std::size_t looked_at_bytes = std::size_t{1} << 20;
    void choose_pages(std::uintptr_t begin, std::size_t bytes);

private:
    static constexpr std::size_t page_bytes = 4096;
    static constexpr std::size_t word = 4;
    static constexpr std::uint32_t split = ~0U;  // in place of the write's
    static bool is_split(const access_history& h) { return h.write.place == split; }

    std::uintptr_t base_;
    std::size_t bytes_;
    access_history *words_, *parts_;
    std::uint64_t* left_out_;  // a bit for each page
};

}  // namespace cuset_host::races

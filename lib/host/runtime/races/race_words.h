// Words for messages about races.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "accesses.h"
#include "core/findings.h"
#include "stream_order.h"

namespace cuset_host::races {

/// A mark's place is a line, or the distance of the code from the program's; of a strong access,
/// also whether it writes and whether it is atomic for its block alone.
inline constexpr std::uint32_t writes_bit = 1U << 31, block_bit = 1U << 29;
std::uint32_t place_of(const access& a);
int line_of_place(std::uint32_t place);

/// Where the program's code lies.
std::uintptr_t program_begin();
/// The line of the program that code at `pc` returns to; 0 if it is not known.
int line_of_code(std::uintptr_t pc);
/// The line of the access that faulted at that address, if it has been looked at; else 0.
int line_of_access_outside(std::uintptr_t address);
/// "block (3,0,0), thread (17,0,0)", of the grid that runs.
std::string thread_text(std::uint64_t block, unsigned thread);
/// "4 bytes of allocation 2, from byte 16 on".
std::string place_text(std::uintptr_t address, std::size_t bytes);
/// "4 bytes of shared memory", of the running block or, by its name, of another of its cluster.
std::string shared_place_text(std::size_t bytes, const block_clock& holder);
/// The place of that number, x fastest.
uint3 place_in(std::uint64_t number, const dim3& shape);
/// Whose work that is, as the running one sees it: "kernel add of another stream".
std::string task_text(const task_name& other);
/// ", and nothing orders the two accesses": of that work and the running one.
std::string disorder_text(const task_name& other);

/// What the running thread `verb` ("reads", "writes", "updates") at `place`, and who wrote or read
/// it before, with nothing that orders the two.
std::string race_text(std::uintptr_t address, std::size_t bytes, const access_mark& before,
                      bool before_wrote, std::uint32_t place, const char* verb);

/// Tells a race of two places, once; the program goes on. words() makes the text.
template <class Words>
[[gnu::cold]] void tell_race(std::uintptr_t earlier, std::uintptr_t later, const Words& words) {
    if (is_new_place("race", earlier, later)) tell_fault("race", words());
}

}  // namespace cuset_host::races

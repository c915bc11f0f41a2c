// Words for messages about races.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cuset_host::races {

/// Where the program's code lies.
std::uintptr_t program_begin();
/// The line of the program that code at `pc` returns to; 0 if it is not known.
int line_of_code(std::uintptr_t pc);
/// "block (3,0,0), thread (17,0,0)", of the grid that runs.
std::string thread_text(std::uint64_t block, unsigned thread);
/// "4 bytes of allocation 2, from byte 16 on".
std::string place_text(std::uintptr_t address, std::size_t bytes, bool is_shared);

}  // namespace cuset_host::races

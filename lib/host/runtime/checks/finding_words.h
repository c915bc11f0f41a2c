// Words for messages of --check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cuset_host::checks {

/// The line of the program that `pc` returns to; 0 if it is not known.
int line_of(const void* pc);

std::string bytes_text(std::size_t bytes);

/// "4 bytes past the end of WHAT", of an address outside of [begin, begin + bytes).
std::string place_near(std::uintptr_t address, std::uintptr_t begin, std::size_t bytes,
                       const std::string& what);

}  // namespace cuset_host::checks

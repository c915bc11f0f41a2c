// Exceptions of LibTorch and of allocation, in words.
#pragma once

#include <exception>
#include <string>

namespace cuset {

/// Whether memory ran out, on the CPU or a GPU.
bool is_out_of_memory(const std::exception& exception);

/// The first line of the message, without the backtrace.
std::string first_line_of(const std::exception& exception);

}  // namespace cuset

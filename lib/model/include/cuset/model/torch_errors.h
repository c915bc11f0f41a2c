// What LibTorch or an allocation threw, in words.
#pragma once

#include <exception>
#include <string>

namespace cuset {

/// Whether memory was what there was too little of, on the CPU or a GPU.
bool is_out_of_memory(const std::exception& exception);

/// Its first line, without the backtrace.
std::string first_line_of(const std::exception& exception);

}  // namespace cuset

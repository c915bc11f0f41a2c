// What g++ said of a translated program. Private to lib/judge.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cuset {

/// The first error in nvcc's form, "program.cu(12): error: …"; one in a header at the program's
/// line that led there. The linker's as it is.
std::string first_gxx_error(std::string_view said);

/// "line 12: 'sum' may be used uninitialised", of g++'s first warning that a local variable is or
/// may be; empty where it has none.
std::string uninitialised_use(std::string_view said);

/// What of CUDA's the first error is about, that the host model does not have: an undeclared or
/// undefined name, or a header, "<cublas_v2.h>". Empty where it is about something else.
std::string missing_of_cuda(std::string_view said);

/// Every line of the program that is told, in errors and in the notes around them.
std::vector<std::size_t> program_lines(std::string_view said);

}  // namespace cuset

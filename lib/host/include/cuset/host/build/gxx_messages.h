// Reads g++'s messages about a translated program.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cuset {

/// The first error in nvcc's form, "program.cu(12): error: …". An error in a header is placed at
/// the program's line that led there. A linker error stays as it is.
std::string first_gxx_error(std::string_view messages);

/// "line 12: 'sum' may be used uninitialised", from g++'s first warning that a local variable is or
/// may be; empty if there is none.
std::string uninitialised_use(std::string_view messages);

/// The part of CUDA that the first error is about and the host model lacks: an undeclared or
/// undefined name, or a header such as "<cublas_v2.h>". Empty if the error is about something else.
std::string missing_of_cuda(std::string_view messages);

/// The same of HIP, about a program in HIP: "hipCtxCreate", "<rocprim/rocprim.hpp>".
std::string missing_of_hip(std::string_view messages);

/// The header that g++ missed, if that is its first error: "mpi.h". Else empty.
std::string missing_header_of(std::string_view messages);

/// The header, such as "<mpi.h>", if a compiler's message says that one is missing which belongs to
/// a library that neither the CUDA toolkit nor a bare machine has. Empty otherwise.
std::string missing_library(std::string_view message);

/// The messages about a program in HIP, with the names that stand in it (cuset/host/hip.h).
std::string in_names_of_hip(std::string messages);

/// The number of every program line that errors and their notes name.
std::vector<std::size_t> program_lines(std::string_view messages);

}  // namespace cuset

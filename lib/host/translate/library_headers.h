// Headers of CUDA's C++ libraries that a program includes. Private to lib/host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuset/syntax/cuda_program.h"

namespace cuset {

/// Those that need nvcc where a program includes them, but are plain C++ to a host compiler
/// (Thrust, libcu++), and what the runtime adds to them. To be read in this order before the
/// program, between cuset_host/reading_toolkit.h and cuset_host/reading_program.h; the program's
/// own #includes then find them read. Empty if there are none.
std::vector<std::string> library_headers(const syntax::cuda_program& program);

/// Whether the text has a name of cuBLAS, cuFFT, cuSOLVER or cuSPARSE, even in a macro.
bool names_libraries(std::string_view text);

/// The header that an #include names, without brackets or quotes; empty if it names none.
std::string included_header(const syntax::token_stream& code, const syntax::directive& d);

}  // namespace cuset

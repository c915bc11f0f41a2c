// The flags of nvcc that its messages ask for: --extended-lambda, --expt-relaxed-constexpr, and the
// toolkit's libraries whose calls nobody defines (-lcublas and the like). Private to lib/judge.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cuset/base/status.h"
#include "cuset/judge/compiler.h"

namespace cuset {

flag_list asked_flags(const compilation& tried);

/// Whether `more` has flags that `flags` lacks; adds them.
bool add_new_flags(flag_list& flags, const flag_list& more);

/// Whether a program was compiled, and only libraries of the toolkit were not there to link it.
bool lacks_library(const compilation& tried);

/// Asks about a program, and again with the libraries that the linker misses, as long as these are
/// new. `added` has them then, if the program is compiled with them or lacks only these.
result<compilation> with_asked_libraries(
    program_source source, flag_list& added,
    const std::function<result<compilation>(const program_source&)>& ask);

/// "compiled with FLAG and FLAG, REASON"; empty without flags.
std::string flags_note(const flag_list& flags,
                       std::string_view reason = "as the task's own program needs");

}  // namespace cuset

// What the host runtime said of a program before it ended it. Private to lib/judge/host.
#pragma once

#include <optional>
#include <string>

#include "cuset/judge/backend.h"

namespace cuset {

/// Of exit code 97 and a last line `cuset-host: KIND: MESSAGE` on stderr: the failure of that name,
/// or a crash where there is none. Nothing for any other end.
std::optional<program_fault> told_by_runtime(const run_report& report);

/// The first line `cuset-host: note: MESSAGE` on stderr; empty where there is none.
std::string noted_by_runtime(const run_report& report);

/// Of AddressSanitizer's report on the program's host code.
std::optional<program_fault> told_by_sanitizer(const run_report& report);

}  // namespace cuset

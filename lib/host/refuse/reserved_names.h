// Names that belong to the evaluator: a program that writes them means to be judged otherwise than
// by its results. Private to lib/host.
#pragma once

#include <optional>
#include <string_view>

#include "cuset/host/translation.h"

namespace cuset {

/// The first that no program has for itself, in every branch and macro of the text, strings
/// included, comments not:
///   names with `cuset_host` or `CUSET_HOST` in them, and those of AddressSanitizer and its kin
///   (__asan_…, __sanitizer_…, ASAN_POISON…, <sanitizer/…>)
///   no_sanitize and what says the same
///   the attributes section, ifunc, alias, weakref and naked, by which code runs before the runtime
///   or in its place
///   any of the first two that `##` may put together from words of the text
std::optional<translation_error> find_reserved_name(std::string_view program);

}  // namespace cuset

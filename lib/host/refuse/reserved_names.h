// Names that belong to the evaluator. A program that writes them tries to be judged by something
// other than its results. Private to lib/host.
#pragma once

#include <optional>
#include <string_view>

#include "cuset/host/translation.h"

namespace cuset {

/// The first name that no honest program contains, in every branch and macro of the text, and in
/// strings, but not in comments:
///   names with `cuset_host` or `CUSET_HOST` in them, and those of AddressSanitizer and its kin
///   (__asan_…, __sanitizer_…, ASAN_POISON…, <sanitizer/…>)
///   no_sanitize and its synonyms
///   the attributes section, ifunc, alias, weakref and naked, which run code before the runtime or
///   in its place
///   any name of the first two kinds that `##` may form from words of the text
std::optional<translation_error> find_reserved_name(std::string_view program);

}  // namespace cuset

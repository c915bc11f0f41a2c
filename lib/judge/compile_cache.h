// Where results of compilers are kept. Private to lib/judge.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "cuset/base/status.h"
#include "cuset/judge/compiler.h"

namespace cuset {

/// The entry of a key in a cache, if it is there and whole. Two keys may have one place: what is
/// there is compared.
std::optional<compilation> cached_compilation(const std::filesystem::path& cache,
                                              std::string_view key);

/// Makes an entry of a result that is not `limited`, with a copy of its program,
/// and points the result there. Where another has made the entry in the meantime, that one is
/// taken.
status keep_compilation(const std::filesystem::path& cache, std::string_view key,
                        compilation& result);

}  // namespace cuset

// The tables that tests/oracle/sass writes, embedded by cuset_embed().
#pragma once

#include <string_view>

namespace cuset {

extern const std::string_view sass_operations_tsv, sass_operations_fast_tsv;

}  // namespace cuset

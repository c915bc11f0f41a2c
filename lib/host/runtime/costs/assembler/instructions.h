// The kinds of operations of x86-64's instructions.
#pragma once

#include <string>
#include <string_view>

#include "../operation_classes.h"

namespace cuset_host::costs {

struct counted_operations {
    unsigned kind = operation_kinds;  ///< operation_kinds: nothing that counts
    unsigned count = 0;
};

/// `mnemonic` without prefixes; `operands`: all of them, as written.
counted_operations operations_of(std::string_view mnemonic, std::string_view operands);

/// What a call of a function of the C library or of CUDA stands for.
struct counted_call {
    counted_operations operations;
    std::string function;  ///< that a GPU computes by more than one: "sinf"; empty if none
};
/// `symbol`: as the linker has it, "sinf" or "_Z6__expff".
counted_call call_of(std::string_view symbol);

}  // namespace cuset_host::costs

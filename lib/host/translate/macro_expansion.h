// What a call of a macro stands for, where the translation has to see it. Private to lib/host.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/syntax/cuda_program.h"

namespace cuset {

/// Whether the token names a parameter of the macro.
bool is_parameter(const syntax::token_stream& code, const syntax::cuda_macro& m, std::uint32_t i);

/// What the macro stands for with these arguments. Tokens that touch each other in its text do so
/// here too (`+=` is two of them); what an argument brings touches nothing but what it is pasted
/// to. `rest` stands for __VA_ARGS__.
std::string expansion_of(const syntax::token_stream& code, const syntax::cuda_macro& m,
                         const std::vector<std::string>& arguments, std::string_view rest = {});

/// The program with the calls of such macros as `#define KERNEL(...) __global__ void __VA_ARGS__`
/// before a body replaced by the head that they stand for, on the same lines: the function's name
/// and its parameters are in the arguments. So are the uses of macros that begin with `template <`.
/// Empty if there is none.
std::string with_head_macros_expanded(std::string_view text);

}  // namespace cuset

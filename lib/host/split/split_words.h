// The words of a kernel with barriers of the whole block, and whether any of them prevents its
// splitting.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "block_groups.h"
#include "cuset/syntax/cuda_program.h"
#include "waiting_names.h"

namespace cuset {

struct kernel_words {
    std::vector<syntax::token_range> barriers;  ///< statements, or the word if it is none
    std::vector<std::uint32_t> returns;         ///< tokens of the body
    block_groups groups;
    std::unordered_multimap<std::string, const syntax::cuda_macro*> macros;  ///< the program's
    std::unordered_map<std::string, std::vector<std::uint32_t>> places;  ///< free words of the body
    std::unordered_set<std::string> in_macros;  ///< words of the macros that the body uses
    std::string obstacle;                       ///< if set, the rest is not valid

    const std::vector<std::uint32_t>& places_of(const std::string& name) const {
        static const std::vector<std::uint32_t> none;
        const auto found = places.find(name);
        return found == places.end() ? none : found->second;
    }
};

/// Nothing if the function is no kernel whose body has such a barrier.
std::optional<kernel_words> read_kernel_words(const syntax::cuda_program& program,
                                              std::uint32_t function, const waiting_names& waiting);

/// The same for a kernel that has no such barrier and does not wait otherwise; `barriers` is empty.
/// `own`: a word that `waiting` contains and the kernel may have.
kernel_words read_words_without_barriers(const syntax::cuda_program& program,
                                         std::uint32_t function, const waiting_names& waiting,
                                         std::string_view own);

/// Whether the word at token i names a variable or function in scope: not a member, not qualified.
bool is_free_word(const syntax::token_stream& code, std::uint32_t i);

}  // namespace cuset

// The wider extents: a kernel's definition, a launch's statement, the declarations that feed it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cuset/syntax/lexer.h"
#include "finder.h"

namespace cuset::syntax {

/// Bytes of the code.
struct byte_range {
    std::uint32_t begin, end;
    bool operator==(const byte_range&) const = default;
};

/// The beginning of a #define's replacement text.
std::uint32_t replacement_start(const token_stream& code, std::uint32_t define_token);

/// The first token of the code that contains the site, as token_stream::limit is its end.
std::uint32_t floor_of(const token_stream& code, site s);

/// Reads extents from the tokens. Use one reader for a token stream: it bounds the total work on
/// all launches, so that hostile text takes linear time (beyond the bound, an extent is the launch
/// itself).
class extent_reader {
public:
    explicit extent_reader(const token_stream& code)
        : code_(code), budget_(code.tokens.size() * 16 + 1'000'000) {}

    byte_range definition(const finding& kernel);
    byte_range statement(const finding& launch);
    /// In order of position, without those that an earlier call returned.
    std::vector<byte_range> setup(const finding& launch);

private:
    struct start {
        std::uint32_t first;
        std::uint32_t head_close;  ///< the `)` of the `if (…)` around it, or no_token
    };
    start statement_start(std::uint32_t at, std::uint32_t floor);
    std::uint32_t statement_end(std::uint32_t first, std::uint32_t from, std::uint32_t limit);
    token_range statement_tokens(const finding& launch);
    std::uint32_t branch_start(std::uint32_t i, std::uint32_t floor);
    std::uint32_t configuration_end(const finding& launch) const;
    bool is_block(std::uint32_t brace) const;
    bool declares_size(token_range statement, const std::vector<std::string_view>& wanted) const;
    void want(token_range words, std::vector<std::string_view>& wanted) const;
    bool spend() { return budget_ > 0 && budget_-- > 0; }

    const token_stream& code_;
    std::size_t budget_;
    std::vector<std::uint32_t> given_;  // first tokens of setup statements, sorted
};

}  // namespace cuset::syntax

// Matches brackets while the lexer runs, through conditionals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuset/syntax/lexer.h"

namespace cuset::syntax {

/// Links each bracket to its partner. Braces take precedence: a `}` closes the nearest `{` even if
/// parentheses are still open inside, so a missing parenthesis cannot move the end of a body. The
/// brackets of a #define match among themselves. Every branch of a conditional starts from the
/// state before it. After the conditional the state is that of its last branch; if the branches
/// differ, token_stream::splits_brackets is set.
class bracket_matcher {
public:
    explicit bracket_matcher(token_stream& out) : out_(out) {}

    /// The last token is an opening or a closing bracket.
    void open();
    void close();

    void begin_define();
    void end_define();
    void begin_group();
    void next_branch();
    void end_group();

private:
    // A conditional whose branch is being read. `undo` holds the brackets opened before the branch
    // that the branch has closed, so that the next branch can restore them.
    struct branch {
        std::size_t height;       // the stack's height when the branch began
        std::size_t low;          // the lowest height since then
        std::size_t undo;         // where its part of undo_ begins
        std::size_t open_braces;  // their number when the branch began
    };
    void pop();
    void finish_branch();
    bool closes(std::uint8_t opener, std::size_t& drop) const;

    token_stream& out_;
    std::vector<std::uint32_t> stack_;
    std::size_t base_ = 0;  // brackets below this belong to the text around the #define
    std::size_t open_braces_ = 0;
    std::size_t outer_braces_ = 0;
    std::vector<branch> branches_;
    std::vector<std::uint32_t> undo_;
    std::size_t restored_ = 0;
};

}  // namespace cuset::syntax

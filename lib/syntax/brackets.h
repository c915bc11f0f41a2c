// Matches brackets while the lexer runs, through conditionals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuset/syntax/lexer.h"

namespace cuset::syntax {

/// Links each bracket to its partner. Braces outrank: a `}` closes the nearest `{` whatever
/// parentheses are still open inside, so a missing parenthesis cannot move the end of a body.
/// A #define's brackets match among themselves. Every branch of a conditional starts from the state
/// before it; after the conditional the state is that of its last branch, and where the branches
/// differ, token_stream::splits_brackets is set.
class bracket_matcher {
public:
    explicit bracket_matcher(token_stream& out) : out_(out) {}

    /// The last token is an opening, a closing bracket.
    void open();
    void close();

    void begin_define();
    void end_define();
    void begin_group();
    void next_branch();
    void end_group();

private:
    // A conditional whose branch is being read. `undo` holds what the branch has closed of brackets
    // opened before it, so that the next branch can have them back.
    struct branch {
        std::size_t height;       // of the stack when the branch began
        std::size_t low;          // the lowest height since
        std::size_t undo;         // where its part of undo_ begins
        std::size_t open_braces;  // when it began
    };
    void pop();
    void finish_branch();
    bool closes(std::uint8_t opener, std::size_t& drop) const;

    token_stream& out_;
    std::vector<std::uint32_t> stack_;
    std::size_t base_ = 0;  // brackets below belong to the text around the #define
    std::size_t open_braces_ = 0;
    std::size_t outer_braces_ = 0;
    std::vector<branch> branches_;
    std::vector<std::uint32_t> undo_;
    std::size_t restored_ = 0;
};

}  // namespace cuset::syntax

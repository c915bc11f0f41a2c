#include "brackets.h"

#include <algorithm>

namespace cuset::syntax {

void bracket_matcher::open() {
    const std::uint32_t index = out_.size() - 1;
    if (out_.tokens[index].kind == '{') ++open_braces_;
    stack_.push_back(index);
}

void bracket_matcher::pop() {
    const std::uint32_t index = stack_.back();
    if (out_.tokens[index].kind == '{') --open_braces_;
    stack_.pop_back();
    if (!branches_.empty() && stack_.size() < branches_.back().low) {
        branches_.back().low = stack_.size();
        undo_.push_back(index);
    }
}

// Whether a bracket that pairs with `opener` has its partner on the stack, below `drop` others that
// stay unclosed.
bool bracket_matcher::closes(std::uint8_t opener, std::size_t& drop) const {
    // A stray `)` must not search far, or a file of them takes quadratic time.
    constexpr std::size_t deepest = 8;
    if (opener == '{' && open_braces_ == 0) return false;
    for (drop = 0; stack_.size() - drop > base_; ++drop) {
        const std::uint8_t kind = out_.tokens[stack_[stack_.size() - 1 - drop]].kind;
        if (kind == opener) return true;
        if (opener != '{' && (kind == '{' || drop == deepest)) return false;
    }
    return false;
}

void bracket_matcher::close() {
    const std::uint32_t index = out_.size() - 1;
    const std::uint8_t kind = out_.tokens[index].kind;
    const std::uint8_t opener = kind == '}' ? '{' : kind == ')' ? '(' : '[';
    std::size_t drop = 0;
    if (!closes(opener, drop)) return;
    while (drop-- > 0) pop();
    const std::uint32_t partner = stack_.back();
    out_.tokens[partner].link = index;
    out_.tokens[index].link = partner;
    pop();
}

void bracket_matcher::begin_define() {
    base_ = stack_.size();
    outer_braces_ = open_braces_;
    open_braces_ = 0;
}

void bracket_matcher::end_define() {
    stack_.resize(base_);
    base_ = 0;
    open_braces_ = outer_braces_;
}

void bracket_matcher::begin_group() {
    branches_.push_back({stack_.size(), stack_.size(), undo_.size(), open_braces_});
}

void bracket_matcher::finish_branch() {
    const branch& b = branches_.back();
    if (stack_.size() != b.height || b.low != b.height) out_.splits_brackets = true;
}

void bracket_matcher::next_branch() {
    finish_branch();
    branch& b = branches_.back();
    stack_.resize(b.low);
    restored_ += undo_.size() - b.undo;
    if (restored_ > out_.text.size()) {  // keeps hostile text linear
        undo_.resize(b.undo);
        b.height = b.low;
    }
    while (undo_.size() > b.undo) {  // the last closed lies deepest
        stack_.push_back(undo_.back());
        undo_.pop_back();
    }
    b.low = b.height;
    open_braces_ = b.open_braces;
}

void bracket_matcher::end_group() {
    finish_branch();
    const branch b = branches_.back();
    branches_.pop_back();
    if (branches_.empty()) {
        undo_.clear();
        return;
    }
    // The outer branch must now undo what the inner branch closed of its surroundings.
    branch& outer = branches_.back();
    const std::size_t kept = outer.low > b.low ? outer.low - b.low : 0;
    const auto first = undo_.begin() + static_cast<std::ptrdiff_t>(b.undo);
    undo_.erase(first, undo_.end() - static_cast<std::ptrdiff_t>(kept));
    outer.low = std::min(outer.low, b.low);
}

}  // namespace cuset::syntax

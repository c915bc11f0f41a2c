// Block quotes of Markdown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cuset::syntax {

/// A text without the `> ` of its block quotes.
///
/// Lines of code may begin with `>` too (they close template arguments or a configuration). So a
/// quote is two or more such lines in a row, not counting blank lines between them. The first must
/// have text after its mark, and one of them must hold a fence, a kernel or a launch.
class unquoted_text {
public:
    /// Keeps a view of `source`, which it copies only if there is a quote.
    explicit unquoted_text(std::string_view source);

    std::string_view text() const { return segments_.empty() ? source_ : std::string_view(text_); }

    /// The offset in the source of byte i of the text.
    std::size_t source_offset(std::size_t i) const;

private:
    void copy(std::size_t from, std::size_t to);

    std::string_view source_;
    std::string text_;
    struct segment {  // the bytes from `text` on come from `source` on
        std::size_t text, source;
    };
    std::vector<segment> segments_;
};

}  // namespace cuset::syntax

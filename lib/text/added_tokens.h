// Added tokens: they are searched for in the text before it is cut into words. Internal to
// lib/text.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cuset::text {

struct added_token {
    std::int32_t id = 0;
    std::string content;
    bool left_strip = false;   ///< takes the white space before it too
    bool right_strip = false;  ///< and after it
    bool normalized = false;   ///< searched for in the normalized text
    bool special = false;
};

/// A trie of contents: the longest match at the leftmost place.
class token_matcher {
public:
    /// `text`, not empty, is the text to find; of equal texts the first token wins. `token` is any
    /// number that the caller chooses.
    void add(std::string_view text, std::uint32_t token);
    bool empty() const { return nodes_.size() == 1; }

    struct match {
        std::size_t begin, end;
        std::uint32_t token;
    };
    /// The first match at or after `from`; begin == text.size() if there is none.
    match find(std::string_view text, std::size_t from) const;

private:
    static constexpr std::uint32_t no_token = 0xFFFFFFFFU;
    struct node {
        std::vector<std::pair<unsigned char, std::uint32_t>> children;  // sorted by byte
        std::uint32_t token = no_token;
    };
    std::vector<node> nodes_ = std::vector<node>(1);
    std::array<std::uint32_t, 256> first_{};  // child of the root, 0 if none
    unsigned first_count_ = 0;
    unsigned char only_first_ = 0;  // where first_count_ is 1
};

}  // namespace cuset::text

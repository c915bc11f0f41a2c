#include "added_tokens.h"

#include <algorithm>
#include <cstring>

namespace cuset::text {

void token_matcher::add(std::string_view text, std::uint32_t token) {
    std::uint32_t at = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        auto& children = nodes_[at].children;
        const auto place =
            std::lower_bound(children.begin(), children.end(), byte,
                             [](const std::pair<unsigned char, std::uint32_t>& child,
                                unsigned char value) { return child.first < value; });
        if (place != children.end() && place->first == byte) {
            at = place->second;
            continue;
        }
        const auto fresh = static_cast<std::uint32_t>(nodes_.size());
        children.insert(place, {byte, fresh});
        if (at == 0) {
            first_[byte] = fresh;
            ++first_count_;
            only_first_ = byte;
        }
        nodes_.emplace_back();
        at = fresh;
    }
    if (at != 0 && nodes_[at].token == no_token) nodes_[at].token = token;
}

token_matcher::match token_matcher::find(std::string_view text, std::size_t from) const {
    for (std::size_t begin = from; begin < text.size(); ++begin) {
        if (first_count_ == 1) {
            const void* hit = std::memchr(text.data() + begin, only_first_, text.size() - begin);
            if (hit == nullptr) break;
            begin = static_cast<std::size_t>(static_cast<const char*>(hit) - text.data());
        }
        std::uint32_t at = first_[static_cast<unsigned char>(text[begin])];
        if (at == 0) continue;
        match longest{text.size(), 0, no_token};
        for (std::size_t end = begin + 1;; ++end) {
            if (nodes_[at].token != no_token) longest = {begin, end, nodes_[at].token};
            if (end == text.size()) break;
            const auto byte = static_cast<unsigned char>(text[end]);
            const auto& children = nodes_[at].children;
            const auto child = std::find_if(children.begin(), children.end(),
                                            [byte](const auto& c) { return c.first == byte; });
            if (child == children.end()) break;
            at = child->second;
        }
        if (longest.token != no_token) return longest;
    }
    return {text.size(), text.size(), no_token};
}

}  // namespace cuset::text

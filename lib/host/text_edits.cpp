#include "text_edits.h"

#include <algorithm>
#include <utility>

namespace cuset {

void text_edits::replace(std::uint32_t begin, std::uint32_t end, std::string words,
                         bool in_directive) {
    std::ranges::replace(words, '\n', ' ');  // from a continued literal
    const std::string_view replaced = text_.substr(begin, end - begin);
    for (auto n = std::ranges::count(replaced, '\n'); n > 0; --n) {
        words += in_directive ? "\\\n" : "\n";
    }
    edits_.push_back({begin, end, std::move(words), 0});
}

void text_edits::offer(std::vector<piece> pieces) {
    ++offers_;
    for (piece& each : pieces) {
        replace(each.begin, each.end, std::move(each.words), false);
        edits_.back().offer = offers_;
    }
}

void text_edits::leave_out_offers() {
    std::vector<bool> is_left_out(offers_ + 1, false);
    // Sorted, the ends of the ranges that others replace grow: they do not overlap.
    std::uint32_t end = 0;
    for (const edit& e : edits_) {
        if (e.offer == 0)
            end = std::max(end, e.end);
        else if (e.begin < end)
            is_left_out[e.offer] = true;
    }
    std::uint32_t begin = static_cast<std::uint32_t>(text_.size());
    for (auto e = edits_.rbegin(); e != edits_.rend(); ++e) {
        if (e->offer != 0 && e->end > begin) is_left_out[e->offer] = true;
        if (e->offer == 0) begin = std::min(begin, e->begin);
    }
    std::erase_if(edits_, [&](const edit& e) { return is_left_out[e.offer]; });
}

std::optional<std::string> text_edits::apply() {
    // An insertion at the beginning of a replaced range comes before that range.
    std::ranges::stable_sort(edits_, {}, [](const edit& e) { return std::pair(e.begin, e.end); });
    leave_out_offers();
    std::string out;
    out.reserve(text_.size() + text_.size() / 4);
    std::size_t done = 0;
    for (const edit& e : edits_) {
        if (e.begin < done) return {};
        out.append(text_.substr(done, e.begin - done));
        out.append(e.words);
        done = e.end;
    }
    out.append(text_.substr(done));
    return out;
}

std::string source_of(const syntax::token_stream& code, syntax::token_range range) {
    if (range.empty()) return {};
    const std::uint32_t begin = code.tokens[range.first].begin;
    const std::string_view raw = code.text.substr(begin, code.tokens[range.end - 1].end - begin);
    if (raw.find('\n') == raw.npos && raw.find("//") == raw.npos && raw.find("/*") == raw.npos) {
        return std::string(raw);
    }
    std::string joined;
    for (std::uint32_t i = range.first; i < range.end; ++i) {
        const std::string word = code.spelling(i);
        if (word.find('\n') != word.npos) continue;  // a raw string
        if (!joined.empty() && !word.empty()) joined += ' ';
        joined += word;
    }
    return joined;
}

}  // namespace cuset

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
    edits_.push_back({begin, end, std::move(words)});
}

std::optional<std::string> text_edits::apply() {
    // An insertion at the beginning of a replaced range comes before that range.
    std::ranges::stable_sort(edits_, {}, [](const edit& e) { return std::pair(e.begin, e.end); });
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

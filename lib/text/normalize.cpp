// NFC with alignment. Hugging Face's normalizer passes on each character with a "change": 0
// replaces one source character, +1 is inserted beside the one before, -n replaces one and removes
// n more. The alignment comes from walking the source by those numbers, even if marks were
// reordered, so this code carries the same numbers.
#include <algorithm>
#include <utility>

#include "cuset/base/visible_text.h"
#include "unicode.h"
#include "unicode_data.h"

namespace cuset::text {

namespace {

struct step {
    char32_t code_point;
    int change;
    std::uint8_t combining_class;
};

/// Full canonical decomposition of `c`, in order, by recursion over one-level pairs.
void decompose_fully(char32_t c, std::vector<char32_t>& out) {
    if (const auto pair = decompose(c)) {
        decompose_fully(pair->first, out);
        if (pair->second != 0) decompose_fully(pair->second, out);
    } else {
        out.push_back(c);
    }
}

/// NFD: decomposed, each run of marks in stable order of combining class.
std::vector<step> decomposed(std::string_view text) {
    std::vector<step> steps;
    steps.reserve(text.size());
    std::vector<char32_t> parts;
    std::size_t marks = 0;  // where the current run of marks begins
    const auto sort_marks = [&] {
        std::stable_sort(
            steps.begin() + static_cast<std::ptrdiff_t>(marks), steps.end(),
            [](const step& a, const step& b) { return a.combining_class < b.combining_class; });
    };
    for (std::size_t at = 0; at < text.size();) {
        const decoded d = decode_utf8(text.data() + at);
        at += d.length;
        parts.clear();
        decompose_fully(d.code_point, parts);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const std::uint8_t k = combining_class(parts[i]);
            if (k == 0) sort_marks();
            steps.push_back({parts[i], i == 0 ? 0 : 1, k});
            if (k == 0) marks = steps.size();
        }
    }
    sort_marks();
    return steps;
}

/// Canonical composition in place. A composite's change is the sum of its parts' changes, minus one
/// for the character that is gone.
void recompose(std::vector<step>& steps) {
    std::vector<step> out;
    out.reserve(steps.size());
    std::size_t starter = steps.size();  // index in `out`; none yet
    bool has_starter = false;
    for (const step& s : steps) {
        if (has_starter) {
            // Characters between the starter and this one block it if their class is not lower.
            const bool adjacent = out.size() == starter + 1;
            if (adjacent || out.back().combining_class < s.combining_class) {
                step& head = out[starter];
                if (const auto composite = compose(head.code_point, s.code_point)) {
                    head.code_point = *composite;
                    head.change += s.change - 1;
                    continue;
                }
            }
        }
        if (s.combining_class == 0) {
            starter = out.size();
            has_starter = true;
        }
        out.push_back(s);
    }
    steps = std::move(out);
}

struct source_char {
    char32_t code_point;
    std::size_t begin, end;
};

}  // namespace

bool is_plainly_nfc(std::string_view text) {
    const char* p = text.data();
    const char* const end = p + text.size();
    while (p < end) {
        // No character below U+0300 (lead byte 0xCC) is active.
        if (static_cast<unsigned char>(*p) < 0xCC) {
            ++p;
            continue;
        }
        const decoded d = decode_utf8(p);
        if ((class_of(d.code_point) & nfc_active) != 0) return false;
        p += d.length;
    }
    return true;
}

normalized_text normalize_nfc(std::string_view text) {
    std::vector<source_char> source;
    source.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const decoded d = decode_utf8(text.data() + at);
        source.push_back({d.code_point, at, at + d.length});
        at += d.length;
    }
    std::vector<step> steps = decomposed(text);
    recompose(steps);

    normalized_text out;
    out.text.reserve(text.size());
    out.source_end.reserve(text.size());
    std::size_t next = 0;  // index of the source character to be replaced next
    for (const step& s : steps) {
        const bool inserted = s.change > 0;
        const std::size_t index = inserted ? next - 1 : std::min(next, source.size() - 1);
        const bool none = inserted && next == 0;
        const std::size_t before = out.text.size();
        append_utf8(s.code_point, out.text);
        const std::size_t length = out.text.size() - before;
        const bool unchanged = !inserted && source[index].code_point == s.code_point;
        for (std::size_t i = 1; i <= length; ++i)
            out.source_end.push_back(none        ? 0
                                     : unchanged ? source[index].begin + i
                                                 : source[index].end);
        if (!inserted)
            next = std::min(next + 1 + static_cast<std::size_t>(-s.change), source.size());
    }
    return out;
}

}  // namespace cuset::text

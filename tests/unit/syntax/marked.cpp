#include "marked.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <tuple>

namespace cuset_test {

using cuset::code_span;
using cuset::span_kind;

marked parse_marks(std::string_view source) {
    marked m;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < source.size();) {
        const std::string_view here = source.substr(i);
        if (here.starts_with("@k:") || here.starts_with("@l:")) {
            const std::size_t bracket = here.find('[');
            open.push_back(m.spans.size());
            m.spans.push_back({here[1] == 'k' ? span_kind::kernel : span_kind::launch,
                               std::string(here.substr(3, bracket - 3)), m.text.size(), 0});
            i += bracket + 1;
        } else if (here.starts_with("@]")) {
            BOOST_REQUIRE(!open.empty());
            m.spans[open.back()].end = m.text.size();
            open.pop_back();
            i += 2;
        } else {
            m.text += source[i++];
        }
    }
    for (const std::size_t i : open) m.spans[i].end = m.text.size();
    std::ranges::stable_sort(m.spans, {},
                             [](const code_span& s) { return std::tuple(s.begin, s.end); });
    return m;
}

std::string show(const std::vector<code_span>& spans, std::string_view text) {
    std::string out;
    for (const code_span& s : spans) {
        out += s.kind == span_kind::kernel ? "\n  kernel " : "\n  launch ";
        out += s.name + " [" + std::to_string(s.begin) + ", " + std::to_string(s.end) + ") ";
        out += text.substr(s.begin, s.end - s.begin);
    }
    return out;
}

void check(std::string_view source, cuset::tag_options options) {
    const marked m = parse_marks(source);
    const cuset::tagging found = cuset::tagger(options).tag(m.text);
    BOOST_CHECK_MESSAGE(found.spans == m.spans, "in:\n"
                                                    << m.text
                                                    << "\nexpected:" << show(m.spans, m.text)
                                                    << "\nfound:" << show(found.spans, m.text));
}

}  // namespace cuset_test

#include "page_parts.h"

#include <algorithm>

#include "cuset/base/visible_text.h"

namespace cuset {

std::string_view before(std::string_view text, std::string_view mark) {
    return text.substr(0, text.find(mark));
}

std::string_view behind(std::string_view text, std::string_view mark) {
    return text.substr(text.find(mark) + mark.size());
}

void append_confidence_rules(std::string& out) {
    append_rules('s', confidence_shades(background::light), confidence_shades(background::dark),
                 out);
}

void append_html(std::string_view text, std::string& out) {
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '\t' || text[at] == '\n') {
            out += text[at++];
            continue;
        }
        const std::size_t end = std::min(text.find_first_of("\t\n", at), text.size());
        for (const char c : visible_text(text.substr(at, end - at))) switch (c) {
                case '&': out += "&amp;"; break;
                case '<': out += "&lt;"; break;
                case '>': out += "&gt;"; break;
                case '"': out += "&quot;"; break;
                default: out += c;
            }
        at = end;
    }
}

}  // namespace cuset

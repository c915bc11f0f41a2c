// What the pages share: places in their files, rules of colours, and text that is safe in HTML.
// Private to lib/view.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cuset/base/format.h"
#include "cuset/view/color_scale.h"

namespace cuset {

/// The text on either side of a mark, which is there once.
std::string_view before(std::string_view text, std::string_view mark);
std::string_view behind(std::string_view text, std::string_view mark);

/// Appends the CSS rule .s1 { background: …; color: …; } for each shade, in both themes.
template <class Shades>
void append_rules(char name, const Shades& light, const Shades& dark, std::string& out) {
    const auto ink = [](const shade& s) { return s.has_dark_text ? "#000" : "#fff"; };
    for (std::size_t i = 0; i < light.size(); ++i)
        out += format(".%c%zu{background:light-dark(#%06x,#%06x);color:light-dark(%s,%s)}\n", name,
                      i + 1, light[i].color, dark[i].color, ink(light[i]), ink(dark[i]));
}
/// Those of the confidences: .s1 to .s6.
void append_confidence_rules(std::string& out);

/// Appends text that others wrote, as content of an element or in quotes as an attribute's value:
/// hidden characters are escapes as in C (see visible_text()), but tabs and newlines stay.
void append_html(std::string_view text, std::string& out);

}  // namespace cuset

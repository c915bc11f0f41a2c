// The files of page/, embedded by cuset_embed().
#pragma once

#include <string_view>

namespace cuset {

extern const std::string_view page_html, page_css, page_js;

}  // namespace cuset

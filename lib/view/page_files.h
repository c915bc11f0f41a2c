// The files of page/, embedded by cuset_embed().
#pragma once

#include <string_view>

namespace cuset {

extern const std::string_view base_css, page_html, page_css, page_js, report_html, report_css,
    report_js;

}  // namespace cuset

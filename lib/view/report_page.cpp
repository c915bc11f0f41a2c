#include "cuset/view/report_page.h"

#include <array>
#include <cmath>

#include "cuset/base/format.h"
#include "page_files.h"
#include "page_parts.h"

namespace cuset {
namespace {

// The places in report.html where the other texts go.
constexpr std::string_view css_mark = "/* report.css */", js_mark = "/* report.js */",
                           head_mark = "<!-- head -->\n", legend_mark = "<!-- legend -->\n",
                           answers_mark = "<!-- answers -->\n";

/// The scale, from sure to unsure.
std::string legend() {
    std::string out = "<span>at least " + format("%g", confidence_edges[0]) + "</span>";
    for (std::size_t i = 0; i < confidence_edges.size(); ++i)
        out += format("<i class=s%zu>below %g</i>", i + 1, confidence_edges[i]);
    return out + '\n';
}

/// A bar with its interval. Its numbers stand in the cells before it.
void append_share(const drawn_share& share, std::string& out) {
    out += format("<td class=share aria-hidden=true><i style=\"width:%.2f%%\"></i>",
                  100 * share.value);
    if (std::isfinite(share.low) && std::isfinite(share.high))
        out += format("<b style=\"left:%.2f%%;width:%.2f%%\"></b>", 100 * share.low,
                      100 * (share.high - share.low));
    out += "</td>";
}

void append_table(const page_table& table, std::string& out) {
    const auto is_number = [&](std::size_t i) { return i > 0 && i <= table.numbers; };
    const auto is_text = [&](std::size_t i) { return i > table.numbers; };
    bool has_shares = false;
    for (const page_row& row : table.rows) has_shares = has_shares || row.share;
    out += "<section>\n<h2>";
    append_html(table.title, out);
    out += "</h2>\n<table";
    if (is_text(table.columns.size() - 1)) out += " class=told";
    if (!table.filter.empty()) out += " data-filter=" + table.filter;
    out += ">\n<thead><tr>";
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        out += is_number(i) ? "<th class=number>" : "<th>";
        append_html(table.columns[i], out);
        out += "</th>";
    }
    out += has_shares ? "<th></th></tr></thead>\n<tbody>\n" : "</tr></thead>\n<tbody>\n";
    for (const page_row& row : table.rows) {
        out += "<tr>";
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            out += is_number(i) ? "<td class=number>" : is_text(i) ? "<td class=long>" : "<td>";
            append_html(row.cells[i], out);
            out += "</td>";
        }
        if (row.share)
            append_share(*row.share, out);
        else if (has_shares)
            out += "<td></td>";
        out += "</tr>\n";
    }
    out += "</tbody>\n</table>\n</section>\n";
}

std::string head_html(const report_head& head) {
    std::string out = "<p id=title>";
    append_html(head.title, out);
    out += "</p>\n";
    for (const std::string& warning : head.warnings) {
        out += "<p class=warning>";
        append_html(warning, out);
        out += "</p>\n";
    }
    out += "<dl>\n";
    for (const auto& [name, text] : head.facts) {
        out += "<dt>";
        append_html(name, out);
        out += "</dt><dd>";
        append_html(text, out);
        out += "</dd>\n";
    }
    out += "</dl>\n<div id=tables>\n";
    for (const page_table& table : head.tables) append_table(table, out);
    return out + "</div>\n";
}

}  // namespace

std::string report_page_begin(const report_head& head) {
    std::string out(before(report_html, css_mark));
    out += base_css;
    out += report_css;
    append_confidence_rules(out);
    std::string_view rest = behind(report_html, css_mark);
    out += before(rest, head_mark);
    out += head_html(head);
    rest = behind(rest, head_mark);
    out += before(rest, legend_mark);
    out += legend();
    out += before(behind(rest, legend_mark), answers_mark);
    return out;
}

std::string_view report_page_end() {
    static const std::string end = [] {
        const std::string_view rest = behind(report_html, answers_mark);
        return std::string(before(rest, js_mark)) + std::string(report_js) +
               std::string(behind(rest, js_mark));
    }();
    return end;
}

}  // namespace cuset

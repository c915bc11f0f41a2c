#include "cuset/view/html_page.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "cuset/stream/json_text.h"
#include "cuset/view/color_scale.h"
#include "glyphs.h"
#include "page_files.h"

namespace cuset {
namespace {

// The places in page.html where the other files go.
constexpr std::string_view css_mark = "/* page.css */", js_mark = "/* page.js */",
                           settings_mark = "{\"settings\":0}", samples_mark = "<!-- samples -->\n";

void append_script_string(std::string_view text, std::string& out) {
    const std::size_t begin = out.size();
    append_json_string(text, out);
    for (std::size_t at = begin; (at = out.find('<', at)) != out.npos;)
        out.replace(at, 1, "\\u003c");
}

void append_list(std::span<const double> values, std::string& out) {
    out += '[';
    for (const double value : values) {
        if (out.back() != '[') out += ',';
        append_number(value, 6, out);
    }
    out += ']';
}

// A range of tokens or lines.
void append_range(std::size_t first, std::size_t last, std::string& out) {
    out += '[';
    append_number(first, out);
    out += ',';
    append_number(last, out);
    out += ']';
}

std::string css_color(std::uint32_t color) {
    std::array<char, 8> text;
    std::snprintf(text.data(), text.size(), "#%06x", color);
    return text.data();
}

// The CSS rule .s1 { background: …; color: …; } for each shade, in both themes.
template <class Shades>
void append_rules(char name, const Shades& light, const Shades& dark, std::string& out) {
    const auto ink = [](const shade& s) { return s.has_dark_text ? "#000" : "#fff"; };
    for (std::size_t i = 0; i < light.size(); ++i) {
        out += '.';
        out += name + std::to_string(i + 1) + "{background:light-dark(" +
               css_color(light[i].color) + ',' + css_color(dark[i].color) + ");color:light-dark(" +
               ink(light[i]) + ',' + ink(dark[i]) + ")}\n";
    }
}

std::string scale_rules() {
    std::string out;
    append_rules('s', confidence_shades(background::light), confidence_shades(background::dark),
                 out);
    append_rules('r', rise_shades(background::light), rise_shades(background::dark), out);
    append_rules('f', fall_shades(background::light), fall_shades(background::dark), out);
    return out;
}

std::string settings_json(const page_settings& settings) {
    std::string out = "{\"smoothing\":";
    append_number(settings.smoothing, out);
    out += ",\"confidence_edges\":";
    append_list(confidence_edges, out);
    out += ",\"change_edges\":";
    append_list(change_edges, out);
    out += ",\"models\":[";
    for (const std::string& model : settings.models) {
        if (out.back() != '[') out += ',';
        append_script_string(model, out);
    }
    return out + "]}";
}

std::string_view before(std::string_view text, std::string_view mark) {
    return text.substr(0, text.find(mark));
}
std::string_view behind(std::string_view text, std::string_view mark) {
    return text.substr(text.find(mark) + mark.size());
}

// What the list of samples shows, and the frame's window.
void append_head(const scored_text& text, const text_layout& layout, const glyph_reader& reader,
                 std::string& out) {
    out += "{\"id\":";
    append_script_string(safe_text(text.id, reader), out);
    out += ",\"tokens\":";
    append_number(text.confidence.size(), out);
    const auto means = [&](std::span<const double> values) {
        if (values.empty()) return;
        append_number(mean_of(values, 0, values.size()), 6, out);
        out += ',';
        append_number(mean_of(values, text.window.first, text.window.last), 6, out);
    };
    out += ",\"means\":[";
    means(text.confidence);
    if (!text.after.empty()) out += ',';
    means(text.after);
    out += "],\"window\":";
    append_range(text.window.first, text.window.last, out);
    const byte_range frame = visible_range(text, text.window);
    if (frame.begin < frame.end) {
        out += ",\"frame\":";
        append_range(layout.line_of(frame.begin), layout.line_of(frame.end - 1), out);
    }
    out += ",\"spans\":[";
    for (const tagged_span& span : text.spans) {
        if (out.back() != '[') out += ',';
        out += "{\"kind\":";
        append_script_string(safe_text(span.kind, reader), out);
        out += ",\"name\":";
        append_script_string(safe_text(span.name, reader), out);
        out += ",\"lines\":";
        append_range(layout.line_of(span.begin),
                     layout.line_of(std::max(span.begin + 1, span.end) - 1), out);
        out += '}';
    }
    out += "]}";
}

// The pieces: texts, and the number of tokens of each (-1: the tokens of the piece before; 0: not
// scored).
void append_body(const scored_text& text, const text_layout& layout, const glyph_reader& reader,
                 std::string& out) {
    const std::string_view response = text.response;
    out += "{\"text\":[";
    std::string shown;
    for (const text_piece& piece : layout.pieces) {
        if (out.back() != '[') out += ',';
        shown.clear();
        for (std::size_t at = piece.begin; at < piece.end;) {
            if (response[at] == '\t')
                shown += response[at++];  // the page has tab stops of its own
            else
                shown += reader.next(response.substr(0, piece.end), at, 0).text;
        }
        if (piece.ends_line) shown += '\n';
        append_script_string(shown, out);
    }
    out += "],\"count\":[";
    std::size_t next = 0;
    for (const text_piece& piece : layout.pieces) {
        if (out.back() != '[') out += ',';
        if (piece.first < piece.last && piece.first < next)
            out += "-1";
        else
            append_number(piece.last - piece.first, out);
        next = piece.last;
    }
    out += "],\"confidence\":";
    append_list(text.confidence, out);
    if (!text.after.empty()) {
        out += ",\"after\":";
        append_list(text.after, out);
    }
    out += '}';
}

}  // namespace

std::string page_begin(const page_settings& settings) {
    std::string out(before(page_html, css_mark));
    out += page_css;
    out += scale_rules();
    const std::string_view rest = behind(page_html, css_mark);
    out += before(rest, settings_mark);
    out += settings_json(settings);
    out += before(behind(rest, settings_mark), samples_mark);
    return out;
}

void append_sample(const scored_text& text, std::string& out) {
    const glyph_reader reader;
    const text_layout layout = lay_out(text.response, text.token_end);
    out += "<script type=\"application/json\" class=\"head\">";
    append_head(text, layout, reader, out);
    out += "</script>\n<script type=\"application/json\" class=\"body\">";
    append_body(text, layout, reader, out);
    out += "</script>\n";
}

std::string_view page_end() {
    static const std::string end = [] {
        const std::string_view rest = behind(page_html, samples_mark);
        return std::string(before(rest, js_mark)) + std::string(page_js) +
               std::string(behind(rest, js_mark));
    }();
    return end;
}

}  // namespace cuset

#include "cuset/view/html_page.h"

#include <algorithm>
#include <array>

#include "cuset/base/format.h"
#include "cuset/stream/json_writer.h"
#include "cuset/view/color_scale.h"
#include "glyphs.h"
#include "page_files.h"
#include "page_parts.h"

namespace cuset {
namespace {

// The places in page.html where the other files go.
constexpr std::string_view css_mark = "/* page.css */", js_mark = "/* page.js */",
                           settings_mark = "{\"settings\":0}", samples_mark = "<!-- samples -->\n";

// Appends JSON as it may stand in a script element: "<" is in strings alone, and escaped.
void append_script(std::string_view json, std::string& out) {
    for (const char c : json) {
        if (c == '<')
            out += "\\u003c";
        else
            out += c;
    }
}

std::string scale_rules() {
    std::string out;
    append_confidence_rules(out);
    append_rules('r', rise_shades(background::light), rise_shades(background::dark), out);
    append_rules('f', fall_shades(background::light), fall_shades(background::dark), out);
    // The lines under roles differ in form too, where their colours are close.
    constexpr std::array forms{"solid", "dashed", "double", "wavy", "dotted"};
    for (std::size_t i = 0; i < token_roles; ++i) {
        const std::string name(role_names[i]);
        out += ".role-" + name +
               format("{text-decoration:underline %s light-dark(#%06x,#%06x)}\n",
                      forms[i % forms.size()], role_inks(background::light)[i].color,
                      role_inks(background::dark)[i].color);
        out += ".hide-" + name + " .role-" + name + "{text-decoration:none}\n";
    }
    return out;
}

std::string settings_json(const page_settings& settings) {
    std::string out;
    json_writer json(out);
    json.begin_object().member("smoothing", settings.smoothing);
    json.key("confidence_edges").values(confidence_edges, 6);
    json.key("change_edges").values(change_edges, 6);
    json.key("models").values(settings.models).key("roles").begin_array();
    for (std::size_t i = 0; i < token_roles; ++i)
        if (settings.roles[i]) json.value(role_names[i]);
    json.end_array().key("role_names").values(role_names).end_object();
    return out;
}

// What the list of samples shows, and the frame's window.
std::string head_json(const scored_text& text, const text_layout& layout,
                      std::optional<std::size_t> context, const glyph_reader& reader) {
    std::string out;
    json_writer json(out);
    // A range of tokens or lines.
    const auto range = [&json](const char* key, std::size_t first, std::size_t last) {
        json.key(key).values(std::array{first, last});
    };
    json.begin_object().member("id", safe_text(text.id, reader));
    json.member("tokens", text.confidence.size()).key("means").begin_array();
    for (const auto* values : {&text.confidence, &text.after}) {
        if (values->empty()) continue;
        const token_range own = text.kernel ? text.kernel->tokens : token_range{0, values->size()};
        json.value(mean_of(*values, own.first, own.last), 6);
        json.value(window_of(text, *values).mean, 6);
    }
    json.end_array();
    if (text.kernel) {
        const shown_kernel& kernel = *text.kernel;
        json.key("kernel").begin_object().member("name", safe_text(kernel.name, reader));
        json.member("place", safe_text(text.place, reader));
        json.member("tokens", kernel.tokens.last - kernel.tokens.first);
        range("lines", layout.line_of(kernel.begin), layout.line_of(kernel.end - 1));
        json.end_object();
    }
    const line_range shown = shown_lines(text, layout, context);
    if (shown.last - shown.first < layout.lines.size()) range("shown", shown.first, shown.last);
    range("window", text.window.first, text.window.last);
    json.member("counted", window_of(text, text.confidence).tokens);
    const byte_range frame = visible_range(text, text.window);
    if (frame.begin < frame.end)
        range("frame", layout.line_of(frame.begin), layout.line_of(frame.end - 1));
    json.key("spans").begin_array();
    for (const tagged_span& span : text.spans) {
        json.begin_object().member("kind", safe_text(span.kind, reader));
        json.member("name", safe_text(span.name, reader));
        range("lines", layout.line_of(span.begin),
              layout.line_of(std::max(span.begin + 1, span.end) - 1));
        json.end_object();
    }
    json.end_array().end_object();
    return out;
}

// The units of UTF-16, in which scripts count, of a text in UTF-8.
std::size_t script_length(std::string_view text) {
    std::size_t units = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        units += (byte & 0xC0U) == 0x80U ? 0 : byte >= 0xF0U ? 2 : 1;
    }
    return units;
}

// A part of a piece's shown text that has a role.
struct role_part {
    std::size_t piece, begin, end, role;
};

// Notes that `units` more of the piece's text, behind `begin`, have the role of `run`.
void add_part(const role_run& run, std::size_t piece, std::size_t begin, std::size_t units,
              std::vector<role_part>& parts) {
    const auto role = static_cast<std::size_t>(run.role);
    if (!parts.empty() && parts.back().piece == piece && parts.back().end == begin &&
        parts.back().role == role)
        parts.back().end += units;
    else
        parts.push_back({piece, begin, begin + units, role});
}

// The pieces: texts, and the number of tokens of each (-1: the tokens of the piece before; 0: not
// scored).
std::string body_json(const scored_text& text, const text_layout& layout,
                      const glyph_reader& reader) {
    const std::string_view response = text.response;
    std::string out, shown;
    std::vector<role_part> parts;
    auto run = text.roles.begin();
    json_writer json(out);
    json.begin_object().key("text").begin_array();
    for (const text_piece& piece : layout.pieces) {
        shown.clear();
        for (std::size_t at = piece.begin; at < piece.end;) {
            const std::size_t begin = at, before = shown.size();
            if (response[at] == '\t')
                shown += response[at++];  // the page has tab stops of its own
            else
                shown += reader.next(response.substr(0, piece.end), at, 0).text;
            while (run != text.roles.end() && run->end <= begin) ++run;
            if (run != text.roles.end() && run->begin <= begin)
                add_part(*run, static_cast<std::size_t>(&piece - layout.pieces.data()),
                         script_length(std::string_view(shown).substr(0, before)),
                         script_length(std::string_view(shown).substr(before)), parts);
        }
        if (piece.ends_line) shown += '\n';
        json.value(shown);
    }
    json.end_array().key("count").begin_array();
    std::size_t next = 0;
    for (const text_piece& piece : layout.pieces) {
        if (piece.first < piece.last && piece.first < next)
            json.value(-1);
        else
            json.value(piece.last - piece.first);
        next = piece.last;
    }
    json.end_array().key("roles").begin_array();
    for (const role_part& part : parts)
        json.values(std::array{part.piece, part.begin, part.end, part.role});
    json.end_array().key("confidence").values(text.confidence, 6);
    if (!text.after.empty()) json.key("after").values(text.after, 6);
    json.end_object();
    return out;
}

}  // namespace

std::string page_begin(const page_settings& settings) {
    std::string out(before(page_html, css_mark));
    out += base_css;
    out += page_css;
    out += scale_rules();
    const std::string_view rest = behind(page_html, css_mark);
    out += before(rest, settings_mark);
    append_script(settings_json(settings), out);
    out += before(behind(rest, settings_mark), samples_mark);
    return out;
}

void append_sample(const scored_text& text, std::optional<std::size_t> context, std::string& out) {
    const glyph_reader reader;
    const text_layout layout = lay_out(text.response, text.token_end);
    out += "<script type=\"application/json\" class=\"head\">";
    append_script(head_json(text, layout, context, reader), out);
    out += "</script>\n<script type=\"application/json\" class=\"body\">";
    append_script(body_json(text, layout, reader), out);
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

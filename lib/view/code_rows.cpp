#include "code_rows.h"

#include <algorithm>
#include <cmath>

#include "glyphs.h"

namespace cuset {
namespace {

/// The sign for a token without bytes, which has no text to show.
constexpr const char* template_token = "\xE2\x96\xAF";  // ▯

const shade* confidence_shade(const scored_text& text, const text_piece& piece, background theme) {
    const auto first = text.confidence.begin() + static_cast<std::ptrdiff_t>(piece.first);
    const auto last = text.confidence.begin() + static_cast<std::ptrdiff_t>(piece.last);
    const int step = confidence_step(*std::min_element(first, last));
    return step == 0 ? nullptr : &confidence_shades(theme)[static_cast<std::size_t>(step - 1)];
}

const shade* change_shade(const scored_text& text, const text_piece& piece, background theme) {
    int most = 0;
    for (std::size_t t = piece.first; t < piece.last; ++t)
        if (const int step = change_step(text.confidence[t], text.after[t]);
            std::abs(step) > std::abs(most))
            most = step;
    if (most == 0) return nullptr;
    const auto& shades = most > 0 ? rise_shades(theme) : fall_shades(theme);
    return &shades[static_cast<std::size_t>(std::abs(most) - 1)];
}

// The run of a role that a glyph is in, if it is in one; a run begins with its letter.
struct role_mark {
    const role_run* run = nullptr;
    char letter = ' ';
};

// The rows of one line.
class row_writer {
public:
    row_writer(std::vector<code_row>& rows, const terminal_style& style, std::size_t width)
        : rows_(rows), depth_(style.colors), width_(width) {
        rows_.emplace_back();
    }

    void use(const shade* s) {
        if (depth_ == color_depth::none || s == shade_) return;
        close();
        shade_ = s;
    }
    void put(const glyph& g, const role_mark& role = {}) {
        if (width_ > 0 && rows_.back().columns + g.columns > width_ && rows_.back().columns > 0) {
            close();
            rows_.emplace_back();
        }
        if (shade_ && !is_open_) {
            rows_.back().text += start_of(*shade_, depth_);
            is_open_ = true;
        }
        mark(g.columns, role);
        rows_.back().text += g.text;
        rows_.back().columns += g.columns;
        line_columns_ += g.columns;
        last_columns_ = std::max<std::size_t>(g.columns, 1);
    }
    void close() {
        if (is_open_) rows_.back().text += end_of_shade;
        is_open_ = false;
    }
    std::size_t line_columns() const { return line_columns_; }
    /// The place of the glyph that was put last.
    row_place place(std::size_t line) const {
        return {line, rows_.size() - 1,
                rows_.back().columns - std::min(last_columns_, rows_.back().columns)};
    }

private:
    void mark(std::size_t columns, const role_mark& role) {
        code_row& row = rows_.back();
        const bool goes_on = role.run == run_ && row.roles.size() == row.columns;
        run_ = role.run;
        if (!role.run || columns == 0) return;
        row.roles.resize(row.columns, ' ');
        row.roles += goes_on && row.columns > 0 ? '-' : role.letter;
        row.roles.append(columns - 1, '-');
    }

    std::vector<code_row>& rows_;
    const role_run* run_ = nullptr;
    color_depth depth_;
    std::size_t width_;
    const shade* shade_ = nullptr;
    bool is_open_ = false;
    std::size_t line_columns_ = 0, last_columns_ = 0;
};

}  // namespace

std::string start_of(const shade& s, color_depth depth) {
    if (depth == color_depth::none) return {};
    // Black and white come from the upper part of the 256 colours too: a user's theme may change
    // the first sixteen.
    std::string code = "\x1b[38;5;" + std::string(s.has_dark_text ? "16" : "231") + ";48;";
    if (depth == color_depth::indexed) return code + "5;" + std::to_string(s.indexed) + 'm';
    return code + "2;" + std::to_string(s.color >> 16) + ';' + std::to_string(s.color >> 8 & 0xFF) +
           ';' + std::to_string(s.color & 0xFF) + 'm';
}

code_rows make_rows(const scored_text& text, const text_layout& layout, const byte_range& frame,
                    const terminal_style& style, std::size_t width) {
    const glyph_reader reader;
    code_rows out;
    out.lines.resize(layout.lines.size());
    const std::string_view response = text.response;
    auto run = text.roles.begin();
    // The run of a byte. Bytes are asked for in their order.
    const auto role_at = [&](std::size_t at) -> role_mark {
        while (run != text.roles.end() && run->end <= at) ++run;
        if (run == text.roles.end() || at < run->begin) return {};
        return {&*run, letter_of(run->role)};
    };
    for (std::size_t l = 0; l < layout.lines.size(); ++l) {
        const text_line& line = layout.lines[l];
        row_writer rows(out.lines[l], style, width);
        bool is_indent = true;
        for (std::size_t p = line.first_piece; p < line.last_piece; ++p) {
            const text_piece& piece = layout.pieces[p];
            const shade* marked = nullptr;
            if (piece.first < piece.last)
                marked = text.after.empty() ? confidence_shade(text, piece, style.theme)
                                            : change_shade(text, piece, style.theme);
            rows.use(marked);
            for (std::size_t at = piece.begin; at < piece.end;) {
                const std::size_t begin = at;
                is_indent = is_indent && (response[at] == ' ' || response[at] == '\t');
                rows.put(reader.next(response.substr(0, piece.end), at, rows.line_columns()),
                         is_indent ? role_mark() : role_at(begin));
                if (frame.begin >= frame.end) continue;
                if (begin <= frame.begin && frame.begin < at) out.begin = rows.place(l);
                if (begin < frame.end && frame.end <= at) out.last = rows.place(l);
            }
            if (piece.begin == piece.end && !piece.ends_line) rows.put({template_token, 1});
            // The marked blank makes room for a newline that the model did not expect.
            if (piece.ends_line && marked && style.colors != color_depth::none) rows.put({" ", 1});
        }
        rows.close();
    }
    return out;
}

}  // namespace cuset

#include "cuset/view/terminal_view.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "code_rows.h"
#include "cuset/base/format.h"
#include "glyphs.h"

namespace cuset {
namespace {

constexpr std::size_t spark_columns = 8;
/// Code has at least this many columns on any terminal.
constexpr std::size_t least_code_columns = 20;

std::string fixed(double value) { return format("%.3f", value); }

// "0.331", or with two models "0.331 → 0.402".
std::string means(const scored_text& text, std::size_t first, std::size_t last) {
    std::string out = fixed(mean_of(text.confidence, first, last));
    if (!text.after.empty()) out += " \u2192 " + fixed(mean_of(text.after, first, last));
    return out;
}

std::string window_means(const scored_text& text) {
    std::string out = fixed(window_of(text, text.confidence).mean);
    if (!text.after.empty()) out += " \u2192 " + fixed(window_of(text, text.after).mean);
    return out;
}

std::string inked(const ink& i, color_depth depth, const std::string& text) {
    if (depth == color_depth::none) return text;
    return "\x1b[38;5;" + std::to_string(i.indexed) + 'm' + text + end_of_shade;
}

std::string line_numbers(std::size_t first, std::size_t last) {
    return first == last ? std::to_string(first)
                         : std::to_string(first) + '-' + std::to_string(last);
}

class drawing {
public:
    drawing(const scored_text& text, const terminal_style& style, std::string& out)
        : text_(text),
          style_(style),
          out_(out),
          layout_(lay_out(text.response, text.token_end)),
          frame_(visible_range(text, text.window)),
          smooth_(smoothed(text.after.empty() ? text.confidence : text.after, style.smoothing)) {
        number_columns_ = std::max<std::size_t>(3, std::to_string(layout_.lines.size()).size());
        // A margin has number, blank, sparkline, blank, change, marks of kernels and launches, the
        // frame's edges.
        margin_ = number_columns_ + 1 + spark_columns + 1 + (text.after.empty() ? 0 : 6) + 2 + 2;
        if (style.width > 0)
            code_columns_ =
                std::max(least_code_columns, style.width > margin_ ? style.width - margin_ : 0);
        for (const tagged_span& span : text.spans)
            span_lines_.emplace_back(layout_.line_of(span.begin),
                                     layout_.line_of(std::max(span.begin + 1, span.end) - 1));
    }

    void draw();

private:
    std::string dim(const std::string& text) const { return styled("2", text); }
    std::string bold(const std::string& text) const { return styled("1", text); }
    std::string styled(const char* code, const std::string& text) const {
        if (style_.colors == color_depth::none || text.empty()) return text;
        return "\x1b[" + std::string(code) + 'm' + text + end_of_shade;
    }
    void title();
    void spans();
    std::string sparkline(std::size_t line) const;
    const char* between(std::size_t line) const;
    std::string change(std::size_t line) const;
    std::string marks(std::size_t line, bool begins, bool ends) const;
    void border(bool is_top);
    void rows(std::size_t line);
    void elided(std::size_t lines);
    void role_row(std::size_t line, const code_row& row, bool is_last, bool framed);

    const scored_text& text_;
    const terminal_style& style_;
    std::string& out_;
    text_layout layout_;
    byte_range frame_;
    std::vector<double> smooth_;
    std::vector<std::pair<std::size_t, std::size_t>> span_lines_;
    std::size_t number_columns_, margin_, code_columns_ = 0;  // of code 0: any number
    code_rows code_;
    std::size_t frame_columns_ = 0;
    std::string frame_title_;
};

void drawing::title() {
    const glyph_reader reader;
    const std::string id = safe_text(text_.id, reader);
    if (text_.kernel) {
        const shown_kernel& kernel = *text_.kernel;
        const auto [first, last] = kernel.tokens;
        out_ +=
            bold("kernel " + safe_text(kernel.name, reader)) + " of " + bold(id) + ", " +
            safe_text(text_.place, reader) + ", lines " +
            line_numbers(layout_.line_of(kernel.begin) + 1, layout_.line_of(kernel.end - 1) + 1) +
            "  " + std::to_string(last - first) + " tokens, mean " + means(text_, first, last) +
            ", hardest window " + window_means(text_) + '\n';
        return;
    }
    out_ += bold(id) + "  ";
    if (text_.confidence.empty()) {
        out_ += "no tokens\n";
        return;
    }
    out_ += std::to_string(text_.confidence.size()) + " tokens, mean " +
            means(text_, 0, text_.confidence.size()) + ", hardest window " + window_means(text_) +
            '\n';
}

// The spans by name and lines, wrapped.
void drawing::spans() {
    const glyph_reader reader;
    std::size_t columns = 0;
    std::string row;
    const auto flush = [&] {
        if (columns > 0) out_ += dim(row) + '\n';
        row.clear();
        columns = 0;
    };
    for (std::size_t i = 0; i < text_.spans.size(); ++i) {
        const tagged_span& span = text_.spans[i];
        std::string words = safe_text(span.kind, reader) + ' ';
        if (!span.name.empty()) words += safe_text(span.name, reader) + ' ';
        words += line_numbers(span_lines_[i].first + 1, span_lines_[i].second + 1);
        // Nearly all names are ASCII; a wider one only wraps late.
        if (style_.width > 0 && columns + 3 + words.size() > style_.width) flush();
        row += columns > 0 ? " \u00B7 " + words : words;
        columns += (columns > 0 ? 3 : 0) + words.size();
    }
    flush();
}

std::string drawing::sparkline(std::size_t line) const {
    static constexpr std::array levels = {"\u2581", "\u2582", "\u2583", "\u2584",
                                          "\u2585", "\u2586", "\u2587", "\u2588"};
    const auto [first, last] = layout_.tokens_of(layout_.lines[line]);
    const std::size_t cells = std::min(spark_columns, last - first);
    std::string out;
    for (std::size_t cell = 0; cell < cells; ++cell) {
        const std::size_t begin = first + (last - first) * cell / cells;
        const std::size_t end = first + (last - first) * (cell + 1) / cells;
        const double level = mean_of(smooth_, begin, end) * levels.size();
        out += levels[std::min(levels.size() - 1, static_cast<std::size_t>(level))];
    }
    return out + std::string(spark_columns - cells, ' ');
}

std::string drawing::change(std::size_t line) const {
    const auto [first, last] = layout_.tokens_of(layout_.lines[line]);
    if (first == last) return std::string(6, ' ');
    const double difference =
        mean_of(text_.after, first, last) - mean_of(text_.confidence, first, last);
    // A change that rounds to nothing has no sign.
    if (std::fabs(difference) < 0.005) return " 0.00 ";
    return format("%+.2f", difference) + ' ';
}

// The marks of kernels and launches on a row, which may be the first and the last of its line.
std::string drawing::marks(std::size_t line, bool begins, bool ends) const {
    const char *kernel = " ", *launch = " ";
    for (std::size_t i = 0; i < text_.spans.size(); ++i) {
        const auto [first, last] = span_lines_[i];
        if (line < first || line > last) continue;
        if (text_.spans[i].kind == "launch")
            launch = "\u00BB";
        else if (begins && line == first)
            kernel = first == last && ends ? "\u257A" : "\u250F";
        else
            kernel = ends && line == last ? "\u2517" : "\u2503";
    }
    return std::string(kernel) + launch;
}

// The mark of a kernel that continues from the line before.
const char* drawing::between(std::size_t line) const {
    for (std::size_t i = 0; i < text_.spans.size(); ++i)
        if (text_.spans[i].kind != "launch" && span_lines_[i].first < line &&
            line <= span_lines_[i].second)
            return "\u2503";
    return " ";
}

// An edge of the frame, with an arrow where the window begins or ends.
void drawing::border(bool is_top) {
    const row_place& place = is_top ? *code_.begin : *code_.last;
    const std::size_t rows = code_.lines[place.line].size();
    const bool has_arrow = is_top ? place.row == 0 : place.row + 1 == rows;
    std::string edge = is_top ? "\u250C" : "\u2514";
    const std::size_t inner = frame_columns_;
    // The title stands after the arrow, or before it if there is more room.
    const std::string& title = is_top ? frame_title_ : std::string();
    const std::size_t title_columns = title.empty() ? 0 : title.size() + 2;
    std::size_t title_at = inner;
    if (title_columns > 0 && title_columns + 1 <= inner) {
        const std::size_t behind = has_arrow ? place.column + 2 : 1;
        if (behind + title_columns <= inner)
            title_at = behind;
        else if (title_columns + 1 <= place.column)
            title_at = 1;
    }
    for (std::size_t column = 0; column < inner;) {
        if (column == title_at) {
            edge += ' ' + title + ' ';
            column += title_columns;
            continue;
        }
        edge += has_arrow && column == place.column ? (is_top ? "\u25BC" : "\u25B2") : "\u2500";
        ++column;
    }
    edge += is_top ? "\u2510" : "\u2518";
    out_ += std::string(margin_ - 4, ' ') + between(is_top ? place.line : place.line + 1) + " " +
            bold(edge) + '\n';
}

void drawing::rows(std::size_t line) {
    const bool framed = code_.begin && line >= code_.begin->line && line <= code_.last->line;
    bool is_first = true;
    for (const code_row& row : code_.lines[line]) {
        if (is_first) {
            const std::string number = std::to_string(line + 1);
            out_ += dim(std::string(number_columns_ - number.size(), ' ') + number) + ' ' +
                    sparkline(line) + ' ';
            if (!text_.after.empty()) out_ += change(line);
        } else {
            out_ += std::string(margin_ - 4, ' ');
        }
        out_ += marks(line, is_first, &row == &code_.lines[line].back());
        out_ += framed ? bold("\u2502") : " ";
        out_ += row.text;
        if (framed) out_ += std::string(frame_columns_ - row.columns, ' ') + bold("\u2502");
        // A line without colour has no blanks at its end.
        if (!framed && row.columns == 0) out_.erase(out_.find_last_not_of(' ') + 1);
        out_ += '\n';
        is_first = false;
        if (!row.roles.empty()) role_row(line, row, &row == &code_.lines[line].back(), framed);
    }
}

// The row under a row of code that tells the roles. `is_last`: of its line's rows.
void drawing::role_row(std::size_t line, const code_row& row, bool is_last, bool framed) {
    out_ += std::string(margin_ - 4, ' ');
    out_ += is_last ? between(line + 1) + std::string(" ") : marks(line, false, false);
    out_ += framed ? bold("\u2502") : " ";
    const auto& inks = role_inks(style_.theme);
    for (std::size_t at = 0; at < row.roles.size();) {
        const std::size_t begin = at++;
        if (row.roles[begin] == ' ') {
            out_ += ' ';
            continue;
        }
        std::string run(1, row.roles[begin]);
        for (; at < row.roles.size() && row.roles[at] == '-'; ++at) run += "\u2500";
        const auto role =
            std::find_if(role_names.begin(), role_names.end(),
                         [&](std::string_view name) { return name.front() == row.roles[begin]; }) -
            role_names.begin();
        out_ += inked(inks[static_cast<std::size_t>(role)], style_.colors, run);
    }
    if (framed) out_ += std::string(frame_columns_ - row.roles.size(), ' ') + bold("\u2502");
    out_ += '\n';
}

// Tells of lines that are not shown.
void drawing::elided(std::size_t lines) {
    if (lines == 0) return;
    out_ += std::string(number_columns_ - 1, ' ') +
            dim("\u2026 " + std::to_string(lines) + (lines == 1 ? " line" : " lines")) + '\n';
}

void drawing::draw() {
    title();
    if (!text_.kernel) spans();
    if (layout_.lines.empty()) return;
    code_ = make_rows(text_, layout_, frame_, style_, code_columns_);
    if (!code_.begin || !code_.last) code_.begin = code_.last = std::nullopt;
    if (code_.begin) {
        const counted_window window = window_of(text_, text_.confidence);
        frame_title_ =
            "hardest " + std::to_string(window.tokens) + " tokens, mean " + fixed(window.mean);
        frame_columns_ = std::max(frame_title_.size() + 4, least_code_columns);
        if (code_columns_ > 0) frame_columns_ = std::min(frame_columns_, code_columns_);
        for (std::size_t l = code_.begin->line; l <= code_.last->line; ++l)
            for (const code_row& row : code_.lines[l])
                frame_columns_ = std::max(frame_columns_, row.columns);
    }
    const line_range shown = shown_lines(text_, layout_, style_.context);
    elided(shown.first);
    for (std::size_t l = shown.first; l < shown.last; ++l) {
        if (code_.begin && l == code_.begin->line) border(true);
        rows(l);
        if (code_.last && l == code_.last->line) border(false);
    }
    elided(layout_.lines.size() - shown.last);
}

}  // namespace

namespace {

std::string legend_of_colors(const terminal_style& style, bool compared) {
    if (style.colors == color_depth::none) return {};
    std::string out = compared ? "confidence fell by" : "confidence";
    const auto cell = [&](const shade& s, const std::string& label) {
        out += ' ' + start_of(s, style.colors) + ' ' + label + ' ' + end_of_shade;
    };
    const auto number = [](double edge) { return format("%g", edge); };
    if (compared) {
        for (std::size_t i = change_edges.size(); i-- > 0;)
            cell(fall_shades(style.theme)[i], "\u2265" + number(change_edges[i]));
        out += "  rose by";
        for (std::size_t i = 0; i < change_edges.size(); ++i)
            cell(rise_shades(style.theme)[i], "\u2265" + number(change_edges[i]));
    } else {
        out += "  \u2265" + number(confidence_edges[0]);
        for (std::size_t i = 0; i < confidence_edges.size(); ++i)
            cell(confidence_shades(style.theme)[i], "<" + number(confidence_edges[i]));
    }
    return out + '\n';
}

}  // namespace

std::string legend(const terminal_style& style, bool compared) {
    std::string out = legend_of_colors(style, compared);
    if (style.roles.none()) return out;
    out += "roles";
    for (std::size_t i = 0; i < token_roles; ++i)
        if (style.roles[i])
            out += "  " + inked(role_inks(style.theme)[i], style.colors,
                                std::string(1, role_names[i].front()) + "\u2500 " +
                                    std::string(role_names[i]));
    return out + '\n';
}

void append_view(const scored_text& text, const terminal_style& style, std::string& out) {
    drawing(text, style, out).draw();
}

}  // namespace cuset

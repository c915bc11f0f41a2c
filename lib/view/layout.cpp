#include <algorithm>
#include <numeric>

#include "cuset/view/scored_text.h"

namespace cuset {
namespace {

bool starts_character(std::string_view text, std::size_t at) {
    return at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
}

class line_builder {
public:
    line_builder(std::string_view response, text_layout& out) : response_(response), out_(out) {}

    // Cuts the text of the tokens [first, last) at its newlines.
    void add(std::size_t begin, std::size_t end, std::size_t first, std::size_t last) {
        bool is_new = true;
        for (std::size_t newline = response_.find('\n', begin); newline < end;
             newline = response_.find('\n', begin)) {
            push({begin, newline, first, last, true});
            begin = newline + 1;
            is_new = false;
        }
        if (begin < end || is_new) push({begin, end, first, last, false});
    }

private:
    void push(const text_piece& piece) {
        if (starts_line_) out_.lines.push_back({piece.begin, piece.begin, out_.pieces.size(), 0});
        out_.pieces.push_back(piece);
        out_.lines.back().end = piece.end;
        out_.lines.back().last_piece = out_.pieces.size();
        starts_line_ = piece.ends_line;
    }

    std::string_view response_;
    text_layout& out_;
    bool starts_line_ = true;
};

}  // namespace

text_layout lay_out(std::string_view response, std::span<const std::uint64_t> token_end) {
    text_layout out;
    line_builder lines(response, out);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < token_end.size();) {
        const std::size_t first = i;
        std::size_t end = token_end[i++];
        while (i < token_end.size() && !starts_character(response, end)) end = token_end[i++];
        // Takes the rest of a character whose last bytes belong to no token.
        while (!starts_character(response, end)) ++end;
        lines.add(begin, end, first, i);
        begin = end;
    }
    if (begin < response.size())
        lines.add(begin, response.size(), token_end.size(), token_end.size());
    return out;
}

std::size_t text_layout::line_of(std::size_t byte) const {
    const auto after =
        std::upper_bound(lines.begin(), lines.end(), byte,
                         [](std::size_t at, const text_line& line) { return at < line.begin; });
    return after == lines.begin() ? 0 : static_cast<std::size_t>(after - lines.begin()) - 1;
}

std::pair<std::size_t, std::size_t> text_layout::tokens_of(const text_line& line) const {
    return {pieces[line.first_piece].first, pieces[line.last_piece - 1].last};
}

byte_range visible_range(const scored_text& text, const confidence_window& window) {
    constexpr std::string_view blank = " \t\r\n";
    const std::size_t begin = window.first ? text.token_end[window.first - 1] : 0;
    const std::size_t end = window.last ? text.token_end[window.last - 1] : 0;
    const std::string_view inside = std::string_view(text.response).substr(begin, end - begin);
    const std::size_t first = inside.find_first_not_of(blank);
    if (first == inside.npos) return {begin, begin};
    return {begin + first, begin + inside.find_last_not_of(blank) + 1};
}

line_range shown_lines(const scored_text& text, const text_layout& layout,
                       std::optional<std::size_t> context) {
    const std::size_t lines = layout.lines.size();
    if (lines == 0 || (!context && !text.kernel)) return {0, lines};
    const auto lines_of = [&layout](std::size_t begin, std::size_t end) {
        return line_range{layout.line_of(begin), layout.line_of(std::max(end, begin + 1) - 1) + 1};
    };
    const byte_range frame = visible_range(text, text.window);
    const line_range window = lines_of(frame.begin, frame.end);
    if (context)
        return {window.first - std::min(window.first, *context),
                window.last + std::min(lines - window.last, *context)};
    // The token before a kernel's brace may begin on the line above.
    const line_range own = lines_of(text.kernel->begin, text.kernel->end);
    return {std::min(own.first, window.first), std::max(own.last, window.last)};
}

std::vector<double> smoothed(std::span<const double> values, std::size_t width) {
    std::vector<double> sums(values.size() + 1);
    std::inclusive_scan(values.begin(), values.end(), sums.begin() + 1);
    std::vector<double> means(values.size());
    const std::size_t before = width / 2, after = width - before;
    for (std::size_t t = 0; t < values.size(); ++t) {
        const std::size_t first = t > before ? t - before : 0;
        const std::size_t last = std::min(values.size(), t + after);
        means[t] = (sums[last] - sums[first]) / static_cast<double>(last - first);
    }
    return means;
}

double mean_of(std::span<const double> values, std::size_t first, std::size_t last) {
    const auto range = values.subspan(first, last - first);
    return std::accumulate(range.begin(), range.end(), 0.0) / static_cast<double>(range.size());
}

counted_window window_of(const scored_text& text, std::span<const double> values) {
    counted_window window;
    double sum = 0;
    for (std::size_t i = text.window.first; i < text.window.last; ++i) {
        if (!text.left_out.empty() && text.left_out[i]) continue;
        sum += values[i];
        ++window.tokens;
    }
    if (window.tokens > 0) window.mean = sum / static_cast<double>(window.tokens);
    return window;
}

}  // namespace cuset

#include "table.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "cuset/base/format.h"
#include "cuset/base/visible_text.h"
#include "cuset/region/recorded_roles.h"

namespace cuset {
namespace {

struct byte_range {
    std::size_t begin, end;
};

byte_range bytes_of(const pair_record& record, const confidence_window& window) {
    return {window.first ? record.token_end[window.first - 1] : 0,
            window.last ? record.token_end[window.last - 1] : 0};
}

// The span that shares the most bytes with [begin, end); null where none shares any.
const tagged_span* main_span(const std::vector<tagged_span>& spans, std::size_t begin,
                             std::size_t end) {
    const tagged_span* best = nullptr;
    std::size_t most = 0;
    for (const tagged_span& span : spans) {
        const std::size_t first = std::max<std::size_t>(span.begin, begin);
        const std::size_t last = std::min<std::size_t>(span.end, end);
        if (first < last && last - first > most) {
            most = last - first;
            best = &span;
        }
    }
    return best;
}

// Appends text for a cell of the table, with hidden characters visible, cut after `most`
// characters.
void append_cell(std::string_view text, std::size_t most, std::string& out) {
    std::string line(text);  // code has tabs and newlines, which a cell shows as blanks
    for (char& c : line)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
    std::size_t characters = 0;
    for (const char c : visible_text(line)) {
        const bool starts_character = (static_cast<unsigned char>(c) & 0xC0) != 0x80;
        if (starts_character && ++characters > most) {
            out += "...";
            return;
        }
        out += c;
    }
}

// Prints six decimals, and more if a value is so small that six would not hold six digits of it:
// sort -n does not understand 1e-09, and no value may become 0.
void append_fixed(double value, std::string& out) {
    int decimals = 6;
    if (value > 0 && value < 0.1) decimals = 5 - static_cast<int>(std::floor(std::log10(value)));
    out += format("%.*f", decimals, value);
}

constexpr std::string_view blank = " \t\r\n";

// Writes what the window is in: `span`, or the span that shares most with it.
std::string row_text(const pair_record& record, const confidence_window& window,
                     const tagged_span* span) {
    const auto [begin, end] = bytes_of(record, window);
    std::string out;
    const std::string_view response = record.response;
    // A window often begins or ends on the white space between two lines.
    const std::string_view inside = response.substr(begin, end - begin);
    const std::size_t code = std::min(inside.find_first_not_of(blank), inside.size()) + begin;
    const std::size_t code_end = inside.find_last_not_of(blank) + 1 + begin;

    const auto lines_before = [response](std::size_t at) {
        return std::count(response.begin(), response.begin() + static_cast<std::ptrdiff_t>(at),
                          '\n');
    };
    const auto first_line = lines_before(code) + 1;
    const auto last_line = std::max(first_line, lines_before(std::max(code, code_end)) + 1);

    append_fixed(window.mean, out);
    out += '\t';
    append_fixed(sample_weight(window.mean), out);
    out += '\t';
    append_cell(record.id, 200, out);
    out += '\t' + std::to_string(first_line) + '-' + std::to_string(last_line) + '\t';
    if (span == nullptr) span = main_span(record.spans, begin, end);
    if (span != nullptr) {
        append_cell(span->kind + ' ' + span->name, 200, out);
    } else {
        out += '-';
    }
    out += '\t';
    // Shows the whole line from its start, since half a statement says little.
    const std::size_t start = code == 0 ? 0 : response.rfind('\n', code - 1) + 1;
    std::string_view line = response.substr(start, response.find('\n', start) - start);
    line.remove_prefix(std::min(line.find_first_not_of(blank), line.size()));
    append_cell(line.substr(0, line.find_last_not_of(blank) + 1), 60, out);
    out += '\n';
    return out;
}

}  // namespace

result<std::vector<table_row>> rows_of(const pair_record& record, const table_options& options,
                                       window_search& search) {
    std::vector<bool> left_out;
    if (options.drops_comments) CUSET_TRY(read_comments(record, left_out));
    const std::span<const double> confidence(record.confidence);
    std::vector<table_row> rows;
    const auto add = [&](std::size_t first, std::size_t last, const tagged_span* span) {
        const confidence_window window =
            search.hardest_of_kept(confidence, left_out, first, last, options.size, options.ends);
        rows.push_back({window.mean, row_text(record, window, span)});
    };
    if (!options.within_kernels) {
        add(0, confidence.size(), nullptr);
        return rows;
    }
    for (const tagged_span& span : record.spans) {
        if (span.kind != "kernel") continue;
        const token_range own = tokens_within(record.token_end, span.begin, span.end);
        if (!own.is_empty()) add(own.first, own.last, &span);  // else it is cut off
    }
    return rows;
}

bool hardest_rows::is_harder(const kept_row& a, const kept_row& b) {
    return std::tie(a.row.mean, a.source, a.number, a.place) <
           std::tie(b.row.mean, b.source, b.number, b.place);
}

void hardest_rows::add(table_row row, const pair_record& record, std::size_t place) {
    const std::lock_guard lock(mutex_);
    rows_.push_back({std::move(row), record.source, record.number, place});
    std::push_heap(rows_.begin(), rows_.end(), is_harder);
    if (rows_.size() <= most_) return;
    std::pop_heap(rows_.begin(), rows_.end(), is_harder);
    rows_.pop_back();
}

std::string hardest_rows::take() {
    std::sort_heap(rows_.begin(), rows_.end(), is_harder);
    std::string text;
    for (const kept_row& kept : rows_) text += kept.row.text;
    rows_.clear();
    return text;
}

}  // namespace cuset

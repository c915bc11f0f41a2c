// A response with its confidences, laid out in lines of pieces that can be drawn.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/region/window.h"
#include "cuset/stream/pair_record.h"
#include "cuset/syntax/roles.h"

namespace cuset {

/// Some of the roles, each at its place in role_names.
using role_set = std::bitset<token_roles>;

/// A kernel that is shown for itself.
struct shown_kernel {
    std::string name;
    std::size_t begin = 0, end = 0;  ///< bytes of the response
    token_range tokens;              ///< those with bytes in it; not empty
};

/// Which window is the hardest one.
struct window_search_options {
    std::size_t size = 0;  ///< tokens; 0: the record's own window, or 256 where it has none
    window_ends ends = window_ends::full;
    bool drops_comments = false;  ///< as if the response had no comments

    /// Whether the record's own window counts, which cuset-window --records finds in its own way.
    bool takes_own() const { return size == 0 && ends == window_ends::full && !drops_comments; }
};

/// What is shown of a record that one model or two have scored.
struct scored_text {
    std::string id, response;              ///< the response is valid UTF-8
    std::vector<std::uint64_t> token_end;  ///< never falling, none past the response
    std::vector<double> confidence;        ///< as many, each in [0, 1]
    std::vector<double> after;             ///< of the second model, as many; empty if there is one
                                           ///< model
    std::vector<tagged_span> spans;        ///< none reaches past the response
    std::vector<role_run> roles;           ///< sorted, without overlaps, none past the response
    bool has_roles = false;                ///< the record told them
    std::vector<bool> left_out;            ///< tokens that no window counts; empty: none
    confidence_window window;              ///< the hardest one by `confidence`
    std::string place;                     ///< "scored.jsonl:12", where the record came from
    std::optional<shown_kernel> kernel;    ///< if that is what is shown, `window` lies in it
};

/// The response's kernels, in the order of their spans, each with the window that cuset-window
/// --within kernel finds in it, or all of a shorter kernel.
std::vector<std::pair<shown_kernel, confidence_window>> kernels_of(
    const scored_text& text, const window_search_options& wanted, window_search& search);

/// Takes what is shown from a record that was read with its response, tag, score and, if the
/// record's own window counts, window (see record_part). Of its roles those in `roles` are taken. A
/// data error if there are no roles and comments are dropped, if token ends, spans or roles reach
/// past the response, a role has no name that we know, or the window does not belong to these
/// scores.
status take_scored_text(pair_record& record, const window_search_options& wanted,
                        const role_set& roles, window_search& search, scored_text& out);

/// Adds the confidences of the same pair scored by a second model. A data error if the responses or
/// the tokens differ: the confidences could not be compared. `other` is the second file's name in
/// messages.
status add_second_score(scored_text& first, scored_text& second, const std::string& other);

/// A run of whole characters without a newline, and the tokens that made it: one token, several
/// that share a character, or none if the text was not scored. A token over several lines has a
/// piece on each. A token without bytes (of the chat template) is an empty piece.
struct text_piece {
    std::size_t begin = 0, end = 0;   ///< bytes of the response
    std::size_t first = 0, last = 0;  ///< tokens, half open
    bool ends_line = false;           ///< the same tokens made the newline after it
};

struct text_line {
    std::size_t begin = 0, end = 0;               ///< bytes, without the newline
    std::size_t first_piece = 0, last_piece = 0;  ///< half open, never empty
};

/// Every byte of the response but newlines lies in one piece; every token has a piece.
struct text_layout {
    std::vector<text_piece> pieces;
    std::vector<text_line> lines;

    /// The line of a byte; a newline belongs to the line that it ends.
    std::size_t line_of(std::size_t byte) const;
    /// The tokens of a line's pieces, half open.
    std::pair<std::size_t, std::size_t> tokens_of(const text_line& line) const;
};

text_layout lay_out(std::string_view response, std::span<const std::uint64_t> token_end);

struct byte_range {
    std::size_t begin = 0, end = 0;
};
/// The bytes of a window without the white space at its ends, since windows often begin and end
/// there. Empty if nothing else is left. cuset-window names the same lines.
byte_range visible_range(const scored_text& text, const confidence_window& window);

/// Lines [first, last), from 0.
struct line_range {
    std::size_t first = 0, last = 0;
};
/// The lines that are shown: `context` lines around the window's on either side or, without a
/// context, those of the kernel that is shown, or all.
line_range shown_lines(const scored_text& text, const text_layout& layout,
                       std::optional<std::size_t> context);

/// For each value the mean of the `width` (> 0) values around it, clipped at the ends like the
/// windows of cuset/region/window.h.
std::vector<double> smoothed(std::span<const double> values, std::size_t width);

/// The mean over the tokens [first, last), of which there is at least one.
double mean_of(std::span<const double> values, std::size_t first, std::size_t last);

/// The tokens of the text's window that count, and the mean of `values`, one for each token of the
/// text, over them; 1 if none does.
struct counted_window {
    std::size_t tokens = 0;
    double mean = 1;
};
counted_window window_of(const scored_text& text, std::span<const double> values);

}  // namespace cuset

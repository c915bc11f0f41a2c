// What came of an evaluation, as one HTML page that loads nothing else and can be read without its
// script: report_page_begin(), append_answer() for each, report_page_end(). All texts are those of
// others: none can end its element, and hidden characters are shown as visible_text() shows them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cuset {

/// A share from 0 to 1 that is drawn, with its interval; low and high are NaN if there is none.
struct drawn_share {
    double value = 0, low = 0, high = 0;
};

struct page_row {
    std::vector<std::string> cells;
    std::optional<drawn_share> share;  ///< drawn behind the cells
};

struct page_table {
    std::string title;
    std::vector<std::string> columns;
    std::size_t numbers = 0;  ///< so many columns behind the first hold numbers, others text
    std::vector<page_row> rows;
    std::string filter = {};  ///< "outcome" or "family" if the first cells are such of answers
};

struct report_head {
    std::string title;                                       ///< "48 tasks, 4 samples each"
    std::vector<std::pair<std::string, std::string>> facts;  ///< a name, and what it is
    std::vector<std::string> warnings;
    std::vector<page_table> tables;
};

/// Something that is said of a line of a text.
struct line_note {
    std::string kind;      ///< "race", "error", "note"
    std::size_t line = 0;  ///< from 1; 0 if it is about none
    std::string text;
};

/// A file of an answer's program, with numbers at its lines, or other text of the answer.
struct shown_text {
    std::string path;  ///< empty for other text
    std::string content;
    std::optional<std::size_t> begin;  ///< the byte of the answer where it stands; it has colours
    std::vector<line_note> notes;      ///< shown at their lines, or above if there is no such line
};

enum class answer_mark : unsigned char { passed, failed, open };

struct judged_answer {
    std::string task, family;
    std::uint64_t sample = 0;
    std::string outcome;  ///< "correct", "wrong_output": what the page filters by
    answer_mark mark = answer_mark::open;
    std::string diagnostic;
    std::vector<std::string> facts;  ///< "after compiled", "268 tokens"
    std::vector<line_note> notes;    ///< those that no text has
    std::string compiler;            ///< all that it said; may be empty
    std::vector<shown_text> texts;   ///< in the order in which they are shown
    /// The tokens of `answer` and their confidences, as cuset/view/scored_text.h has them; empty
    /// where they are not known.
    std::string answer;
    std::vector<std::uint64_t> token_end;  ///< none past the answer
    std::vector<double> confidence;
};

/// Everything before the answers: the page's style and the tables.
std::string report_page_begin(const report_head& head);

/// Appends an answer, folded. Neighbouring tokens of one shade share an element.
void append_answer(const judged_answer& answer, std::string& out);

/// Everything behind the answers: the script.
std::string_view report_page_end();

}  // namespace cuset

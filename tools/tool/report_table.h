// Tables of a report, as text for people and in the forms that papers and pages take.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cuset {

enum class table_form : unsigned char { text, markdown, latex };

/// Rows of cells under a heading.
class report_table {
public:
    explicit report_table(std::vector<std::string> heading) { rows_.push_back(std::move(heading)); }
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

    /// Each column is as wide as its widest cell; the first `left` columns are flush left.
    void append_text(std::string& out, std::size_t left) const;
    /// The same in any form. Markdown is a table as GitHub has it; LaTeX is a tabular that needs no
    /// package. Both show each cell as it is.
    void append(table_form form, std::string& out, std::size_t left) const;

private:
    void append_markdown(std::string& out, std::size_t left) const;
    void append_latex(std::string& out, std::size_t left) const;
    std::vector<std::vector<std::string>> rows_;
};

/// A text that Markdown shows as it is, in a table's cell too; and one that LaTeX does, with a
/// minus before a number.
std::string escaped_for_markdown(std::string_view text);
std::string escaped_for_latex(std::string_view text);

}  // namespace cuset

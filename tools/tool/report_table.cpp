#include "report_table.h"

#include <algorithm>

#include "cuset/base/visible_text.h"

namespace cuset {

namespace {

/// How many columns of a terminal a text takes, if each character takes one.
std::size_t width_of(std::string_view text) {
    std::size_t width = 0;
    for (std::size_t at = 0; at < text.size(); ++width) next_character(text, at);
    return width;
}

const char* latex_of(char c) {
    switch (c) {
        case '\\': return "\\textbackslash{}";
        case '~': return "\\textasciitilde{}";
        case '^': return "\\textasciicircum{}";
        case '<': return "\\textless{}";
        case '>': return "\\textgreater{}";
        case '|': return "\\textbar{}";
        case '&': return "\\&";
        case '%': return "\\%";
        case '$': return "\\$";
        case '#': return "\\#";
        case '_': return "\\_";
        case '{': return "\\{";
        case '}': return "\\}";
        default: return nullptr;
    }
}

}  // namespace

std::string escaped_for_markdown(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (std::string_view("\\`*_[]<>|~&$#!").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

std::string escaped_for_latex(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (const char* name = latex_of(c)) {
            out += name;
        } else if (c == '-') {
            const char next = i + 1 < text.size() ? text[i + 1] : ' ';
            const bool begins = i == 0 || text[i - 1] == ' ' || text[i - 1] == '[';
            // Two of them would become one longer dash.
            out += begins && next >= '0' && next <= '9' ? "$-$" : next == '-' ? "-{}" : "-";
        } else {
            out += c;
        }
    }
    return out;
}

void report_table::append_text(std::string& out, std::size_t left) const {
    std::vector<std::size_t> width(rows_[0].size());
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i)
            width[i] = std::max(width[i], width_of(row[i]));
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string blanks(width[i] - width_of(row[i]), ' ');
            if (i > 0) line += "  ";
            line += i < left ? row[i] + blanks : blanks + row[i];
        }
        out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    }
}

void report_table::append_markdown(std::string& out, std::size_t left) const {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        for (const auto& cell : rows_[r]) out += "| " + escaped_for_markdown(cell) + ' ';
        out += "|\n";
        if (r > 0) continue;
        for (std::size_t i = 0; i < rows_[0].size(); ++i) out += i < left ? "|---" : "|---:";
        out += "|\n";
    }
}

void report_table::append_latex(std::string& out, std::size_t left) const {
    out += "\\begin{tabular}{";
    for (std::size_t i = 0; i < rows_[0].size(); ++i) out += i < left ? 'l' : 'r';
    out += "}\n\\hline\n";
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        for (std::size_t i = 0; i < rows_[r].size(); ++i) {
            if (i > 0) out += " & ";
            // Behind the end of a row, [ would begin a length.
            if (i == 0 && rows_[r][0].starts_with('[')) out += "{}";
            out += escaped_for_latex(rows_[r][i]);
        }
        out += " \\\\\n";
        if (r == 0) out += "\\hline\n";
    }
    out += "\\hline\n\\end{tabular}\n";
}

void report_table::append(table_form form, std::string& out, std::size_t left) const {
    if (form == table_form::markdown) return append_markdown(out, left);
    if (form == table_form::latex) return append_latex(out, left);
    append_text(out, left);
}

}  // namespace cuset

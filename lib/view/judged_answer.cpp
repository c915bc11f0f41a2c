// An answer of report_page.h as HTML.
#include <algorithm>
#include <span>

#include "cuset/base/format.h"
#include "cuset/view/report_page.h"
#include "cuset/view/scored_text.h"
#include "page_parts.h"

namespace cuset {
namespace {

/// Bytes of the answer, up to `end`, of one step of the scale.
struct step_run {
    std::size_t end = 0;
    int step = 0;
};

/// As cuset-view's page colours them: a piece of several tokens by the least sure one.
std::vector<step_run> runs_of(const judged_answer& a) {
    std::vector<step_run> runs;
    if (a.confidence.empty()) return runs;
    for (const text_piece& piece : lay_out(a.answer, a.token_end).pieces) {
        const auto scores = std::span(a.confidence).subspan(piece.first, piece.last - piece.first);
        const int step = scores.empty() ? 0 : confidence_step(*std::ranges::min_element(scores));
        const std::size_t end = piece.end + (piece.ends_line ? 1 : 0);
        if (!runs.empty() && runs.back().step == step)
            runs.back().end = end;
        else
            runs.push_back({end, step});
    }
    return runs;
}

void append_element(const char* tag, const char* name, std::string_view text, std::string& out) {
    out += format("<%s class=%s>", tag, name);
    append_html(text, out);
    out += format("</%s>", tag);
}

void append_note(const line_note& note, std::string& out) {
    const bool is_mild = note.kind == "note" || note.kind == "warning" || note.kind == "remark";
    out += is_mild ? "<div class=\"note mild\"><b>" : "<div class=note><b>";
    append_html(note.kind, out);
    out += "</b> ";
    append_html(note.text, out);
    out += "</div>";
}

/// Writes the lines of texts with their colours.
class line_writer {
public:
    line_writer(const std::vector<step_run>& runs, std::string& out) : runs_(runs), out_(out) {}

    /// The text `line`, which stands at byte `begin` of the answer if it has colours.
    void write(std::string_view line, std::optional<std::size_t> begin) {
        if (!begin || runs_.empty()) return append_html(line, out_);
        auto run = std::upper_bound(runs_.begin(), runs_.end(), *begin,
                                    [](std::size_t at, const step_run& r) { return at < r.end; });
        for (std::size_t at = 0; at < line.size();) {
            const std::size_t end =
                run == runs_.end() ? line.size() : std::min(line.size(), run->end - *begin);
            const int step = run == runs_.end() ? 0 : run->step;
            if (step > 0) out_ += format("<i class=s%d>", step);
            append_html(line.substr(at, end - at), out_);
            if (step > 0) out_ += "</i>";
            at = end;
            if (run != runs_.end()) ++run;
        }
    }

private:
    const std::vector<step_run>& runs_;
    std::string& out_;
};

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

void append_file(const shown_text& text, line_writer& writer, std::string& out) {
    append_element("h3", "path", text.path, out);
    const auto lines = lines_of(text.content);
    for (const line_note& note : text.notes)
        if (note.line == 0) append_note(note, out);
    for (line_note note : text.notes) {
        if (note.line <= lines.size()) continue;
        const std::string place = format("line %zu", note.line);
        if (note.text.find(place) == note.text.npos) note.text.insert(0, place + ": ");
        append_note(note, out);
    }
    out += "<ol class=code>\n";
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto is_here = [i](const line_note& note) { return note.line == i + 1; };
        const bool is_marked = std::ranges::any_of(text.notes, is_here);
        out += is_marked ? "<li class=marked>" : "<li>";
        std::optional<std::size_t> begin;
        if (text.begin)
            begin = *text.begin + static_cast<std::size_t>(lines[i].data() - text.content.data());
        writer.write(lines[i], begin);
        for (const line_note& note : text.notes)
            if (is_here(note)) append_note(note, out);
        out += "</li>\n";
    }
    out += "</ol>\n";
}

/// Text around the program, folded where there is a program to look at.
void append_other(const shown_text& text, bool is_folded, line_writer& writer, std::string& out) {
    const auto lines = lines_of(text.content);
    const std::string title =
        format("%zu %s of other text", lines.size(), lines.size() == 1 ? "line" : "lines");
    out += is_folded ? "<details class=other><summary>" : "<h3>";
    out += title + (is_folded ? "</summary>" : "</h3>") + "\n<ol class=\"code plain\">\n";
    for (const std::string_view line : lines) {
        out += "<li>";
        std::optional<std::size_t> begin;
        if (text.begin)
            begin = *text.begin + static_cast<std::size_t>(line.data() - text.content.data());
        writer.write(line, begin);
        out += "</li>\n";
    }
    out += is_folded ? "</ol></details>\n" : "</ol>\n";
}

const char* class_of(answer_mark mark) {
    return mark == answer_mark::passed ? "passed" : mark == answer_mark::failed ? "failed" : "open";
}

}  // namespace

void append_answer(const judged_answer& a, std::string& out) {
    out += a.confidence.empty() ? "<details class=answer data-task=\""
                                : "<details class=\"answer scored\" data-task=\"";
    append_html(a.task, out);
    out += format("\" data-sample=%llu data-family=\"", static_cast<unsigned long long>(a.sample));
    append_html(a.family, out);
    out += "\" data-outcome=\"";
    append_html(a.outcome, out);
    out += "\">\n<summary>";
    append_element("b", "task", a.task, out);
    out += format(" <span class=sample>sample %llu</span> ",
                  static_cast<unsigned long long>(a.sample));
    append_element("em", class_of(a.mark), a.outcome, out);
    if (!a.diagnostic.empty()) {
        out += ' ';
        append_element("span", "diagnostic", a.diagnostic, out);
    }
    out += "</summary>\n";
    if (!a.facts.empty()) {
        std::string facts;
        for (const std::string& fact : a.facts) facts += (facts.empty() ? "" : " · ") + fact;
        append_element("p", "facts", facts, out);
        out += '\n';
    }
    for (const line_note& note : a.notes) append_note(note, out);
    if (!a.compiler.empty()) {
        out += "<details class=other><summary>all that the compiler said</summary><pre>\n";
        append_html(a.compiler, out);
        out += "</pre></details>\n";
    }
    const std::vector<step_run> runs = runs_of(a);
    line_writer writer(runs, out);
    const bool has_file =
        std::ranges::any_of(a.texts, [](const shown_text& t) { return !t.path.empty(); });
    for (const shown_text& text : a.texts) {
        if (text.path.empty())
            append_other(text, has_file, writer, out);
        else
            append_file(text, writer, out);
    }
    out += "</details>\n";
}

}  // namespace cuset

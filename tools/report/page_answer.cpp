#include "page_answer.h"

#include <string>
#include <string_view>
#include <utility>

#include "cuset/base/format.h"
#include "cuset/judge/answer_parts.h"
#include "cuset/judge/program_message.h"
#include "cuset/view/scored_text.h"

namespace cuset {

namespace {

void add_verdict(const verdict& v, judged_answer& out) {
    out.outcome = v.passed() ? name_of(v.reached) : name_of(v.why);
    out.mark = v.passed()                                                     ? answer_mark::passed
               : v.why == failure::unsupported || v.why == failure::evaluator ? answer_mark::open
                                                                              : answer_mark::failed;
    out.diagnostic = v.diagnostic;
    out.compiler = v.compiler;
    if (!v.passed()) out.facts.push_back("after " + std::string(name_of(v.reached)));
    if (v.tokens) out.facts.push_back(std::to_string(*v.tokens) + " tokens");
    if (v.is_cut) out.facts.emplace_back("ended by a limit of tokens");
    if (v.order == "warp") out.facts.emplace_back("right with the threads of each warp in step");
    if (v.order == "asynchronous") out.facts.emplace_back("with asynchronous streams");
}

/// The file that a message is about: the one that it names, by its whole path or by the longest of
/// the paths that end so; if it names none, the only file.
shown_text* file_of(const program_message& m, judged_answer& out) {
    shown_text* found = nullptr;
    std::size_t files = 0;
    for (shown_text& text : out.texts) {
        if (text.path.empty()) continue;
        ++files;
        const bool is_named =
            m.file.empty() || m.file == text.path || m.file.ends_with('/' + text.path);
        if (is_named && (found == nullptr || text.path.size() > found->path.size())) found = &text;
    }
    return m.file.empty() && files > 1 ? nullptr : found;
}

/// Whether the answer's heading, which is the diagnostic, says it already.
bool is_diagnostic(const program_message& m, const std::string& diagnostic) {
    return diagnostic.ends_with(m.text) && diagnostic.starts_with(m.file) &&
           (m.file.empty() || diagnostic.find(std::to_string(m.line)) != diagnostic.npos);
}

void add_messages(const verdict& v, judged_answer& out) {
    for (program_message& m : messages_of(v)) {
        shown_text* const about = m.line > 0 ? file_of(m, out) : nullptr;
        line_note note{m.kind, m.line, m.text};
        if (about != nullptr) {
            about->notes.push_back(std::move(note));
            continue;
        }
        const bool is_of_compiler = m.kind == "error" || m.kind == "warning" ||
                                    m.kind == "remark" || (m.kind == "note" && v.findings.empty());
        if (is_of_compiler && m.kind != "error") continue;
        if (is_diagnostic(m, v.diagnostic)) continue;
        if (is_of_compiler) note.text = m.file + format(":%zu: ", m.line) + m.text;
        out.notes.push_back(std::move(note));
    }
}

}  // namespace

judged_answer answer_of(const candidate& c, const task& t, const verdict* v, protocol rule,
                        fence_choice fence) {
    judged_answer out;
    out.task = c.task;
    out.sample = c.sample;
    out.outcome = "no verdict";
    if (v != nullptr) add_verdict(*v, out);
    for (answer_part& part : parts_of(c, t, rule, fence))
        out.texts.push_back({std::move(part.path), std::move(part.content), part.begin, {}});
    if (v != nullptr) add_messages(*v, out);
    return out;
}

judged_answer answer_without_text(const verdict& v) {
    judged_answer out;
    out.task = v.task;
    out.sample = v.sample;
    add_verdict(v, out);
    out.facts.emplace_back("the answer is not among the candidates");
    add_messages(v, out);
    return out;
}

void add_scores(const candidate& c, const pair_record& scores, judged_answer& out) {
    if (scores.confidence.empty()) return;
    out.answer = c.answer;
    out.token_end = scores.token_end;
    out.confidence = scores.confidence;
    out.facts.push_back(
        format("mean confidence %.3f", mean_of(out.confidence, 0, out.confidence.size())));
}

}  // namespace cuset

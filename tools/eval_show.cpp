#include "eval_show.h"

#include <optional>

#include "cuset/base/visible_text.h"
#include "cuset/judge/candidate.h"
#include "cuset/judge/verdict_log.h"
#include "cuset/stream/line_source.h"
#include "tool.h"

namespace cuset {

namespace {

result<candidate> find_candidate(const eval_flags& flags, const candidate_name& name) {
    stream_options stream = to_stream_options(flags.stream);
    stream.longest_line = std::size_t{128} << 20;
    CUSET_ASSIGN(line_source lines, line_source::open(stream));
    candidate_reader reader;
    while (true) {
        CUSET_ASSIGN(const line* const next, lines.next());
        if (next == nullptr) break;
        auto found = reader.read(next->text);
        if (!found) {
            CUSET_TRY(lines.reject(std::move(found).error()));
            continue;
        }
        for (candidate& c : *found)
            if (c.task == name.task && c.sample == name.sample) return std::move(c);
    }
    return data_error("there is no sample " + std::to_string(name.sample) + " of task \"" +
                      visible_text(name.task) + "\" among the candidates");
}

result<verdict> verdict_on(const eval_flags& flags, const candidate& c, const task& of,
                           const judge& judging) {
    if (!flags.verdicts.empty()) {
        CUSET_ASSIGN(const auto kept, read_verdicts({flags.verdicts}));
        for (const verdict& v : kept)
            if (v.task == c.task && v.sample == c.sample) return v;
    }
    return judging.decide(c, of);
}

void append_part(const std::string& title, std::string_view text, std::string& out) {
    out += "\n== " + title + " ==\n" + visible_lines(text);
    if (out.back() != '\n') out += '\n';
}

}  // namespace

status show_candidate(const eval_flags& flags, const task_set& tasks, const judge& judging,
                      output& out) {
    CUSET_ASSIGN(const candidate_name name, read_candidate_name(flags.show));
    const task* const of = tasks.find(name.task);
    if (of == nullptr)
        return data_error("there is no task \"" + visible_text(name.task) + "\" in " + flags.tasks);
    CUSET_ASSIGN(const candidate c, find_candidate(flags, name));
    CUSET_ASSIGN(const verdict v, verdict_on(flags, c, *of, judging));
    std::string text = "task " + visible_text(v.task) + " (" + visible_text(v.family) +
                       "), sample " + std::to_string(v.sample) + ": ";
    text += v.passed() ? std::string(name_of(v.reached))
                       : std::string(name_of(v.why)) + ", after " + std::string(name_of(v.reached));
    text += '\n';
    if (!v.diagnostic.empty()) text += v.diagnostic + '\n';
    text += describe(v.setting) + '\n';
    if (!v.compiler.empty()) append_part("compiler", v.compiler, text);
    for (const task_file& file : judging.program_of(c, *of))
        append_part(visible_text(file.path), file.content, text);
    append_part("answer", c.answer, text);
    CUSET_TRY(out.write(text));
    return out.finish();
}

}  // namespace cuset

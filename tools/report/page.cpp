#include "page.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuset/base/log.h"
#include "cuset/base/visible_text.h"
#include "cuset/judge/condition_table.h"
#include "cuset/judge/unjudged.h"
#include "cuset/judge/verdict_log.h"
#include "cuset/stream/line_source.h"
#include "cuset/stream/pair_record.h"
#include "cuset/view/report_page.h"
#include "page_answer.h"
#include "page_head.h"

namespace cuset {

namespace {

std::string name_of(const std::string& task, std::uint64_t sample) {
    return "task \"" + visible_text(task) + "\", sample " + std::to_string(sample);
}

/// The verdicts that the page counts, its tasks, and their families.
class evaluation {
public:
    static result<evaluation> read(const report_flags& flags) {
        evaluation e;
        CUSET_ASSIGN(e.tasks_, task_set::read(flags.tasks));
        CUSET_ASSIGN(e.options_, to_report_options(flags.counting));
        CUSET_ASSIGN(e.verdicts_, read_verdicts({flags.verdicts}));
        std::erase_if(e.verdicts_, [&](const verdict& v) {
            return !is_in_shard(v.task, flags.stream.shard_index, flags.stream.shard_count);
        });
        if (e.verdicts_.empty())
            return data_error(flags.verdicts + ": there are no verdicts" +
                              (flags.stream.shard_count > 1 ? " of this shard" : ""));
        e.counted_ = counted_tasks(flags.stream, e.tasks_);
        const std::string field = flags.family.empty() ? "family" : flags.family;
        CUSET_ASSIGN(auto families, read_families(flags.tasks, field, flags.family.empty()));
        auto in_families = e.counted_;
        if (families) {
            e.family_field_ = field;
            for (counted_task& t : in_families) t.family = families->at(t.id);
        }
        // Without --family the figures are those of the report, which knows task_name alone.
        if (!flags.family.empty()) e.counted_ = in_families;
        CUSET_ASSIGN(e.report_,
                     make_report(e.counted_, e.verdicts_, e.verdicts_.front().setting, e.options_));
        tell_too_large(e.options_.pass_at, e.report_.samples);
        for (const verdict& v : e.verdicts_)
            e.by_name_.insert_or_assign(std::pair(v.task, v.sample), &v);
        e.counted_ = std::move(in_families);
        for (const counted_task& t : e.counted_) e.families_.emplace(t.id, t.family);
        return e;
    }

    const evaluation_report& report() const { return report_; }
    const std::vector<verdict>& verdicts() const { return verdicts_; }
    const task* find(const std::string& id) const { return tasks_.find(id); }
    /// Whether the report counts a sample of this task.
    bool counts(const std::string& task, std::uint64_t sample) const {
        return families_.contains(task) && !options_.left_out.contains(task) &&
               sample < report_.samples;
    }
    const std::string& family_of(const std::string& task) const { return families_.at(task); }
    /// Null if there is none.
    const verdict* on(const std::string& task, std::uint64_t sample) const {
        const auto found = by_name_.find(std::pair(task, sample));
        return found == by_name_.end() ? nullptr : found->second;
    }
    report_head head(const std::string& name) const {
        report_options options = options_;
        options.samples = report_.samples;
        return head_of(report_, group_by_family(counted_, verdicts_, options), family_field_, name);
    }

private:
    task_set tasks_;
    report_options options_;
    std::vector<verdict> verdicts_;
    std::vector<counted_task> counted_;
    evaluation_report report_;
    std::map<std::pair<std::string, std::uint64_t>, const verdict*> by_name_;
    std::map<std::string, std::string> families_;
    std::string family_field_ = "task_name";
};

/// Reads the candidates of a line, and the scores where a line has some.
class scored_candidate_reader {
public:
    scored_candidate_reader() : candidates_(solution_files::read), scores_(wanted()) {}

    result<std::vector<candidate>> read(const line& l) {
        CUSET_ASSIGN(auto found, candidates_.read(l.text));
        record_.token_end.clear();
        record_.confidence.clear();
        if (found.size() != 1) return found;
        if (const status scored = scores_.read(l, record_); !scored) {
            record_.token_end.clear();
            record_.confidence.clear();
            const std::string& message = scored.message();
            // Neither a candidate without scores nor one without a text to score is wrong.
            for (const std::string_view missing :
                 {"\"score\" is missing", "\"response\" is missing"})
                if (message.starts_with(missing)) return found;
            return data_error(name_of(found.front().task, found.front().sample) + ": " + message);
        }
        if (!record_.token_end.empty() && record_.token_end.back() > found.front().answer.size())
            return data_error(name_of(found.front().task, found.front().sample) +
                              ": \"score.end\" reaches past the response: scored from other text?");
        return found;
    }

    /// Those of the line that was read last, if it has one candidate.
    const pair_record& scores() const { return record_; }

private:
    static record_options wanted() {
        return {.parts = record_part::response | record_part::score,
                .own_key = {},
                .prompt_field = {},
                .response_field = "response"};
    }
    candidate_reader candidates_;
    record_reader scores_;
    pair_record record_;
};

void warn(std::size_t count, const char* one, const char* several, const std::string& what) {
    if (count > 0)
        log(log_level::warning, std::to_string(count) + ' ' + (count == 1 ? one : several) + what);
}

/// Makes the answers' HTML, each once.
class answer_writer {
public:
    answer_writer(const report_flags& flags, const evaluation& judged)
        : flags_(flags),
          judged_(judged),
          fence_(flags.fence == "last" ? fence_choice::last : fence_choice::first) {}

    /// The answers of a line. A data error if one of them is not of the evaluation: then none is
    /// shown.
    result<std::string> read(const line& l) {
        CUSET_ASSIGN(const auto found, reader_.read(l));
        std::string html;
        std::vector<name> shown;
        for (const candidate& c : found) {
            const task* const asked = judged_.find(c.task);
            if (asked == nullptr)
                return data_error("there is no task \"" + visible_text(c.task) + "\" in " +
                                  flags_.tasks);
            if (!judged_.counts(c.task, c.sample)) continue;
            const verdict* const v = judged_.on(c.task, c.sample);
            CUSET_TRY(check_answer(c, v));
            judged_answer answer = answer_of(c, *asked, v, judged_.report().setting.rule, fence_);
            add_scores(c, reader_.scores(), answer);
            answer.family = judged_.family_of(c.task);
            append_answer(answer, html);
            shown.emplace_back(c.task, c.sample);
        }
        for (const auto& [task, sample] : shown)
            without_verdict_ += judged_.on(task, sample) == nullptr;
        shown_.insert(shown.begin(), shown.end());
        return html;
    }

    /// The verdicts whose candidates did not come.
    std::string rest() {
        std::string html;
        for (const verdict& v : judged_.verdicts()) {
            if (!judged_.counts(v.task, v.sample) || shown_.contains({v.task, v.sample})) continue;
            ++without_answer_;
            judged_answer answer = answer_without_text(v);
            answer.family = judged_.family_of(v.task);
            append_answer(answer, html);
        }
        return html;
    }

    void tell() const {
        warn(without_verdict_, "candidate", "candidates",
             " without a verdict in " + flags_.verdicts);
        warn(without_answer_, "verdict", "verdicts", " without an answer among the candidates");
    }

private:
    using name = std::pair<std::string, std::uint64_t>;

    status check_answer(const candidate& c, const verdict* v) const {
        if (v != nullptr && v->tokens && c.tokens && *v->tokens != *c.tokens)
            return data_error("the verdict on " + name_of(c.task, c.sample) +
                              " is on another answer, of " + std::to_string(*v->tokens) +
                              " tokens");
        if (shown_.contains({c.task, c.sample}))
            return data_error(name_of(c.task, c.sample) + " stands twice among the candidates");
        return {};
    }

    const report_flags& flags_;
    const evaluation& judged_;
    fence_choice fence_;
    scored_candidate_reader reader_;
    std::set<name> shown_;
    std::size_t without_verdict_ = 0, without_answer_ = 0;
};

}  // namespace

result<stream_summary> write_page(const report_flags& flags, output& out, std::size_t& unjudged) {
    CUSET_ASSIGN(const evaluation judged, evaluation::read(flags));
    CUSET_ASSIGN(unjudged, warn_of_unjudged(judged.report(), judged.verdicts()));
    stream_options stream = to_stream_options(flags.stream);
    stream.longest_line = std::size_t{128} << 20;
    stream.written = {{"--html", out.identity(), &out}};
    CUSET_ASSIGN(line_source lines, line_source::open(stream));
    CUSET_TRY(out.write(report_page_begin(judged.head(flags.verdicts))));
    answer_writer answers(flags, judged);
    for (;;) {
        CUSET_ASSIGN(const line* const next, lines.next());
        if (next == nullptr) break;
        auto html = answers.read(*next);
        if (!html) {
            CUSET_TRY(lines.reject(std::move(html).error()));
            continue;
        }
        lines.accept();
        CUSET_TRY(out.write(*html));
    }
    CUSET_TRY(lines.finish());
    CUSET_TRY(out.write(answers.rest()));
    CUSET_TRY(out.write(report_page_end()));
    answers.tell();
    CUSET_TRY(out.finish());
    return stream_summary{lines.records(), lines.rejected()};
}

}  // namespace cuset

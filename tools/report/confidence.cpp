#include "confidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "cuset/base/format.h"
#include "cuset/base/log.h"
#include "cuset/base/visible_text.h"
#include "cuset/judge/candidate.h"
#include "cuset/judge/report.h"
#include "cuset/judge/verdict_log.h"
#include "cuset/region/window.h"
#include "cuset/statistics/area_under_curve.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/line_source.h"
#include "cuset/stream/pair_record.h"
#include "tool.h"

namespace cuset {

namespace {

/// What may foretell a verdict. A higher value stands for a pass.
constexpr std::array measure_names{"hardest window", "mean confidence", "shortness"};
constexpr std::size_t measures = measure_names.size();

struct scored_answer {
    ranked_answer rank;  ///< without its measure
    std::array<double, measures> measure{};
};

struct confidence_report {
    std::size_t size = 0;  ///< of a window
    evaluation_setting setting;
    std::vector<scored_answer> answers;
    std::size_t tasks = 0, families = 0, passed = 0;
    std::size_t unsupported = 0, unjudged = 0, without_verdict = 0;
};

struct measured {
    rate all, of_one_task;
};

/// An equal part of the answers, in the order of their hardest windows.
struct quarter {
    double low = 0, high = 0;
    std::size_t answers = 0, passed = 0;
};

std::string name_of(const candidate& c) {
    return "task \"" + visible_text(c.task) + "\", sample " + std::to_string(c.sample);
}

/// Reads one line of candidates with its score.
class answer_reader {
public:
    explicit answer_reader(std::size_t size) : size_(size) {
        const record_options wanted{.parts = record_part::response | record_part::score,
                                    .own_key = {},
                                    .prompt_field = {},
                                    .response_field = "response"};
        reader_.emplace(wanted);
    }

    /// The candidate of the line and its measures; each candidate once.
    result<std::pair<candidate, std::array<double, measures>>> read(const line& l) {
        CUSET_ASSIGN(std::vector<candidate> found, candidates_.read(l.text));
        if (found.size() != 1)
            return data_error(
                "a line of CUDABench's results has no scores: only candidates of "
                "cuset-sample --confidence have");
        candidate& c = found.front();
        if (const status scored = reader_->read(l, record_); !scored) {
            // cuset-score, which the reader names, needs the prompt.
            constexpr std::string_view missing = "\"score\" is missing";
            const std::string& message = scored.message();
            return data_error(name_of(c) + ": " +
                              (message.starts_with(missing)
                                   ? std::string(missing) + " (cuset-sample --confidence writes it)"
                                   : message));
        }
        if (record_.confidence.empty()) return data_error(name_of(c) + " has no token");
        if (!seen_.insert({c.task, c.sample}).second)
            return data_error(name_of(c) + " stands twice among the candidates");
        double sum = 0;
        for (const double confidence : record_.confidence) sum += confidence;
        const auto tokens = static_cast<double>(record_.confidence.size());
        const double hardest = search_.hardest(record_.confidence, size_, window_ends::full).mean;
        return std::pair(std::move(c), std::array{hardest, sum / tokens, -tokens});
    }

private:
    std::size_t size_;
    candidate_reader candidates_;
    std::optional<record_reader> reader_;
    pair_record record_;
    window_search search_;
    std::set<std::pair<std::string, std::uint64_t>> seen_;
};

/// The verdicts of a file by candidate, with numbers for tasks and families.
class known_verdicts {
public:
    static result<known_verdicts> read(const std::string& path) {
        CUSET_ASSIGN(auto verdicts, read_verdicts({path}));
        if (verdicts.empty()) return data_error(path + ": there are no verdicts");
        known_verdicts known;
        for (verdict& v : verdicts) {
            auto name = std::pair(v.task, v.sample);
            known.by_name_.insert_or_assign(std::move(name), std::move(v));
        }
        return known;
    }

    const evaluation_setting& setting() const { return by_name_.begin()->second.setting; }

    /// Null if there is none.
    const verdict* find(const candidate& c) const {
        const auto found = by_name_.find(std::pair(c.task, c.sample));
        return found == by_name_.end() ? nullptr : &found->second;
    }

private:
    std::map<std::pair<std::string, std::uint64_t>, verdict> by_name_;
};

/// Counts a candidate in, or among those that are left out.
class answer_count {
public:
    explicit answer_count(confidence_report& report) : report_(report) {}

    void add(const verdict* v, const std::array<double, measures>& measure) {
        if (v == nullptr) {
            ++report_.without_verdict;
        } else if (v->why == failure::unsupported) {
            ++report_.unsupported;
        } else if (v->why == failure::evaluator) {
            ++report_.unjudged;
        } else {
            const std::size_t family = families_.emplace(v->family, families_.size()).first->second;
            const std::size_t task = tasks_.emplace(v->task, tasks_.size()).first->second;
            report_.answers.push_back({{family, task, 0, v->passed()}, measure});
            report_.passed += v->passed();
        }
        report_.tasks = tasks_.size();
        report_.families = families_.size();
    }

private:
    confidence_report& report_;
    std::map<std::string, std::size_t> tasks_, families_;
};

measured areas_of(const confidence_report& report, std::size_t measure) {
    std::vector<ranked_answer> ranked;
    for (const scored_answer& a : report.answers) {
        ranked.push_back(a.rank);
        ranked.back().measure = a.measure[measure];
    }
    return {area_under_curve(ranked, answer_pairs::all),
            area_under_curve(ranked, answer_pairs::of_one_task)};
}

std::vector<quarter> quarters_of(const confidence_report& report) {
    constexpr std::size_t parts = 4;
    std::vector<std::pair<double, bool>> sorted;
    for (const scored_answer& a : report.answers) sorted.emplace_back(a.measure[0], a.rank.passed);
    std::sort(sorted.begin(), sorted.end());
    std::vector<quarter> quarters;
    for (std::size_t part = 0, i = 0; part < parts; ++part) {
        const std::size_t end = sorted.size() * (part + 1) / parts;
        if (i == end) continue;
        quarter q{sorted[i].first, sorted[end - 1].first, end - i, 0};
        for (; i < end; ++i) q.passed += sorted[i].second;
        quarters.push_back(q);
    }
    return quarters;
}

std::string shown(const rate& area) {
    return std::isfinite(area.mean) ? describe(area) : format("%8s", "-");
}

std::string to_text(const confidence_report& r) {
    std::string out = format("%zu answers to %zu tasks of %zu families, %zu of them passed\n",
                             r.answers.size(), r.tasks, r.families, r.passed);
    out += "verdicts    " + describe(r.setting) + '\n';
    if (r.unsupported > 0) out += format("unsupported %zu, not counted\n", r.unsupported);
    if (r.unjudged > 0) out += format("not judged  %zu, not counted\n", r.unjudged);
    if (r.without_verdict > 0) out += format("no verdict  %zu, not counted\n", r.without_verdict);
    out += format("window      %zu tokens\n", r.size);
    out += format("\n%-16s %-26s  %s\n", "AUC", "pairs of all answers", "pairs of one task");
    for (std::size_t m = 0; m < measures; ++m) {
        const measured areas = areas_of(r, m);
        out += format("%-16s %-26s  %s\n", measure_names[m], shown(areas.all).c_str(),
                      shown(areas.of_one_task).c_str());
    }
    out += format("\n%-16s %8s %8s    share\n", "hardest window", "answers", "passed");
    for (const quarter& q : quarters_of(r))
        out += format("%.4f - %.4f  %8zu %8zu  %5.1f %%\n", q.low, q.high, q.answers, q.passed,
                      100 * static_cast<double>(q.passed) / static_cast<double>(q.answers));
    return out;
}

void write_area(const char* name, const rate& area, json_writer& json) {
    json.key(name).begin_object().member("auc", area.mean, 6).member("low", area.low, 6);
    json.member("high", area.high, 6).member("error", area.error, 6).end_object();
}

std::string to_json(const confidence_report& r) {
    std::string out;
    json_writer json(out);
    json.begin_object(json_layout::lines);
    json.member("backend", r.setting.backend).member("toolchain", r.setting.toolchain);
    json.member("protocol", name_of(r.setting.rule)).member("inputs", r.setting.inputs);
    json.member("size", r.size).member("answers", r.answers.size()).member("passed", r.passed);
    json.member("tasks", r.tasks).member("families", r.families);
    json.member("unsupported", r.unsupported).member("not_judged", r.unjudged);
    json.member("no_verdict", r.without_verdict);
    json.key("measures").begin_array(json_layout::lines);
    for (std::size_t m = 0; m < measures; ++m) {
        const measured areas = areas_of(r, m);
        json.begin_object().member("name", std::string_view(measure_names[m]));
        write_area("all", areas.all, json);
        write_area("of_one_task", areas.of_one_task, json);
        json.end_object();
    }
    json.end_array().key("quarters").begin_array(json_layout::lines);
    for (const quarter& q : quarters_of(r))
        json.begin_object()
            .member("low", q.low, 6)
            .member("high", q.high, 6)
            .member("answers", q.answers)
            .member("passed", q.passed)
            .end_object();
    json.end_array().end_object();
    return out + '\n';
}

}  // namespace

result<stream_summary> report_confidence(const report_flags& flags, output& out) {
    CUSET_ASSIGN(const known_verdicts verdicts, known_verdicts::read(flags.verdicts));
    stream_options stream = to_stream_options(flags.stream);
    stream.longest_line = std::size_t{128} << 20;
    stream.written = {{"-o", out.identity(), &out}};
    CUSET_ASSIGN(line_source lines, line_source::open(stream));
    confidence_report report;
    report.size = static_cast<std::size_t>(flags.size);
    report.setting = verdicts.setting();
    answer_reader reader(report.size);
    answer_count count(report);
    for (;;) {
        CUSET_ASSIGN(const line* const next, lines.next());
        if (next == nullptr) break;
        auto answer = reader.read(*next);
        if (!answer) {
            CUSET_TRY(lines.reject(std::move(answer).error()));
            continue;
        }
        const auto& [c, measure] = *answer;
        if (!is_in_shard(c.task, flags.stream.shard_index, flags.stream.shard_count)) continue;
        const verdict* const v = verdicts.find(c);
        if (v != nullptr && v->tokens && c.tokens && *v->tokens != *c.tokens) {
            CUSET_TRY(lines.reject(data_error("the verdict on " + name_of(c) +
                                              " is on another answer, of " +
                                              std::to_string(*v->tokens) + " tokens")));
            continue;
        }
        lines.accept();
        count.add(v, measure);
    }
    CUSET_TRY(lines.finish());
    if (report.answers.empty())
        return data_error("there are no candidates with a verdict in " + flags.verdicts);
    if (report.without_verdict > 0)
        log(log_level::warning, std::to_string(report.without_verdict) +
                                    (report.without_verdict == 1 ? " candidate" : " candidates") +
                                    " without a verdict in " + flags.verdicts);
    if (report.passed == 0 || report.passed == report.answers.size())
        log(log_level::note, std::string(report.passed == 0 ? "no answer" : "every answer") +
                                 " passed: there is nothing to predict");
    CUSET_TRY(out.write(flags.counting.json ? to_json(report) : to_text(report)));
    CUSET_TRY(out.finish());
    return stream_summary{lines.records(), lines.rejected()};
}

}  // namespace cuset

// The table of conditions as text, Markdown, LaTeX and TSV.
#include <algorithm>
#include <cmath>
#include <utility>

#include "cuset/base/format.h"
#include "cuset/base/visible_text.h"
#include "cuset/stream/json_writer.h"
#include "table.h"

namespace cuset {

namespace {

using facts = std::vector<std::pair<std::string, std::string>>;

std::string range_of(std::size_t least, std::size_t most, const char* unit) {
    std::string text = std::to_string(least);
    if (most > least) text += " to " + std::to_string(most);
    return text + ' ' + unit + (most == 1 ? "" : "s");
}

/// Four digits of a rate, and of other values as many as they need.
std::string number(double value, bool is_rate) {
    if (std::isnan(value)) return "-";
    if (is_rate) return format("%.4f", value);
    return std::abs(value) >= 100 ? format("%.1f", value) : format("%.4g", value);
}

std::string with_interval(const rate& r, bool is_rate) {
    std::string text = number(r.mean, is_rate);
    if (std::isnan(r.low)) return text;
    return text + " [" + number(r.low, is_rate) + ", " + number(r.high, is_rate) + ']';
}

std::string p_value(double p) {
    if (std::isnan(p)) return "-";
    return p < 0.001 ? format("%.1e", p) : format("%.3f", p);
}

std::string counted_over(const condition_table& t) {
    std::size_t least_runs = SIZE_MAX, most_runs = 0, least = SIZE_MAX, most = 0, answers = 0;
    for (const auto& row : t.rows) {
        least_runs = std::min(least_runs, row.runs);
        most_runs = std::max(most_runs, row.runs);
        least = std::min(least, row.least_samples);
        most = std::max(most, row.most_samples);
        answers += row.answers;
    }
    return counted(t.rows.size(), "condition", "conditions") + " on the same " +
           counted(t.tasks, "task", "tasks") + " of " + counted(t.families, "family", "families") +
           " (field " + visible_text(t.family_field) + "), " + range_of(least, most, "sample") +
           " a task and seed, " + range_of(least_runs, most_runs, "seed") +
           " a condition: " + counted(answers, "answer", "answers");
}

void add_exceptions(const condition_table& t, facts& all) {
    if (t.left_out > 0)
        all.emplace_back("left out", counted(t.left_out, "task", "tasks") + ", not counted");
    if (t.dropped > 0)
        all.emplace_back("dropped", counted(t.dropped, "task", "tasks") +
                                        " that not all files have: not counted (--common)");
    std::size_t missing = 0, surplus = 0, evaluator = 0, unsupported = 0;
    for (const auto& row : t.rows) {
        missing += row.missing;
        surplus += row.surplus;
        evaluator += row.evaluator;
        unsupported += row.unsupported;
    }
    if (missing > 0)
        all.emplace_back("missing", counted(missing, "answer", "answers") +
                                        " without a verdict: counted as failures (-n)");
    if (surplus > 0)
        all.emplace_back("surplus", counted(surplus, "verdict", "verdicts") +
                                        " beyond the samples wanted: not counted");
    if (evaluator > 0)
        all.emplace_back("not judged",
                         counted(evaluator, "answer", "answers") +
                             ": counted as not passed, in the column evaluator below");
    if (unsupported > 0)
        all.emplace_back("unsupported",
                         counted(unsupported, "answer", "answers") +
                             " that need what the backend lacks: counted as not passed");
}

/// The smallest and the largest of what the conditions could tell apart, in the first measure that
/// says so.
std::string power_of(const condition_table& t) {
    for (const auto& measure : t.measures) {
        double least = INFINITY, most = 0;
        for (const auto& cell : measure.of) {
            if (!cell || !cell->apart || std::isnan(cell->apart->detectable)) continue;
            least = std::min(least, cell->apart->detectable);
            most = std::max(most, cell->apart->detectable);
        }
        if (most == 0) continue;
        std::string range = number(least, measure.is_rate);
        if (most > least) range += " to " + number(most, measure.is_rate);
        return "a true difference of (t(0.975) + t(0.8)) times its standard error (Student's t, " +
               counted(t.families - 1, "degree", "degrees") +
               " of freedom) would be told from 0 in 80 % of such experiments, by a two-sided test "
               "at 5 %; in " +
               visible_text(measure.name) + " that is " + range +
               ": smaller ones may be there and not be seen";
    }
    return "not known: no difference shows a spread";
}

/// Whether an interval ends at the limits of values that are all alike.
bool has_limits(const condition_table& t) {
    const auto ends_so = [](const rate& r) { return !std::isnan(r.low) && std::isnan(r.error); };
    for (const auto* measures : {&t.measures, &t.failures})
        for (const auto& measure : *measures)
            for (const auto& cell : measure.of)
                if (cell && measure.is_rate &&
                    (ends_so(cell->value) || (cell->apart && ends_so(cell->apart->difference))))
                    return true;
    return false;
}

facts facts_of(const condition_table& t) {
    facts all{{"counted", counted_over(t)}, {"judged by", visible_text(describe(t.setting))}};
    if (t.checked_setting)
        all.emplace_back("checked@1",
                         "the same answers under " + visible_text(describe(*t.checked_setting)));
    all.emplace_back("task data", t.task_data.hexadecimal());
    add_exceptions(t, all);
    all.emplace_back("pass@k",
                     "1 - C(n-c,k)/C(n,k) of a task's n samples of which c pass (unbiased), as a "
                     "mean over tasks and seeds; compiled@k and ran@k likewise; tokens: of an "
                     "answer");
    if (t.families < 2) {
        all.emplace_back("interval", "none: one family says nothing about others");
    } else {
        all.emplace_back(
            "[low, high]",
            format("95 %% interval: %zu resamples (seed %llu) of all %zu families with "
                   "replacement and, crossed with them, of S - 1 of S seeds; expanded percentiles "
                   "for %zu families. With one seed it holds no spread between trainings",
                   t.resamples, static_cast<unsigned long long>(t.seed), t.families, t.families));
        if (has_limits(t))
            all.emplace_back(
                "no spread",
                format("where all families have one value, others may yet have another: the ends "
                       "are the means if a share of %.2f of all families had the least, or the "
                       "largest, value there is, which %zu families miss in 2.5 %% of draws; they "
                       "may lie beyond all that was seen",
                       1 - std::pow(0.025, 1 / static_cast<double>(t.families)), t.families));
    }
    std::string figures;
    for (const auto& measure : t.measures)
        if (measure.is_figure)
            figures += (figures.empty() ? "" : ", ") + visible_text(measure.name);
    if (!figures.empty())
        all.emplace_back("figures", figures +
                                        ": means over seeds, with Student's t interval; nothing "
                                        "is known of single tasks");
    if (t.baseline.empty()) return all;
    all.emplace_back("difference", "condition - " + visible_text(t.baseline) +
                                       ", on the same tasks and the seeds that both have (a "
                                       "file's place; of figures, its name)");
    all.emplace_back("sign test",
                     "exact and two-sided, over families whose mean difference is above or below "
                     "0; of figures, over seeds. No p is corrected for how many are shown");
    all.emplace_back("power", power_of(t));
    return all;
}

void append_facts(const facts& all, table_form form, std::string& out) {
    for (const auto& [name, text] : all) {
        switch (form) {
            case table_form::text: out += format("%-12s", name.c_str()) + text + '\n'; break;
            case table_form::markdown:
                out += "- " + escaped_for_markdown(name) + ": " + escaped_for_markdown(text) + '\n';
                break;
            case table_form::latex: out += "% " + name + ": " + text + '\n';
        }
    }
}

void append_title(const std::string& title, table_form form, std::string& out) {
    switch (form) {
        case table_form::text: out += '\n' + title + '\n'; break;
        case table_form::markdown: out += "\n**" + escaped_for_markdown(title) + "**\n\n"; break;
        case table_form::latex: out += "\n% " + title + '\n';
    }
}

/// A row for each condition, a column for each measure.
template <class Cell>
report_table conditions_by_measures(const condition_table& t, std::vector<std::string> heading,
                                    const std::vector<table_measure>& measures,
                                    const Cell& cell_of) {
    const bool has_runs = heading.size() > 1;
    for (const auto& measure : measures) heading.push_back(visible_text(measure.name));
    report_table table(std::move(heading));
    for (std::size_t c = 0; c < t.rows.size(); ++c) {
        const table_row& row = t.rows[c];
        std::vector<std::string> cells{visible_text(row.name)};
        if (has_runs) {
            cells.push_back(std::to_string(row.runs));
            cells.push_back(std::to_string(row.answers));
        }
        for (const auto& measure : measures)
            cells.push_back(measure.of[c] ? cell_of(measure, *measure.of[c], row) : "-");
        table.add(std::move(cells));
    }
    return table;
}

std::string difference_cell(const table_measure& measure, const measured_value& cell,
                            const table_row&) {
    return cell.apart ? with_interval(cell.apart->difference, measure.is_rate) : "-";
}

void append_differences(const condition_table& t, const table_measure& measure, table_form form,
                        std::string& out) {
    report_table table({"condition", "seeds", "difference", "above", "below", "tied", "sign test p",
                        "80 % power from"});
    bool any = false;
    for (std::size_t c = 0; c < t.rows.size(); ++c) {
        const auto& cell = measure.of[c];
        if (!cell || !cell->apart) continue;
        const paired_value& pair = *cell->apart;
        any = true;
        table.add({visible_text(t.rows[c].name), std::to_string(pair.runs),
                   with_interval(pair.difference, measure.is_rate), std::to_string(pair.above),
                   std::to_string(pair.below), std::to_string(pair.tied), p_value(pair.sign_p),
                   number(pair.detectable, measure.is_rate)});
    }
    if (!any) return;
    append_title(visible_text(measure.name) + ", difference from " + visible_text(t.baseline), form,
                 out);
    table.append(form, out, 1);
}

void append_tsv(double value, std::string& out) {
    out += '\t' + (std::isfinite(value) ? json_of(value, 6) : "NA");
}

void append_tsv(const condition_table& t, const table_measure& measure, std::size_t c,
                std::string& out) {
    if (!measure.of[c]) return;
    const measured_value& cell = *measure.of[c];
    const table_row& row = t.rows[c];
    const bool is_failure =
        &measure >= t.failures.data() && &measure < t.failures.data() + t.failures.size();
    out +=
        visible_text(row.name) + '\t' + (is_failure ? "failure:" : "") + visible_text(measure.name);
    out += format("\t%zu", cell.runs);
    out += measure.is_figure ? "\tNA\tNA\tNA\tNA"
                             : format("\t%zu\t%zu\t%zu\t", t.tasks, t.families, row.answers) +
                                   (is_failure ? std::to_string(cell.count) : "NA");
    for (const double value : {cell.value.mean, cell.value.low, cell.value.high})
        append_tsv(value, out);
    if (!cell.apart) {
        out += "\tNA\tNA\tNA\tNA\tNA\tNA\tNA\tNA\tNA\tNA\n";
        return;
    }
    const paired_value& pair = *cell.apart;
    out += '\t' + visible_text(t.baseline);
    for (const double value : {pair.difference.mean, pair.difference.low, pair.difference.high})
        append_tsv(value, out);
    out += format("\t%zu\t%zu\t%zu\t%zu", pair.runs, pair.above, pair.below, pair.tied);
    append_tsv(pair.sign_p, out);
    append_tsv(pair.detectable, out);
    out += '\n';
}

}  // namespace

std::string to_report(const condition_table& t, table_form form) {
    std::string out;
    append_facts(facts_of(t), form, out);
    append_title("rates and means, with 95 % intervals", form, out);
    conditions_by_measures(t, {"condition", "seeds", "answers"}, t.measures,
                           [](const auto& measure, const auto& cell, const auto&) {
                               return with_interval(cell.value, measure.is_rate);
                           })
        .append(form, out, 1);
    if (!t.baseline.empty())
        for (const auto& measure : t.measures) append_differences(t, measure, form, out);
    if (t.failures.empty()) return out;
    append_title("kinds of failure: answers, and their share", form, out);
    conditions_by_measures(
        t, {"condition", "seeds", "answers"}, t.failures,
        [](const auto&, const auto& cell, const table_row& row) {
            return format("%zu (%.1f %%)", cell.count,
                          100 * static_cast<double>(cell.count) / static_cast<double>(row.answers));
        })
        .append(form, out, 1);
    if (t.baseline.empty() || t.rows.size() < 2) return out;
    append_title(
        "kinds of failure: share of the answers, difference from " + visible_text(t.baseline), form,
        out);
    conditions_by_measures(t, {"condition"}, t.failures, difference_cell).append(form, out, 1);
    return out;
}

std::string to_tsv(const condition_table& t) {
    std::string out =
        "condition\tmeasure\tseeds\ttasks\tfamilies\tanswers\tcount\tmean\tlow\thigh\tbaseline\t"
        "difference\tdifference_low\tdifference_high\tpaired_seeds\tabove\tbelow\ttied\tsign_p\t"
        "detectable\n";
    for (const auto* measures : {&t.measures, &t.failures})
        for (const auto& measure : *measures)
            for (std::size_t c = 0; c < t.rows.size(); ++c) append_tsv(t, measure, c, out);
    return out;
}

}  // namespace cuset

#include "page_head.h"

#include <cmath>
#include <limits>

#include "cuset/base/format.h"

namespace cuset {

namespace {

constexpr const char* no_break = "\u00A0";  // keeps a count beside its name

drawn_share share_of(std::size_t count, std::size_t all) {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    return {all == 0 ? 0 : static_cast<double>(count) / static_cast<double>(all), none, none};
}

std::string percent(const drawn_share& share) { return format("%.1f %%", 100 * share.value); }

page_table funnel_table(const evaluation_report& r, std::size_t all) {
    page_table table{"How far the candidates came", {"stage", "candidates", "share"}, 2, {}};
    const auto add = [&](std::string_view word, std::size_t count) {
        const drawn_share share = share_of(count, all);
        table.rows.push_back({{std::string(word), std::to_string(count), percent(share)}, share});
    };
    for (const auto& [word, count] : funnel_of(r)) add(word, count);
    if (r.unsupported.count > 0) add("unsupported", r.unsupported.count);
    return table;
}

page_table rate_table(const evaluation_report& r) {
    page_table table{"Pass@k", {"rate", "value", "95 % interval"}, 2, {}};
    const bool has_open = r.unsupported.count + r.not_judged.count > 0;
    if (has_open) {
        table.columns.emplace_back("at most");
        ++table.numbers;
    }
    for (const named_rate& rate : r.rates) {
        const auto& [mean, low, high, error] = rate.value;
        std::vector<std::string> cells{name_of(rate), format("%.4f", mean),
                                       std::isfinite(low) ? format("%.4f – %.4f", low, high) : "–"};
        if (has_open) cells.push_back(format("%.4f", rate.at_most));
        table.rows.push_back({std::move(cells), drawn_share{mean, low, high}});
    }
    return table;
}

page_table failure_table(const evaluation_report& r, std::size_t all) {
    page_table table{"What went wrong",
                     {"failure", "candidates", "share", "most frequent diagnostic"},
                     2,
                     {},
                     "outcome"};
    const auto add = [&](failure why, std::size_t count, const std::string& example) {
        if (count == 0) return;
        table.rows.push_back({{std::string(name_of(why)), std::to_string(count),
                               percent(share_of(count, all)), example},
                              {}});
    };
    for (std::size_t i = 1; i < failure_count; ++i)
        add(static_cast<failure>(i), r.failures[i].count, r.failures[i].example);
    const auto& names = r.unsupported.names;
    add(failure::unsupported, r.unsupported.count, names.empty() ? "" : names.front().first);
    return table;
}

page_table family_table(const std::vector<family_group>& groups, std::size_t samples,
                        const std::string& families) {
    page_table table{"By " + families, {families, "passed", "share", "failures"}, 2, {}, "family"};
    for (const family_group& group : groups) {
        const std::size_t all = group.tasks * samples;
        std::string failures;
        const auto add = [&](std::string_view name, std::size_t count) {
            if (count == 0) return;
            failures += failures.empty() ? "" : ", ";
            failures += std::string(name) + no_break + std::to_string(count);
        };
        for (std::size_t i = 1; i < failure_count; ++i)
            add(name_of(static_cast<failure>(i)), group.failures[i]);
        add("missing", group.missing);
        table.rows.push_back({{group.family, format("%zu of %zu", group.passed, all),
                               percent(share_of(group.passed, all)), std::move(failures)},
                              {}});
    }
    return table;
}

void add_warnings(const evaluation_report& r, std::vector<std::string>& out) {
    const auto add = [&](std::size_t count, const char* one, const char* several,
                         const char* what) {
        if (count > 0) out.push_back(counted(count, one, several) + what);
    };
    add(r.left_out, "task is", "tasks are", " left out");
    add(r.not_judged.count, "candidate", "candidates",
        ": the evaluator failed. Rates count them as not passed, and tell what they could be at "
        "most.");
    add(r.unsupported.count, "candidate", "candidates",
        " unsupported, and not judged. Rates count them as not passed, and tell what they could "
        "be at most.");
    add(r.missing, "sample", "samples", " without a verdict, counted as failures");
    add(r.cut, "answer", "answers", " ended by a limit of tokens");
    add(r.surplus, "verdict", "verdicts", " beyond the samples wanted, not counted");
}

}  // namespace

report_head head_of(const evaluation_report& r, const std::vector<family_group>& groups,
                    const std::string& families, const std::string& verdicts) {
    report_head head;
    head.title = counted(r.tasks, "task", "tasks") + ", " +
                 counted(r.samples, "sample", "samples") + " each";
    head.facts = {{"verdicts", verdicts},
                  {"backend", r.setting.backend},
                  {"toolchain", r.setting.toolchain},
                  {"protocol", std::string(name_of(r.setting.rule))}};
    if (r.setting.inputs > 1)
        head.facts.emplace_back("inputs", std::to_string(r.setting.inputs) + " sets of each task");
    head.facts.emplace_back("task data", r.task_data.hexadecimal());
    head.facts.emplace_back("intervals",
                            format("95 %%, %zu resamples of %s, seed %llu", r.resamples,
                                   counted(r.families, "family", "families").c_str(),
                                   static_cast<unsigned long long>(r.seed)));
    if (r.with_tokens > 0) head.facts.emplace_back("mean tokens", format("%.1f", r.mean_tokens));
    add_warnings(r, head.warnings);
    const std::size_t all = r.tasks * r.samples;
    head.tables = {funnel_table(r, all), rate_table(r)};
    if (page_table failures = failure_table(r, all); !failures.rows.empty())
        head.tables.push_back(std::move(failures));
    if (groups.size() < r.tasks) head.tables.push_back(family_table(groups, r.samples, families));
    return head;
}

}  // namespace cuset

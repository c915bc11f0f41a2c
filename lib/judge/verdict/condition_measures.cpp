#include "verdict/condition_measures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cuset {

namespace {

/// Differences below this are none: sums of equal terms differ by rounding.
constexpr double least_difference = 1e-12;

const std::vector<run_outcomes>& plain_runs(const condition_outcomes& condition) {
    return condition.runs;
}
const std::vector<run_outcomes>& checked_runs(const condition_outcomes& condition) {
    return condition.checked;
}

void count_signs(const std::vector<double>& differences, paired_value& pair) {
    for (const double d : differences) {
        if (std::abs(d) < least_difference)
            ++pair.tied;
        else
            ++(d > 0 ? pair.above : pair.below);
    }
    pair.sign_p = sign_test(pair.above, pair.below);
}

std::optional<std::vector<double>> rates_of(const run_outcomes& run, stage passing, std::size_t k) {
    if (k > run.samples) return {};
    const named_rate wanted{passing, estimator::unbiased, k, {}, 0, 0};
    std::vector<double> values;
    for (const auto& task : run.table.tasks) values.push_back(value_of(wanted, task).known);
    return values;
}

/// Nothing if the length of one answer is not known: a mean over the others would be of other
/// answers in each condition.
std::optional<std::vector<double>> tokens_of(const run_outcomes& run) {
    std::vector<double> values;
    for (const auto& task : run.table.tasks) {
        double sum = 0;
        std::size_t known = 0;
        for (const verdict* v : task.samples) {
            if (v == nullptr) continue;
            if (!v->tokens) return {};
            sum += static_cast<double>(*v->tokens);
            ++known;
        }
        if (known == 0) return {};
        values.push_back(sum / static_cast<double>(known));
    }
    return values;
}

std::size_t failures_in(const task_outcomes& task, const std::vector<failure>& kinds) {
    return static_cast<std::size_t>(
        std::count_if(task.samples.begin(), task.samples.end(), [&](const verdict* v) {
            return v != nullptr && std::find(kinds.begin(), kinds.end(), v->why) != kinds.end();
        }));
}

/// Kinds that say one thing together.
struct failure_kinds {
    const char* name;
    std::vector<failure> kinds;
};
const std::vector<failure_kinds>& groups() {
    static const std::vector<failure_kinds> all{
        {"all compiling",
         {failure::syntax_error, failure::link_error, failure::compile_timeout,
          failure::compile_limit}},
        {"all launching", {failure::no_kernel_launch, failure::launch_error}},
        {"all indexing", {failure::illegal_address, failure::out_of_bounds}},
        {"all ordering", {failure::barrier_divergence, failure::race}},
    };
    return all;
}

/// The figures of one measure: a condition's values by seed.
struct figure_column {
    std::string name;
    std::vector<std::map<std::string, double>> of;
};

std::vector<double> values_in(const std::map<std::string, double>& seeds) {
    std::vector<double> values;
    for (const auto& [seed, value] : seeds) values.push_back(value);
    return values;
}

std::optional<paired_value> compare_figures(const std::map<std::string, double>& own,
                                            const std::map<std::string, double>& base) {
    std::vector<double> apart;
    for (const auto& [seed, value] : own)
        if (const auto other = base.find(seed); other != base.end())
            apart.push_back(value - other->second);
    if (apart.empty()) return {};
    paired_value pair;
    pair.difference = student_rate(apart);
    pair.runs = apart.size();
    count_signs(apart, pair);
    pair.detectable = detectable_difference(pair.difference.error, apart.size());
    return pair;
}

}  // namespace

condition_measures::condition_measures(const std::vector<condition_outcomes>& conditions,
                                       const condition_table& table)
    : conditions_(conditions), table_(table) {
    for (std::size_t c = 0; c < table.rows.size(); ++c)
        if (!table.baseline.empty() && table.rows[c].name == table.baseline) baseline_ = c;
}

paired_value condition_measures::compare(const std::vector<task_value>& apart, std::size_t runs,
                                         bool is_rate) const {
    paired_value pair;
    const auto bounds =
        is_rate ? std::optional(value_bounds{-1, 1}) : std::optional<value_bounds>();
    pair.difference = bootstrap_rate(apart, table_.seed, table_.resamples, bounds);
    pair.runs = runs;
    std::map<std::size_t, std::pair<double, double>> families;
    for (const auto& value : apart) {
        families[value.family].first += value.value;
        families[value.family].second += 1;
    }
    std::vector<double> means;
    for (const auto& [family, sum] : families) means.push_back(sum.first / sum.second);
    count_signs(means, pair);
    pair.detectable = detectable_difference(pair.difference.error, families.size());
    return pair;
}

void condition_measures::add(table_measure measure, runs_of runs, const values_of_run& values,
                             std::vector<table_measure>& to) const {
    // A value for each condition, run and task.
    std::vector<std::vector<std::vector<double>>> known(conditions_.size());
    for (std::size_t c = 0; c < conditions_.size(); ++c) {
        for (const auto& run : runs(conditions_[c])) {
            auto found = values(run);
            if (!found) {
                known[c].clear();
                break;
            }
            known[c].push_back(std::move(*found));
        }
    }
    const auto& tasks = conditions_[0].runs[0].table.tasks;
    const auto bounds = measure.is_rate ? std::optional(value_bounds()) : std::nullopt;
    bool any = false;
    for (std::size_t c = 0; c < conditions_.size(); ++c) {
        measure.of.emplace_back();
        if (known[c].empty()) continue;
        any = true;
        std::vector<task_value> all, apart;
        const bool has_pair = baseline_ && *baseline_ != c && !known[*baseline_].empty();
        const std::size_t paired =
            has_pair ? std::min(known[c].size(), known[*baseline_].size()) : 0;
        for (std::size_t r = 0; r < known[c].size(); ++r) {
            for (std::size_t t = 0; t < tasks.size(); ++t) {
                const double value = known[c][r][t];
                all.push_back({tasks[t].family, value, r});
                if (r < paired)
                    apart.push_back({tasks[t].family, value - known[*baseline_][r][t], r});
            }
        }
        measured_value cell;
        cell.value = bootstrap_rate(all, table_.seed, table_.resamples, bounds);
        cell.runs = known[c].size();
        if (has_pair) cell.apart = compare(apart, paired, measure.is_rate);
        measure.of.back() = cell;
    }
    if (any) to.push_back(std::move(measure));
}

void condition_measures::add_rates(const std::vector<std::size_t>& pass_at,
                                   std::vector<table_measure>& to) const {
    const std::vector<std::size_t> usual{1, 3};
    const bool runs = table_.setting.backend != "compile-only";
    const std::pair<const char*, stage> stages[] = {
        {"pass@", stage::correct}, {"compiled@", stage::compiled}, {"ran@", stage::ran}};
    for (const auto& [name, passing] : stages) {
        if (!runs && passing != stage::compiled) continue;
        for (const std::size_t k : pass_at.empty() ? usual : pass_at)
            add(
                {name + std::to_string(k)}, plain_runs,
                [=](const run_outcomes& run) { return rates_of(run, passing, k); }, to);
    }
    add(
        {"checked@1"}, checked_runs,
        [](const run_outcomes& run) { return rates_of(run, stage::correct, 1); }, to);
    add({"tokens", false}, plain_runs, tokens_of, to);
}

std::size_t condition_measures::count_of(const condition_outcomes& condition,
                                         const std::vector<failure>& kinds) const {
    std::size_t count = 0;
    for (const auto& run : condition.runs)
        for (const auto& task : run.table.tasks) count += failures_in(task, kinds);
    return count;
}

void condition_measures::add_failure(const std::string& name, const std::vector<failure>& kinds,
                                     std::vector<table_measure>& to) const {
    const auto shares = [&](const run_outcomes& run) {
        std::vector<double> values;
        for (const auto& task : run.table.tasks)
            values.push_back(static_cast<double>(failures_in(task, kinds)) /
                             static_cast<double>(run.samples));
        return std::optional(values);
    };
    add({name}, plain_runs, shares, to);
    for (std::size_t c = 0; c < conditions_.size(); ++c)
        if (auto& cell = to.back().of[c]) cell->count = count_of(conditions_[c], kinds);
}

void condition_measures::add_failures(std::vector<table_measure>& to) const {
    const auto occurs = [&](failure kind) {
        return std::any_of(conditions_.begin(), conditions_.end(),
                           [&](const auto& condition) { return count_of(condition, {kind}) > 0; });
    };
    for (std::size_t i = 1; i < failure_count; ++i) {
        const auto kind = static_cast<failure>(i);
        if (occurs(kind)) add_failure(std::string(name_of(kind)), {kind}, to);
    }
    for (const auto& group : groups())
        if (std::count_if(group.kinds.begin(), group.kinds.end(), occurs) > 1)
            add_failure(group.name, group.kinds, to);
}

status condition_measures::add_figures(const std::vector<condition_figure>& figures,
                                       condition_table& to) const {
    std::vector<figure_column> columns;
    for (const auto& figure : figures) {
        std::size_t row = 0;
        while (row < table_.rows.size() && table_.rows[row].name != figure.condition) ++row;
        if (row == table_.rows.size()) continue;
        auto column = std::find_if(columns.begin(), columns.end(),
                                   [&](const auto& c) { return c.name == figure.measure; });
        if (column == columns.end())
            column = columns.insert(
                column,
                {figure.measure, std::vector<std::map<std::string, double>>(table_.rows.size())});
        column->of[row].emplace(figure.seed, figure.value);
    }
    if (columns.empty() && !figures.empty())
        return data_error("--figures: none is of a condition of this table (the first is of " +
                          figures[0].condition + ')');
    for (const auto& column : columns) {
        for (const auto& measure : to.measures)
            if (measure.name == column.name)
                return usage_error("--figures: " + column.name + " is a measure of the verdicts");
        table_measure made{column.name, false, true};
        for (const auto& seeds : column.of) {
            made.of.emplace_back();
            if (seeds.empty()) continue;
            measured_value cell;
            cell.value = student_rate(values_in(seeds));
            cell.runs = seeds.size();
            if (baseline_ && &seeds != &column.of[*baseline_])
                cell.apart = compare_figures(seeds, column.of[*baseline_]);
            made.of.back() = cell;
        }
        to.measures.push_back(std::move(made));
    }
    return {};
}

}  // namespace cuset

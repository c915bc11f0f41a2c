// The columns of a table of conditions. Private to lib/judge.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "cuset/judge/condition_table.h"
#include "verdict/task_outcomes.h"

namespace cuset {

struct run_outcomes {
    outcome_table table;
    std::size_t samples = 0;  ///< of each task
};

struct condition_outcomes {
    std::vector<run_outcomes> runs, checked;
};

class condition_measures {
public:
    /// `table` has its rows, the baseline and the bootstrap's settings; both outlive this.
    condition_measures(const std::vector<condition_outcomes>& conditions,
                       const condition_table& table);

    /// pass@k, compiled@k and ran@k for each k, checked@1, and the mean tokens of an answer.
    void add_rates(const std::vector<std::size_t>& pass_at, std::vector<table_measure>& to) const;
    /// Shares of the answers that fail in a way, for each kind and each group of kinds that occurs.
    void add_failures(std::vector<table_measure>& to) const;
    /// A usage error if a figure has the name of a rate; a data error if no figure is of a
    /// condition of this table.
    status add_figures(const std::vector<condition_figure>& figures, condition_table& to) const;

private:
    /// A value for each task, or nothing if the run does not have the measure.
    using values_of_run =
        std::function<std::optional<std::vector<double>>(const run_outcomes& run)>;
    using runs_of = const std::vector<run_outcomes>& (*)(const condition_outcomes& condition);
    void add(table_measure measure, runs_of runs, const values_of_run& values,
             std::vector<table_measure>& to) const;
    void add_failure(const std::string& name, const std::vector<failure>& kinds,
                     std::vector<table_measure>& to) const;
    std::size_t count_of(const condition_outcomes& condition,
                         const std::vector<failure>& kinds) const;
    paired_value compare(const std::vector<task_value>& apart, std::size_t runs,
                         bool is_rate) const;

    const std::vector<condition_outcomes>& conditions_;
    const condition_table& table_;
    std::optional<std::size_t> baseline_;
};

}  // namespace cuset

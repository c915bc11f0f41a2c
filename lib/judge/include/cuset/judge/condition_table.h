// Several conditions (objectives, settings of a sweep), each with the runs of one or more seeds, in
// one table: rates with intervals, and what sets them apart from a baseline.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/sha256.h"
#include "cuset/base/status.h"
#include "cuset/judge/report.h"
#include "cuset/judge/verdict.h"
#include "cuset/statistics/pass_rate.h"

namespace cuset {

/// The verdicts on one run's answers, as a file has them.
struct condition_run {
    std::string file;
    std::vector<verdict> verdicts;
};

/// A row of the table: the same training with other seeds.
struct condition_runs {
    std::string name;
    std::vector<condition_run> runs;     ///< in the order of the seeds
    std::vector<condition_run> checked;  ///< the same seeds, judged under --check
};

/// A name and its files: "NAME=FILE[,FILE...]". The name ends at the last = before the first / or
/// comma, so that both "tau=0.05=a.jsonl" and "cuset=runs/tau=0.1/a.jsonl" mean what they seem to.
struct condition_files {
    std::string name;
    std::vector<std::string> files;
};
/// A usage error if there is no name or no file, or a file is named twice.
result<condition_files> read_condition(std::string_view text);

/// Reads the files of a condition. Those under --check are told apart by their setting; if there
/// are no others, they are the runs. A data error for a file without verdicts.
result<condition_runs> read_runs(const condition_files& files);

/// A figure that was measured elsewhere, one for a condition and seed.
struct condition_figure {
    std::string condition, seed, measure;
    double value = 0;
};
/// Reads a TSV with the columns condition, seed, measure and value, in any order; others are left
/// alone. A data error "FILE:LINE: …" for what is missing, no number, or there twice.
result<std::vector<condition_figure>> read_figures(const std::string& path);

/// The field of each task of a file, by the task's id. A data error for a task without the field;
/// nothing if `is_optional` and no task has it.
result<std::optional<std::map<std::string, std::string>>> read_families(const std::string& path,
                                                                        const std::string& field,
                                                                        bool is_optional);

struct table_options {
    std::string baseline{};            ///< empty: no differences
    std::size_t samples = 0;           ///< of each task; missing ones fail. 0: none may be missing
    std::uint64_t seed = 42;           ///< of the bootstrap
    std::set<std::string> left_out{};  ///< ids of tasks that are not counted
    std::vector<std::size_t> pass_at{};  ///< as report_options::pass_at; empty: 1 and 3
    bool common = false;               ///< count the tasks that all files have; else all must agree
    std::vector<counted_task> tasks{};              ///< empty: those of the verdicts
    std::string family_field{};                     ///< what `families` are, for the heading
    std::map<std::string, std::string> families{};  ///< by task; empty: those that verdicts name
};

/// What sets a condition apart from the baseline, on the same tasks and the same seeds.
struct paired_value {
    rate difference;                             ///< condition − baseline
    std::size_t runs = 0;                        ///< that both have
    std::size_t above = 0, below = 0, tied = 0;  ///< families whose mean difference is so
    double sign_p = 0;                           ///< sign_test(above, below)
    double detectable = 0;                       ///< detectable_difference() of these sizes
};

struct measured_value {
    rate value;
    std::size_t runs = 0;
    std::size_t count = 0;  ///< of answers, for a kind of failure
    std::optional<paired_value> apart;
};

/// A column: nothing where a condition does not have it.
struct table_measure {
    std::string name;  ///< "pass@1", "tokens", or a figure's own name
    bool is_rate = true;
    bool is_figure = false;
    std::vector<std::optional<measured_value>> of{};  ///< conditions, in their order
};

struct table_row {
    std::string name;
    std::size_t runs = 0, checked = 0;
    std::size_t least_samples = 0, most_samples = 0;  ///< of each task
    std::size_t answers = 0, missing = 0, surplus = 0, evaluator = 0, unsupported = 0;
};

struct condition_table {
    evaluation_setting setting;
    std::optional<evaluation_setting> checked_setting;
    digest task_data;
    std::string baseline, family_field;
    std::uint64_t seed = 0;
    std::size_t resamples = 0;
    std::size_t tasks = 0, families = 0, left_out = 0;
    std::size_t dropped = 0;  ///< tasks that not all files have
    std::vector<table_row> rows;
    std::vector<table_measure> measures;
    std::vector<table_measure> failures;  ///< the kinds that occur: shares of the answers
};

/// Counts all conditions on the same tasks. Errors: usage if two conditions have one name, the
/// baseline is none of them, settings or versions of a task differ, or no task is left; data if a
/// condition lacks tasks or samples that others have, or none of its answers could be judged.
result<condition_table> make_table(const std::vector<condition_runs>& conditions,
                                   const std::vector<condition_figure>& figures,
                                   const table_options& options);

}  // namespace cuset

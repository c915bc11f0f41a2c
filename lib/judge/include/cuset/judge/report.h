// Sums verdicts up: funnel, Pass@k with its interval, failures.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuset/base/sha256.h"
#include "cuset/base/status.h"
#include "cuset/judge/verdict.h"
#include "cuset/statistics/pass_rate.h"

namespace cuset {

/// A task that is counted, even without a verdict on it.
struct counted_task {
    std::string id, family;
    digest hash;  ///< task::hash
};

struct report_options {
    std::size_t samples = 0;         ///< for each task; 0: the largest number that a task has
    std::uint64_t seed = 42;         ///< of the bootstrap
    std::set<std::string> left_out;  ///< ids of tasks that are not counted
    /// The k of Pass@k; empty: 1, 3, 10 and 100. Those above the number of samples have no rate.
    std::vector<std::size_t> pass_at{};
};

/// How the samples of a task become one number.
enum class estimator : unsigned char {
    any_of_first,  ///< 1 if one of the first k samples passes
    unbiased,      ///< pass_at_k of all its samples
};

struct named_rate {
    stage passing = stage::correct;  ///< a sample passes that has reached this stage
    estimator how = estimator::any_of_first;
    std::size_t k = 1;
    rate value;
    /// The effect of samples that nobody judged (unsupported, or the evaluator failed): if all of
    /// them passed, this would be the mean, and so many tasks would have another value. `value`
    /// counts them as not passed.
    double at_most = 0;
    std::size_t open_tasks = 0;
};

struct failure_group {
    std::size_t count = 0;
    std::string example;  ///< the most frequent diagnostic
};

/// Verdicts that are neither passes nor failures.
struct unsupported_group {
    std::size_t count = 0, tasks = 0;
    /// The missing features that they need, and the number of verdicts for each, the most frequent
    /// first.
    std::vector<std::pair<std::string, std::size_t>> names;
};
/// Those of failure::evaluator. `failures` has them too.
struct not_judged_group {
    std::size_t count = 0, tasks = 0;
};

struct evaluation_report {
    evaluation_setting setting;
    digest task_data;  ///< of the hashes of the tasks that are counted
    std::uint64_t seed = 0;
    std::size_t resamples = 0;
    std::size_t tasks = 0, families = 0, samples = 0;
    std::size_t left_out = 0;  ///< tasks
    std::size_t verdicts = 0;  ///< counted ones
    std::size_t missing = 0;   ///< samples without a verdict: counted as failures
    std::size_t cut = 0;       ///< counted verdicts on answers that a limit of tokens ended
    std::size_t surplus = 0;   ///< verdicts beyond the samples that are wanted: not counted
    std::array<std::size_t, 5> reached{};  ///< verdicts that have passed a stage, by stage
    std::vector<named_rate> rates;
    std::array<failure_group, failure_count> failures;  ///< without the unsupported ones
    unsupported_group unsupported;
    not_judged_group not_judged;
    double mean_tokens = 0;  ///< of the verdicts that have tokens
    std::size_t with_tokens = 0;
    double compile_seconds = 0, run_seconds = 0;  ///< in all, at the first measurement
};

/// `setting` is that of all the verdicts. Errors: usage if no task is left, or if a verdict's task
/// is not in `tasks`.
result<evaluation_report> make_report(const std::vector<counted_task>& tasks,
                                      const std::vector<verdict>& verdicts,
                                      const evaluation_setting& setting,
                                      const report_options& options);

/// A stage, by the word that reports have for it, and the verdicts that have passed it.
struct funnel_stage {
    std::string_view word;
    std::size_t count = 0;
};
/// The stages that the setting has, "answers" first.
std::vector<funnel_stage> funnel_of(const evaluation_report& report);

/// What became of the candidates of a family's tasks.
struct family_group {
    std::string family;
    std::size_t tasks = 0, passed = 0, missing = 0;
    std::array<std::size_t, failure_count> failures{};  ///< with the unsupported ones
};
/// A group for each family of `tasks`, in the order in which families appear there. The verdicts
/// are those of make_report().
std::vector<family_group> group_by_family(const std::vector<counted_task>& tasks,
                                          const std::vector<verdict>& verdicts,
                                          const report_options& options);

/// Text and XML show what others wrote (ids, families, diagnostics) as visible_text; JSON has it as
/// it is.
std::string to_text(const evaluation_report& report);
std::string to_json(const evaluation_report& report);
/// A test case for each wanted sample, a suite for each family.
std::string to_junit(const evaluation_report& report, const std::vector<counted_task>& tasks,
                     const std::vector<verdict>& verdicts, const report_options& options);

/// "Pass@1", "pass@3 unbiased", "ran@1", "compiled@1".
std::string name_of(const named_rate& r);
/// "0.3125 [0.2401, 0.3903]"
std::string describe(const rate& r);

/// Two models on the same tasks.
struct paired_report {
    evaluation_setting setting;
    std::uint64_t seed = 0;
    digest task_data;
    std::size_t tasks = 0, families = 0, left_out = 0;
    /// Tasks with verdicts on one side only. They are not counted or, if the tasks are given, count
    /// as failures of the other side.
    std::size_t only_first = 0, only_second = 0;
    std::size_t samples_first = 0, samples_second = 0;
    /// Counted as not passed.
    std::size_t unsupported_first = 0, unsupported_second = 0;
    std::size_t not_judged_first = 0, not_judged_second = 0;
    struct difference {
        named_rate first, second;
        rate second_minus_first;
        /// The mean's bounds if all of the samples that nobody judged passed, or none.
        double at_least = 0, at_most = 0;
    };
    std::vector<difference> rates;
};

/// Compares on `tasks` or, if there are none, on the tasks that both have. Errors: usage if the
/// settings or a task differ, or if no task is left.
result<paired_report> compare_evaluations(const std::vector<counted_task>& tasks,
                                          const std::vector<verdict>& first,
                                          const std::vector<verdict>& second,
                                          const report_options& options);
std::string to_text(const paired_report& report);
std::string to_json(const paired_report& report);

}  // namespace cuset

#include "counting_flags.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "cuset/base/log.h"
#include "cuset/judge/task_check.h"
#include "cuset/judge/unjudged.h"
#include "cuset/stream/output_file.h"
#include "cuset/stream/pair_record.h"

namespace cuset {

namespace {

/// "1,2,4": whole numbers from 1 on, each once, in their order; empty for an empty text.
result<std::vector<std::size_t>> read_numbers(std::string_view list) {
    std::vector<std::size_t> numbers;
    for (bool is_last = list.empty(); !is_last;) {
        const std::string_view word = list.substr(0, list.find(','));
        is_last = word.size() == list.size();
        std::size_t number = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        constexpr std::size_t most = 10'000;
        if (error != std::errc() || end != word.data() + word.size() || number < 1 || number > most)
            return usage_error("--pass-at: '" + std::string(word) +
                               "' is no number from 1 to 10000");
        numbers.push_back(number);
        list.remove_prefix(is_last ? word.size() : word.size() + 1);
    }
    std::ranges::sort(numbers);
    const auto repeated = std::ranges::unique(numbers);
    numbers.erase(repeated.begin(), repeated.end());
    return numbers;
}

}  // namespace

status check(const counting_flags& flags) {
    auto numbers = read_numbers(flags.pass_at);
    return numbers ? status::ok() : std::move(numbers).error();
}

void tell_too_large(const std::vector<std::size_t>& pass_at, std::size_t samples) {
    for (const std::size_t k : pass_at)
        if (k > samples)
            log(log_level::warning, "--pass-at " + std::to_string(k) + ": there are " +
                                        std::to_string(samples) + " samples of a task");
}

void add_counting_flags(program& p, counting_flags& flags, std::string seed_help) {
    p.add({
        {'n', "samples", "N",
         "Samples that each task must have; 0 takes the largest number that a task has. Missing "
         "ones count as failures.",
         &flags.samples, between(0, 10'000)},
        {'k', "pass-at", "LIST",
         "The k of Pass@k: numbers with commas between them. By default 1, 3, 10 and 100 "
         "(cuset-report --table: 1 and 3). Those above the number of samples have no rate.",
         &flags.pass_at},
        {0, "seed", "N", std::move(seed_help), &flags.seed},
        {0, "leave-out", "FILE",
         "Do not count the tasks that FILE, the output of cuset-eval --check-tasks, calls weak. "
         "The report says how many.",
         &flags.leave_out, value_kind::file},
        {0, "json", "", "The report as one JSON object.", &flags.json},
        {0, "junit", "FILE", "Write a JUnit report to FILE too.", &flags.junit, value_kind::file},
    });
}

result<report_options> to_report_options(const counting_flags& flags) {
    report_options options;
    CUSET_ASSIGN(options.pass_at, read_numbers(flags.pass_at));
    options.samples = static_cast<std::size_t>(flags.samples);
    options.seed = static_cast<std::uint64_t>(flags.seed);
    if (!flags.leave_out.empty()) {
        CUSET_ASSIGN(auto ids, read_weak_tasks(flags.leave_out));
        options.left_out.insert(ids.begin(), ids.end());
    }
    return options;
}

std::vector<counted_task> counted_tasks(const stream_flags& flags, const task_set& tasks) {
    std::vector<counted_task> counted;
    for (const auto& t : tasks.tasks())
        if (is_in_shard(t.id, flags.shard_index, flags.shard_count))
            counted.push_back({t.id, t.family, t.hash()});
    return counted;
}

result<std::size_t> write_report(const counting_flags& flags,
                                 const std::vector<counted_task>& counted,
                                 const std::vector<verdict>& verdicts,
                                 const evaluation_setting& setting, output& out) {
    CUSET_ASSIGN(const report_options options, to_report_options(flags));
    CUSET_ASSIGN(const auto report, make_report(counted, verdicts, setting, options));
    tell_too_large(options.pass_at, report.samples);
    CUSET_ASSIGN(const std::size_t unjudged, warn_of_unjudged(report, verdicts));
    CUSET_TRY(out.write(flags.json ? to_json(report) : to_text(report)));
    if (!flags.junit.empty())
        CUSET_TRY(write_whole_file(flags.junit, to_junit(report, counted, verdicts, options)));
    CUSET_TRY(out.finish());
    return unjudged;
}

}  // namespace cuset

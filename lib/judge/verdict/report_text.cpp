// Reports as text and JSON.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "cuset/base/format.h"
#include "cuset/base/visible_text.h"
#include "cuset/judge/report.h"
#include "cuset/stream/json_writer.h"

namespace cuset {

namespace {

std::string tasks_and_families(std::size_t tasks, std::size_t families) {
    return counted(tasks, "task", "tasks") + " of " + counted(families, "family", "families");
}

/// At most this many names are listed.
constexpr std::size_t most_names = 20;

constexpr std::array<const char*, 5> stage_words{"answers", "extracted", "compiled", "ran",
                                                 "correct"};

void append_setting(const evaluation_setting& setting, const digest& task_data, std::string& out) {
    out += "backend     " + visible_text(setting.backend) + '\n';
    out += "toolchain   " + visible_text(setting.toolchain) + '\n';
    out += "protocol    " + std::string(name_of(setting.rule)) + '\n';
    if (setting.inputs > 1)
        out += "inputs      " + std::to_string(setting.inputs) + " sets of each task\n";
    out += "task data   " + task_data.hexadecimal() + '\n';
}

void write_setting(const evaluation_setting& setting, const digest& task_data, json_writer& json) {
    json.member("backend", setting.backend).member("toolchain", setting.toolchain);
    json.member("protocol", name_of(setting.rule)).member("inputs", setting.inputs);
    json.member("task_data", task_data.hexadecimal());
}

const char* word_of(estimator how) {
    return how == estimator::unbiased ? "unbiased" : "any_of_first";
}

void write_rate_keys(const named_rate& r, json_writer& json) {
    json.member("passing", name_of(r.passing)).member("estimator", word_of(r.how));
    json.member("k", r.k);
}

void write_rate(const rate& r, json_writer& json) {
    json.member("mean", r.mean, 6).member("low", r.low, 6).member("high", r.high, 6);
}

void write_unsupported(const unsupported_group& group, json_writer& json) {
    json.key("unsupported").begin_object();
    json.member("count", group.count).member("tasks", group.tasks).key("names").begin_array();
    for (const auto& [name, count] : group.names)
        json.begin_object().member("name", name).member("count", count).end_object();
    json.end_array().end_object();
}

/// CUDABench's names for two of our rates.
constexpr std::pair<const char*, stage> names_of_cudabench[] = {{"correctness", stage::ran},
                                                                {"functionality", stage::correct}};

/// Calls visit(name, rate) for each rate that CUDABench reports: Pass@1 and Pass@3 by their first
/// samples.
template <class Visit>
void for_rates_of_cudabench(const evaluation_report& r, const Visit& visit) {
    if (!is_of_cudabench(r.setting.rule)) return;
    for (const auto& [name, passing] : names_of_cudabench)
        for (const auto& rate : r.rates)
            if (rate.passing == passing && rate.how == estimator::any_of_first &&
                (rate.k == 1 || rate.k == 3))
                visit(name, rate);
}

/// The tasks that a rate of whole tasks counts.
std::size_t tasks_in(const named_rate& rate, std::size_t tasks) {
    return static_cast<std::size_t>(std::llround(rate.value.mean * static_cast<double>(tasks)));
}

std::size_t stages_of(const evaluation_setting& setting) {
    return setting.backend == "compile-only" ? 3 : 5;
}

}  // namespace

std::vector<funnel_stage> funnel_of(const evaluation_report& r) {
    std::vector<funnel_stage> funnel;
    for (std::size_t s = 0; s < stages_of(r.setting); ++s)
        funnel.push_back({stage_words[s], r.reached[s]});
    return funnel;
}

std::string name_of(const named_rate& r) {
    const std::string at = '@' + std::to_string(r.k);
    if (r.passing != stage::correct)
        return std::string(name_of(r.passing)) + at +
               (r.how == estimator::unbiased ? " unbiased" : "");
    return r.how == estimator::unbiased ? "pass" + at + " unbiased" : "Pass" + at;
}

std::string describe(const rate& r) {
    const std::string mean = format("%8.4f", r.mean);
    return std::isfinite(r.low) ? mean + format("  [%.4f, %.4f]", r.low, r.high) : mean;
}

std::string to_text(const evaluation_report& r) {
    std::string out = tasks_and_families(r.tasks, r.families) + ", " +
                      counted(r.samples, "sample", "samples") + " each\n";
    append_setting(r.setting, r.task_data, out);
    out += format("bootstrap   %zu resamples of families, seed %llu, 95 %% intervals\n",
                  r.resamples, static_cast<unsigned long long>(r.seed));
    if (r.left_out > 0)
        out += "left out    " + counted(r.left_out, "task", "tasks") + ", not counted below\n";
    const bool any_open = r.unsupported.count + r.not_judged.count > 0;
    if (r.not_judged.count > 0)
        out += "not judged  " + counted(r.not_judged.count, "candidate", "candidates") + " of " +
               counted(r.not_judged.tasks, "task", "tasks") +
               ": the evaluator failed; counted like unsupported ones\n";
    if (r.unsupported.count > 0)
        out +=
            "unsupported " + counted(r.unsupported.count, "candidate", "candidates") + " of " +
            counted(r.unsupported.tasks, "task", "tasks") +
            ": not judged; rates count them as not passed, and tell what they could be at most\n";
    if (r.missing > 0)
        out += "missing     " + counted(r.missing, "sample", "samples") +
               " without a verdict, counted as failures\n";
    if (r.cut > 0)
        out += "cut off     " + counted(r.cut, "answer", "answers") + " at the limit of tokens\n";
    if (r.surplus > 0)
        out += "surplus     " + counted(r.surplus, "verdict", "verdicts") +
               " beyond the samples wanted, not counted\n";

    out += "\nstage        candidates    share\n";
    const std::size_t all = r.tasks * r.samples;
    for (const auto& [word, count] : funnel_of(r))
        out += format("%-12s %10zu  %6.1f %%\n", word.data(), count,
                      100.0 * static_cast<double>(count) / static_cast<double>(all));

    if (r.unsupported.count > 0)
        out += format("%-12s %10zu  %6.1f %%\n", "unsupported", r.unsupported.count,
                      100.0 * static_cast<double>(r.unsupported.count) / static_cast<double>(all));

    out += format("\n%-20s %8s  95 %% interval", "rate", "value");
    if (any_open) out += format("%5sat most  open tasks", "");
    out += '\n';
    for (const auto& rate : r.rates) {
        out += format("%-20s %s", name_of(rate).c_str(), describe(rate.value).c_str());
        if (any_open)
            out += format("%*s%7.4f  %10zu", std::isfinite(rate.value.low) ? 2 : 20, "",
                          rate.at_most, rate.open_tasks);
        out += '\n';
    }

    bool any = false;
    for (std::size_t i = 1; i < failure_count; ++i) {
        const auto& group = r.failures[i];
        if (group.count == 0) continue;
        if (!any) out += "\nfailure           candidates  most frequent diagnostic\n";
        any = true;
        out += format("%-17s %10zu  ", name_of(static_cast<failure>(i)).data(), group.count);
        out += visible_text(group.example) + '\n';
    }
    const char* before = "\nCUDABench's names\n";
    for_rates_of_cudabench(r, [&](const char* name, const named_rate& rate) {
        out += std::exchange(before, "");
        out += format("%-14s Pass@%zu %8zu of %zu  %6.2f %%\n", name, rate.k,
                      tasks_in(rate, r.tasks), r.tasks, 100 * rate.value.mean);
    });
    if (r.unsupported.count > 0) {
        out += "\nunsupported       candidates\n";
        const auto& names = r.unsupported.names;
        for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i) {
            out += format("%17s %10zu  ", "", names[i].second);
            out += visible_text(names[i].first) + '\n';
        }
        if (names.size() > most_names)
            out += format("%30s%zu more names\n", "", names.size() - most_names);
    }
    out += '\n';
    if (r.with_tokens > 0) out += format("mean tokens   %.1f\n", r.mean_tokens);
    out += format("compile time  %.1f s in all\n", r.compile_seconds);
    if (r.setting.backend != "compile-only")
        out += format("run time      %.1f s in all\n", r.run_seconds);
    return out;
}

std::string to_json(const evaluation_report& r) {
    std::string out;
    json_writer json(out);
    json.begin_object();
    write_setting(r.setting, r.task_data, json);
    json.member("seed", r.seed).member("resamples", r.resamples).member("tasks", r.tasks);
    json.member("families", r.families).member("samples", r.samples);
    json.member("left_out", r.left_out).member("verdicts", r.verdicts);
    json.member("missing", r.missing).member("cut", r.cut);
    json.member("surplus", r.surplus).key("funnel").begin_object();
    for (std::size_t s = 0; s < stages_of(r.setting); ++s)
        json.member(name_of(static_cast<stage>(s)), r.reached[s]);
    json.end_object().key("rates").begin_array();
    for (const auto& rate : r.rates) {
        json.begin_object();
        write_rate_keys(rate, json);
        write_rate(rate.value, json);
        json.member("at_most", rate.at_most, 6).member("open_tasks", rate.open_tasks).end_object();
    }
    json.end_array();
    if (is_of_cudabench(r.setting.rule)) {
        json.key("cudabench").begin_array();
        for_rates_of_cudabench(r, [&](const char* name, const named_rate& rate) {
            json.begin_object().member("name", name).member("k", rate.k);
            json.member("passed", tasks_in(rate, r.tasks)).member("tasks", r.tasks);
            json.member("rate", rate.value.mean, 6).end_object();
        });
        json.end_array();
    }
    json.key("failures").begin_object();
    for (std::size_t i = 1; i < failure_count; ++i) {
        const auto& [count, example] = r.failures[i];
        if (count == 0) continue;
        json.key(name_of(static_cast<failure>(i))).begin_object();
        json.member("count", count).member("example", example).end_object();
    }
    json.end_object();
    write_unsupported(r.unsupported, json);
    json.member("mean_tokens", r.with_tokens > 0 ? r.mean_tokens : std::nan(""), 6);
    json.member("compile_seconds", r.compile_seconds, 6).member("run_seconds", r.run_seconds, 6);
    json.end_object();
    return out + '\n';
}

std::string to_text(const paired_report& r) {
    std::string out = tasks_and_families(r.tasks, r.families) + ", " +
                      std::to_string(r.samples_first) + " and " +
                      counted(r.samples_second, "sample", "samples") + " each\n";
    append_setting(r.setting, r.task_data, out);
    out += format("bootstrap   of families, seed %llu, 95 %% intervals\n",
                  static_cast<unsigned long long>(r.seed));
    if (r.left_out > 0)
        out += "left out    " + counted(r.left_out, "task", "tasks") + ", not counted below\n";
    if (r.only_first + r.only_second > 0)
        out += format("only one    %zu tasks have verdicts of the first alone, %zu of the second\n",
                      r.only_first, r.only_second);
    const bool any_unsupported = r.unsupported_first + r.unsupported_second > 0;
    const bool any_not_judged = r.not_judged_first + r.not_judged_second > 0;
    const bool any_open = any_unsupported || any_not_judged;
    if (any_unsupported)
        out += format(
            "unsupported %zu and %zu candidates: not judged; rates count them as not passed\n",
            r.unsupported_first, r.unsupported_second);
    if (any_not_judged)
        out += format(
            "not judged  %zu and %zu candidates: the evaluator failed; counted like unsupported "
            "ones\n",
            r.not_judged_first, r.not_judged_second);
    out += format("\n%-20s %8s  %8s  second - first", "rate", "first", "second");
    out += any_open ? "             at least, at most\n" : "\n";
    for (const auto& d : r.rates) {
        out += format("%-20s %8.4f  %8.4f  %s", name_of(d.first).c_str(), d.first.value.mean,
                      d.second.value.mean, describe(d.second_minus_first).c_str());
        if (any_open) out += format("  %7.4f, %.4f", d.at_least, d.at_most);
        out += '\n';
    }
    return out;
}

std::string to_json(const paired_report& r) {
    std::string out;
    json_writer json(out);
    json.begin_object();
    write_setting(r.setting, r.task_data, json);
    json.member("seed", r.seed).member("tasks", r.tasks).member("families", r.families);
    json.member("left_out", r.left_out);
    json.member("only_first", r.only_first).member("only_second", r.only_second);
    json.member("samples_first", r.samples_first).member("samples_second", r.samples_second);
    json.member("unsupported_first", r.unsupported_first);
    json.member("unsupported_second", r.unsupported_second);
    json.member("not_judged_first", r.not_judged_first);
    json.member("not_judged_second", r.not_judged_second).key("rates").begin_array();
    for (const auto& d : r.rates) {
        json.begin_object();
        write_rate_keys(d.first, json);
        for (const auto& [key, value] :
             {std::pair{"first", d.first.value}, std::pair{"second", d.second.value},
              std::pair{"second_minus_first", d.second_minus_first}}) {
            json.key(key).begin_object();
            write_rate(value, json);
            json.end_object();
        }
        json.member("at_least", d.at_least, 6).member("at_most", d.at_most, 6).end_object();
    }
    json.end_array().end_object();
    return out + '\n';
}

}  // namespace cuset

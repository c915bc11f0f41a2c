// Reports as text and JSON.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>

#include "cuset/base/visible_text.h"
#include "cuset/judge/report.h"
#include "cuset/stream/json_text.h"

namespace cuset {

namespace {

/// Appends numbers and our own words; the text is cut after one line's length.
[[gnu::format(printf, 2, 3)]] void append(std::string& out, const char* format, ...) {
    std::array<char, 512> text;
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
    va_end(arguments);
    out.append(text.data(), std::min(static_cast<std::size_t>(length), text.size() - 1));
}

/// "1 task", "2 tasks", "20 families".
std::string counted(std::size_t count, const char* one, const char* several) {
    return std::to_string(count) + ' ' + (count == 1 ? one : several);
}

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
    out += "task data   " + task_data.hexadecimal() + '\n';
}

void append_setting_json(const evaluation_setting& setting, const digest& task_data,
                         std::string& out) {
    out += "\"backend\":";
    append_json_string(setting.backend, out);
    out += ",\"toolchain\":";
    append_json_string(setting.toolchain, out);
    out += ",\"task_data\":\"" + task_data.hexadecimal() + '"';
}

void append_key(const char* key, std::size_t number, std::string& out) {
    out.append(",\"").append(key).append("\":").append(std::to_string(number));
}

void append_double(double value, std::string& out) {
    if (std::isfinite(value)) {
        append_number(value, 6, out);
    } else {
        out += "null";
    }
}

const char* word_of(estimator how) {
    return how == estimator::unbiased ? "unbiased" : "any_of_first";
}

void append_rate_keys(const named_rate& r, std::string& out) {
    out += "{\"passing\":\"" + std::string(name_of(r.passing)) + "\",\"estimator\":\"" +
           word_of(r.how) + '"';
    append_key("k", r.k, out);
}

void append_unsupported(const unsupported_group& group, std::string& out) {
    out += ",\"unsupported\":{\"count\":" + std::to_string(group.count);
    append_key("tasks", group.tasks, out);
    out += ",\"names\":[";
    for (const auto& [name, count] : group.names) {
        if (out.back() != '[') out += ',';
        out += "{\"name\":";
        append_json_string(name, out);
        append_key("count", count, out);
        out += '}';
    }
    out += "]}";
}

std::size_t stages_of(const evaluation_setting& setting) {
    return setting.backend == "compile-only" ? 3 : 5;
}

}  // namespace

std::string name_of(const named_rate& r) {
    const std::string at = '@' + std::to_string(r.k);
    if (r.passing == stage::compiled)
        return "compiled" + at + (r.how == estimator::unbiased ? " unbiased" : "");
    return r.how == estimator::unbiased ? "pass" + at + " unbiased" : "Pass" + at;
}

std::string describe(const rate& r) {
    std::string text;
    append(text, "%8.4f", r.mean);
    if (std::isfinite(r.low)) append(text, "  [%.4f, %.4f]", r.low, r.high);
    return text;
}

void append_json(const rate& r, std::string& out) {
    out += "\"mean\":";
    append_double(r.mean, out);
    out += ",\"low\":";
    append_double(r.low, out);
    out += ",\"high\":";
    append_double(r.high, out);
}

std::string to_text(const evaluation_report& r) {
    std::string out = tasks_and_families(r.tasks, r.families) + ", " +
                      counted(r.samples, "sample", "samples") + " each\n";
    append_setting(r.setting, r.task_data, out);
    append(out, "bootstrap   %zu resamples of families, seed %llu, 95 %% intervals\n", r.resamples,
           static_cast<unsigned long long>(r.seed));
    if (r.left_out > 0)
        out += "left out    " + counted(r.left_out, "task", "tasks") + ", not counted below\n";
    if (r.unsupported.count > 0)
        out +=
            "unsupported " + counted(r.unsupported.count, "candidate", "candidates") + " of " +
            counted(r.unsupported.tasks, "task", "tasks") +
            ": not judged; rates count them as not passed, and tell what they could be at most\n";
    if (r.missing > 0)
        out += "missing     " + counted(r.missing, "sample", "samples") +
               " without a verdict, counted as failures\n";
    if (r.surplus > 0)
        out += "surplus     " + counted(r.surplus, "verdict", "verdicts") +
               " beyond the samples wanted, not counted\n";

    out += "\nstage        candidates    share\n";
    const std::size_t all = r.tasks * r.samples;
    for (std::size_t s = 0; s < stages_of(r.setting); ++s)
        append(out, "%-12s %10zu  %6.1f %%\n", stage_words[s], r.reached[s],
               100.0 * static_cast<double>(r.reached[s]) / static_cast<double>(all));

    if (r.unsupported.count > 0)
        append(out, "%-12s %10zu  %6.1f %%\n", "unsupported", r.unsupported.count,
               100.0 * static_cast<double>(r.unsupported.count) / static_cast<double>(all));

    append(out, "\n%-20s %8s  95 %% interval", "rate", "value");
    if (r.unsupported.count > 0) append(out, "%5sat most  open tasks", "");
    out += '\n';
    for (const auto& rate : r.rates) {
        append(out, "%-20s %s", name_of(rate).c_str(), describe(rate.value).c_str());
        if (r.unsupported.count > 0)
            append(out, "%*s%7.4f  %10zu", std::isfinite(rate.value.low) ? 2 : 20, "", rate.at_most,
                   rate.open_tasks);
        out += '\n';
    }

    bool any = false;
    for (std::size_t i = 1; i < failure_count; ++i) {
        const auto& group = r.failures[i];
        if (group.count == 0) continue;
        if (!any) out += "\nfailure           candidates  most frequent diagnostic\n";
        any = true;
        append(out, "%-17s %10zu  ", name_of(static_cast<failure>(i)).data(), group.count);
        out += visible_text(group.example) + '\n';
    }
    if (r.unsupported.count > 0) {
        out += "\nunsupported       candidates\n";
        const auto& names = r.unsupported.names;
        for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i) {
            append(out, "%17s %10zu  ", "", names[i].second);
            out += visible_text(names[i].first) + '\n';
        }
        if (names.size() > most_names)
            append(out, "%30s%zu more names\n", "", names.size() - most_names);
    }
    out += '\n';
    if (r.with_tokens > 0) append(out, "mean tokens   %.1f\n", r.mean_tokens);
    append(out, "compile time  %.1f s in all\n", r.compile_seconds);
    if (r.setting.backend != "compile-only")
        append(out, "run time      %.1f s in all\n", r.run_seconds);
    return out;
}

std::string to_json(const evaluation_report& r) {
    std::string out = "{";
    append_setting_json(r.setting, r.task_data, out);
    append_key("seed", r.seed, out);
    append_key("resamples", r.resamples, out);
    append_key("tasks", r.tasks, out);
    append_key("families", r.families, out);
    append_key("samples", r.samples, out);
    append_key("left_out", r.left_out, out);
    append_key("verdicts", r.verdicts, out);
    append_key("missing", r.missing, out);
    append_key("surplus", r.surplus, out);
    out += ",\"funnel\":{";
    for (std::size_t s = 0; s < stages_of(r.setting); ++s) {
        if (s > 0) out += ',';
        out.append("\"").append(name_of(static_cast<stage>(s))).append("\":");
        out += std::to_string(r.reached[s]);
    }
    out += "},\"rates\":[";
    for (const auto& rate : r.rates) {
        if (out.back() != '[') out += ',';
        append_rate_keys(rate, out);
        out += ',';
        append_json(rate.value, out);
        out += ",\"at_most\":";
        append_double(rate.at_most, out);
        append_key("open_tasks", rate.open_tasks, out);
        out += '}';
    }
    out += "],\"failures\":{";
    for (std::size_t i = 1; i < failure_count; ++i) {
        if (r.failures[i].count == 0) continue;
        if (out.back() != '{') out += ',';
        out.append("\"").append(name_of(static_cast<failure>(i))).append("\":{\"count\":");
        out += std::to_string(r.failures[i].count) + ",\"example\":";
        append_json_string(r.failures[i].example, out);
        out += '}';
    }
    out += '}';
    append_unsupported(r.unsupported, out);
    out += ",\"mean_tokens\":";
    append_double(r.with_tokens > 0 ? r.mean_tokens : std::nan(""), out);
    out += ",\"compile_seconds\":";
    append_double(r.compile_seconds, out);
    out += ",\"run_seconds\":";
    append_double(r.run_seconds, out);
    return out + "}\n";
}

std::string to_text(const paired_report& r) {
    std::string out = tasks_and_families(r.tasks, r.families) + ", " +
                      std::to_string(r.samples_first) + " and " +
                      counted(r.samples_second, "sample", "samples") + " each\n";
    append_setting(r.setting, r.task_data, out);
    append(out, "bootstrap   of families, seed %llu, 95 %% intervals\n",
           static_cast<unsigned long long>(r.seed));
    if (r.left_out > 0)
        out += "left out    " + counted(r.left_out, "task", "tasks") + ", not counted below\n";
    if (r.only_first + r.only_second > 0)
        append(out, "only one    %zu tasks have verdicts of the first alone, %zu of the second\n",
               r.only_first, r.only_second);
    const bool any_open = r.unsupported_first + r.unsupported_second > 0;
    if (any_open)
        append(out,
               "unsupported %zu and %zu candidates: not judged; rates count them as not passed\n",
               r.unsupported_first, r.unsupported_second);
    append(out, "\n%-20s %8s  %8s  second - first", "rate", "first", "second");
    out += any_open ? "             at least, at most\n" : "\n";
    for (const auto& d : r.rates) {
        append(out, "%-20s %8.4f  %8.4f  %s", name_of(d.first).c_str(), d.first.value.mean,
               d.second.value.mean, describe(d.second_minus_first).c_str());
        if (any_open) append(out, "  %7.4f, %.4f", d.at_least, d.at_most);
        out += '\n';
    }
    return out;
}

std::string to_json(const paired_report& r) {
    std::string out = "{";
    append_setting_json(r.setting, r.task_data, out);
    append_key("seed", r.seed, out);
    append_key("tasks", r.tasks, out);
    append_key("families", r.families, out);
    append_key("left_out", r.left_out, out);
    append_key("only_first", r.only_first, out);
    append_key("only_second", r.only_second, out);
    append_key("samples_first", r.samples_first, out);
    append_key("samples_second", r.samples_second, out);
    append_key("unsupported_first", r.unsupported_first, out);
    append_key("unsupported_second", r.unsupported_second, out);
    out += ",\"rates\":[";
    for (const auto& d : r.rates) {
        if (out.back() != '[') out += ',';
        append_rate_keys(d.first, out);
        for (const auto& [key, value] :
             {std::pair{"first", d.first.value}, std::pair{"second", d.second.value},
              std::pair{"second_minus_first", d.second_minus_first}}) {
            out.append(",\"").append(key).append("\":{");
            append_json(value, out);
            out += '}';
        }
        out += ",\"at_least\":";
        append_double(d.at_least, out);
        out += ",\"at_most\":";
        append_double(d.at_most, out);
        out += '}';
    }
    return out + "]}\n";
}

}  // namespace cuset

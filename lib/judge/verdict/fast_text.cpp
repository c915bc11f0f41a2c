// Speed reports as text, table and JSON.
#include <cmath>

#include "cuset/base/format.h"
#include "cuset/base/visible_text.h"
#include "cuset/judge/fast_scores.h"
#include "cuset/stream/json_writer.h"

namespace cuset {

namespace {

std::string name_of(const fast_rate& r) {
    std::string name = format("fast_%g", r.p);
    if (r.k > 1) name += '@' + std::to_string(r.k);
    return name;
}

bool has_open_answers(const fast_report& report) {
    for (const fast_rate& r : report.rates)
        if (r.at_most > r.value.mean + 1e-12) return true;
    return false;
}

std::string cell(double number) { return std::isfinite(number) ? format("\t%.6g", number) : "\t"; }

void write_rate(const rate& r, json_writer& json) {
    json.member("value", r.mean, 6).member("low", r.low, 6).member("high", r.high, 6);
}

}  // namespace

std::string to_text(const fast_report& r) {
    std::string out = r.estimated_gpu.empty() ? "Speed against bench.cu, measured\n"
                                              : "Speed against bench.cu, an estimate for " +
                                                    r.estimated_gpu + ", not measured\n";
    out += counted(r.tasks, "task") + " of " + counted(r.families, "family", "families") + ", " +
           counted(r.samples, "sample") + " each\n";
    out += "setting     " + visible_text(describe(r.setting)) + '\n';
    out += format("bootstrap   of families, seed %llu, 95 %% intervals\n",
                  static_cast<unsigned long long>(r.seed));
    if (r.left_out > 0)
        out += "left out    " + counted(r.left_out, "task") + ", not counted below\n";
    if (r.missing > 0)
        out += "missing     " + counted(r.missing, "sample") +
               " without a verdict, counted as failures\n";
    out += "correct     " + counted(r.correct, "answer") + ", " + std::to_string(r.timed) +
           " with a speed-up\n";

    const bool any_open = has_open_answers(r);
    out += format("\n%-20s %8s  95 %% interval", "rate", "value");
    out += any_open ? "     at most\n" : "\n";
    for (const fast_rate& rate : r.rates) {
        out += format("%-20s %s", name_of(rate).c_str(), describe(rate.value).c_str());
        if (any_open)
            out += format("%*s%7.4f", std::isfinite(rate.value.low) ? 2 : 20, "", rate.at_most);
        out += '\n';
    }
    if (r.timed_tasks > 0)
        out += format("\n%-20s %s  ", "mean speed-up", describe(r.geometric_mean).c_str()) +
               "geometric, over " + counted(r.timed_tasks, "task") + '\n';
    return out;
}

std::string to_table(const fast_report& r) {
    const std::string times =
        r.estimated_gpu.empty() ? "measured" : "estimated for " + r.estimated_gpu;
    std::string out = "times\tmeasure\tp\tk\ttasks\tvalue\tlow\thigh\tat_most\n";
    for (const fast_rate& rate : r.rates) {
        out += times + "\tfast_p" + cell(rate.p) + '\t' + std::to_string(rate.k) + '\t' +
               std::to_string(r.tasks);
        for (const double number : {rate.value.mean, rate.value.low, rate.value.high, rate.at_most})
            out += cell(number);
        out += '\n';
    }
    out += times + "\tgeometric_mean_speedup\t\t\t" + std::to_string(r.timed_tasks);
    for (const double number : {r.geometric_mean.mean, r.geometric_mean.low, r.geometric_mean.high})
        out += cell(number);
    return out + "\t\n";
}

std::string to_json(const fast_report& r) {
    std::string out;
    json_writer json(out);
    json.begin_object().member("times", r.estimated_gpu.empty() ? "measured" : "estimated");
    json.key("gpu");
    if (r.estimated_gpu.empty())
        json.null();
    else
        json.value(r.estimated_gpu);
    json.member("backend", r.setting.backend).member("toolchain", r.setting.toolchain);
    json.member("protocol", name_of(r.setting.rule)).member("inputs", r.setting.inputs);
    json.member("seed", r.seed).member("tasks", r.tasks).member("families", r.families);
    json.member("samples", r.samples).member("left_out", r.left_out).member("missing", r.missing);
    json.member("correct", r.correct).member("timed", r.timed).key("fast_p").begin_array();
    for (const fast_rate& rate : r.rates) {
        json.begin_object().member("p", rate.p, 6).member("k", rate.k);
        write_rate(rate.value, json);
        json.member("at_most", rate.at_most, 6).end_object();
    }
    json.end_array().key("geometric_mean_speedup").begin_object();
    write_rate(r.geometric_mean, json);
    json.member("tasks", r.timed_tasks).end_object().end_object();
    return out + '\n';
}

}  // namespace cuset

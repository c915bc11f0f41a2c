// Reports of profiles as text, table and JSON.
#include <cmath>

#include "cuset/base/format.h"
#include "cuset/base/visible_text.h"
#include "cuset/judge/profile_scores.h"
#include "cuset/stream/json_writer.h"

namespace cuset {

namespace {

std::string cell(double number) { return std::isfinite(number) ? format("\t%.6g", number) : "\t"; }

/// A column that has nothing to say in all lines is left out.
bool has_open_answers(const profile_report& report) {
    for (const profile_mean& m : report.means)
        if (m.at_most > m.score.mean + 1e-12) return true;
    return false;
}

std::string row(const profile_report& r, std::string_view measure, std::size_t k, const rate& mean,
                double at_most) {
    std::string line(measure);
    line += '\t' + std::to_string(k) + '\t' + std::to_string(r.tasks);
    for (const double number : {mean.mean, mean.low, mean.high, at_most}) line += cell(number);
    return line + '\n';
}

void write_rate(std::string_view name, const rate& r, json_writer& json) {
    json.key(name).begin_object().member("value", r.mean, 6);
    json.member("low", r.low, 6).member("high", r.high, 6).end_object();
}

}  // namespace

std::string to_text(const profile_report& r) {
    std::string out = "CUDABench's roofline score, from Nsight Compute\n";
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
    out += "correct     " + counted(r.correct, "answer") + ", " + std::to_string(r.profiled) +
           " with a score\n";

    const bool any_open = has_open_answers(r);
    out += format("\n%-20s %8s  95 %% interval   %s%11s%9s\n", "best of the first", "score",
                  any_open ? "  at most" : "", "bandwidth", "compute");
    for (const profile_mean& m : r.means) {
        out += format("%-20zu %s", m.k, describe(m.score).c_str());
        out += format("%*s", std::isfinite(m.score.low) ? 0 : 18, "");
        if (any_open) out += format("%9.4f", m.at_most);
        out += format("%11.4f%9.4f\n", m.bandwidth.mean, m.compute.mean);
    }
    if (!r.not_profiled.empty()) out += "\nwithout a score\n";
    for (const auto& [why, count] : r.not_profiled)
        out += format("%6zu  ", count) + visible_text(why) + '\n';
    return out;
}

std::string to_table(const profile_report& r) {
    std::string out = "measure\tk\ttasks\tvalue\tlow\thigh\tat_most\n";
    for (const profile_mean& m : r.means) {
        out += row(r, "score", m.k, m.score, m.at_most);
        out += row(r, "bandwidth_utilization", m.k, m.bandwidth, std::nan(""));
        out += row(r, "compute_efficiency", m.k, m.compute, std::nan(""));
    }
    return out;
}

std::string to_json(const profile_report& r) {
    std::string out;
    json_writer json(out);
    json.begin_object().member("backend", r.setting.backend);
    json.member("toolchain", r.setting.toolchain);
    json.member("protocol", name_of(r.setting.rule)).member("inputs", r.setting.inputs);
    json.member("seed", r.seed).member("tasks", r.tasks).member("families", r.families);
    json.member("samples", r.samples).member("left_out", r.left_out).member("missing", r.missing);
    json.member("correct", r.correct).member("profiled", r.profiled).key("best_of").begin_array();
    for (const profile_mean& m : r.means) {
        json.begin_object().member("k", m.k);
        write_rate("score", m.score, json);
        json.member("at_most", m.at_most, 6);
        write_rate("bandwidth_utilization", m.bandwidth, json);
        write_rate("compute_efficiency", m.compute, json);
        json.end_object();
    }
    json.end_array().key("not_profiled").begin_array();
    for (const auto& [why, count] : r.not_profiled)
        json.begin_object().member("why", why).member("answers", count).end_object();
    json.end_array().end_object();
    return out + '\n';
}

}  // namespace cuset

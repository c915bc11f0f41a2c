#include "cuset/cost/cost_record.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "cuset/cost/sass_operations.h"
#include "cuset/cost/time_estimate.h"

namespace cuset {

namespace {

std::uint64_t whole(double number) { return static_cast<std::uint64_t>(std::llround(number)); }

/// What the table and the sums of a record have of a kernel.
struct totals {
    std::uint64_t launches = 0, flops = 0, fp16 = 0, fp32 = 0, fp64 = 0, functions = 0, integer = 0;
    std::uint64_t bytes_read = 0, bytes_written = 0, atomics = 0;
    double sass = 0, sass32 = 0, sass64 = 0, seconds = 0;

    void add(const launch_cost& cost, const gpu_model* on) {
        launches += cost.launches;
        flops += cost.flops();
        fp16 += cost.fp16.flops();
        fp32 += cost.fp32.flops();
        fp64 += cost.fp64.flops();
        for (const auto& [name, calls] : cost.functions) functions += calls;
        integer += cost.integer + cost.integer_div;
        bytes_read += cost.bytes_read;
        bytes_written += cost.bytes_written;
        atomics += cost.atomics;
        const sass_operations done = sass_operations_of(cost);
        sass += done.fp16 + done.fp32 + done.fp64;
        sass32 += done.fp32;
        sass64 += done.fp64;
        if (on != nullptr && cost.has_configuration())
            seconds += estimate_time(cost, *on).seconds * static_cast<double>(cost.launches);
    }
};

totals sum_of(const program_cost& cost) {
    totals sum;
    for (const launch_cost& each : cost.kernels) sum.add(each, cost.estimated);
    return sum;
}

std::vector<std::string> left_out_of(const launch_cost& cost) {
    std::vector<std::string> all = cost.not_counted;
    for (const auto& name : sass_operations_of(cost).unknown) all.push_back(name + " as SASS");
    return all;
}

std::optional<double> slowdown_of(const program_cost& cost, const totals& sum) {
    if (!cost.reference_seconds || !(*cost.reference_seconds > 0)) return {};
    if (!std::ranges::all_of(cost.kernels, &launch_cost::has_configuration)) return {};
    return sum.seconds / *cost.reference_seconds;
}

std::string fixed(double number, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, number);
    return text;
}

}  // namespace

double program_cost::seconds() const { return sum_of(*this).seconds; }

std::optional<double> estimated_slowdown(const program_cost& cost) {
    if (cost.estimated == nullptr || cost.kernels.empty()) return {};
    for (const launch_cost& each : cost.kernels)
        if (!left_out_of(each).empty()) return {};
    return slowdown_of(cost, sum_of(cost));
}

void write_cost(const program_cost& cost, json_writer& json) {
    json.begin_object();
    if (cost.kernels.empty()) {
        json.member("not_counted", cost.not_counted).end_object();
        return;
    }
    const totals sum = sum_of(cost);
    json.member("launches", sum.launches).member("flops", sum.flops);
    json.member("fp16", sum.fp16).member("fp32", sum.fp32).member("fp64", sum.fp64);
    json.member("functions", sum.functions).member("flops_sass", whole(sum.sass));
    json.member("fp32_sass", whole(sum.sass32)).member("fp64_sass", whole(sum.sass64));
    json.member("integer", sum.integer).member("bytes_read", sum.bytes_read);
    json.member("bytes_written", sum.bytes_written).member("atomics", sum.atomics);
    if (cost.estimated != nullptr) {
        json.key("estimate").begin_object().member("gpu", cost.estimated->name);
        json.member("seconds", sum.seconds, 6);
        if (const auto slowdown = slowdown_of(cost, sum)) {
            json.member("reference_seconds", *cost.reference_seconds, 6);
            json.member("slowdown", *slowdown, 4);
        }
        json.end_object();
    }
    json.key("kernels").begin_array();
    for (const launch_cost& each : cost.kernels) write_launch_cost(each, cost.estimated, json);
    json.end_array().end_object();
}

result<program_cost> parse_cost(std::string_view json) {
    const auto refused = [] { return data_error("no cost of a program"); };
    simdjson::dom::parser parser;
    simdjson::dom::object root;
    if (json.empty() || parser.parse(json.data(), json.size()).get(root)) return refused();
    program_cost cost;
    std::string_view text;
    if (!root["not_counted"].get(text)) {
        cost.not_counted = text;
        return cost;
    }
    simdjson::dom::array kernels;
    if (root["kernels"].get(kernels)) return refused();
    for (const simdjson::dom::element each : kernels) {
        CUSET_ASSIGN(launch_cost one, parse_launch_cost(simdjson::minify(each)));
        cost.kernels.push_back(std::move(one));
    }
    if (!root["estimate"]["gpu"].get(text)) cost.estimated = gpu_model_named(text);
    if (double seconds = 0; !root["estimate"]["reference_seconds"].get(seconds))
        cost.reference_seconds = seconds;
    return cost;
}

std::string cost_table(const program_cost& cost_of_all) {
    const gpu_model* const on = cost_of_all.estimated;
    std::string text =
        "kernel\tplace\tlaunches\tfp16\tfp32\tfp64\tfunctions\tfp32_sass\tfp64_sass\tinteger\t"
        "bytes_read\tbytes_written\tcoalescing\tbank_conflicts\tatomics\tactive_lanes";
    text += on != nullptr ? "\testimated_us\tbound\n" : "\n";
    for (const launch_cost& cost : cost_of_all.kernels) {
        totals t;
        t.add(cost, on);
        text += cost.signature.empty() ? cost.kernel : cost.signature;
        if (cost.instance > 0) text += '#' + std::to_string(cost.instance);
        text += '\t';
        if (!cost.file.empty()) text += cost.file + ':';
        text += std::to_string(cost.line);
        for (const std::uint64_t number :
             {t.launches, t.fp16, t.fp32, t.fp64, t.functions, whole(t.sass32), whole(t.sass64),
              t.integer, t.bytes_read, t.bytes_written})
            text.append("\t").append(std::to_string(number));
        text.append("\t").append(fixed(cost.coalescing(), 3));
        text.append("\t").append(std::to_string(cost.bank_conflicts));
        text.append("\t").append(std::to_string(t.atomics));
        text.append("\t").append(fixed(cost.active_lanes(), 3));
        if (on != nullptr && !cost.has_configuration()) {
            text += "\t\t";
        } else if (on != nullptr) {
            const time_estimate time = estimate_time(cost, *on);
            text.append("\t").append(fixed(time.seconds * 1e6, 2)).append("\t").append(time.bound);
        }
        text += '\n';
    }
    return text;
}

std::string costs_left_out(const program_cost& cost_of_all) {
    std::string text;
    for (const launch_cost& cost : cost_of_all.kernels) {
        const std::vector<std::string> all = left_out_of(cost);
        if (all.empty()) continue;
        text += cost.kernel + ": not counted: ";
        for (std::size_t i = 0; i < all.size(); ++i) text.append(i > 0 ? ", " : "").append(all[i]);
        text += '\n';
    }
    return text;
}

std::string cost_line(const program_cost& cost) {
    const totals sum = sum_of(cost);
    std::set<std::string> missing;
    for (const launch_cost& each : cost.kernels) {
        const auto names = left_out_of(each);
        missing.insert(names.begin(), names.end());
    }
    std::string text = std::to_string(sum.launches);
    for (const std::uint64_t number :
         {sum.flops, whole(sum.sass), sum.bytes_read, sum.bytes_written, sum.atomics})
        text.append("\t").append(std::to_string(number));
    text += '\t';
    if (cost.estimated != nullptr && missing.empty()) text += fixed(sum.seconds * 1e6, 2);
    text += '\t';
    if (const auto slowdown = estimated_slowdown(cost)) text += fixed(*slowdown, 3);
    text += '\t';
    for (const auto& name : missing) text.append(text.back() == '\t' ? "" : ", ").append(name);
    return text;
}

}  // namespace cuset

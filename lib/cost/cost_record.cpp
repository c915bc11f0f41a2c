#include "cuset/cost/cost_record.h"

#include <cmath>
#include <cstdio>

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

    void add(const launch_cost& cost, const gpu* on) {
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
        if (on != nullptr)
            seconds += estimate_time(cost, *on).seconds * static_cast<double>(cost.launches);
    }
};

std::string fixed(double number, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, number);
    return text;
}

}  // namespace

void write_costs(const std::vector<launch_cost>& costs, const gpu* on, json_writer& json) {
    totals sum;
    for (const launch_cost& cost : costs) sum.add(cost, on);
    json.begin_object().member("launches", sum.launches).member("flops", sum.flops);
    json.member("fp16", sum.fp16).member("fp32", sum.fp32).member("fp64", sum.fp64);
    json.member("functions", sum.functions).member("flops_sass", whole(sum.sass));
    json.member("fp32_sass", whole(sum.sass32)).member("fp64_sass", whole(sum.sass64));
    json.member("integer", sum.integer).member("bytes_read", sum.bytes_read);
    json.member("bytes_written", sum.bytes_written).member("atomics", sum.atomics);
    if (on != nullptr)
        json.key("estimate")
            .begin_object()
            .member("gpu", on->name)
            .member("seconds", sum.seconds, 6);
    if (on != nullptr) json.end_object();
    json.key("kernels").begin_array();
    for (const launch_cost& cost : costs) write_launch_cost(cost, on, json);
    json.end_array().end_object();
}

std::string cost_table(const std::vector<launch_cost>& costs, const gpu* on) {
    std::string text =
        "kernel\tplace\tlaunches\tfp16\tfp32\tfp64\tfunctions\tfp32_sass\tfp64_sass\tinteger\t"
        "bytes_read\tbytes_written\tcoalescing\tbank_conflicts\tatomics\tactive_lanes";
    text += on != nullptr ? "\testimated_us\tbound\n" : "\n";
    for (const launch_cost& cost : costs) {
        totals t;
        t.add(cost, on);
        text += cost.kernel + '\t';
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
        if (on != nullptr) {
            const time_estimate time = estimate_time(cost, *on);
            text.append("\t").append(fixed(time.seconds * 1e6, 2)).append("\t").append(time.bound);
        }
        text += '\n';
    }
    return text;
}

std::string costs_left_out(const std::vector<launch_cost>& costs) {
    std::string text;
    for (const launch_cost& cost : costs) {
        std::vector<std::string> all = cost.not_counted;
        for (const auto& name : sass_operations_of(cost).unknown) all.push_back(name + " as SASS");
        if (all.empty()) continue;
        text += cost.kernel + ": not counted: ";
        for (std::size_t i = 0; i < all.size(); ++i) text.append(i > 0 ? ", " : "").append(all[i]);
        text += '\n';
    }
    return text;
}

}  // namespace cuset

#include "verdict/time_record.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "cuset/base/visible_text.h"

namespace cuset {

namespace {

namespace dom = simdjson::dom;

constexpr double microseconds = 1e6, milliseconds = 1e3;  // in a second
constexpr int digits = 6;

void write_spread(std::string_view key, const time_spread& spread, double unit, json_writer& json) {
    json.key(key).begin_object().member("median", spread.median * unit, digits);
    json.member("lower_quartile", spread.lower * unit, digits);
    json.member("upper_quartile", spread.upper * unit, digits).end_object();
}

/// False unless it is a number from 0 on.
bool read_number(const dom::element& object, std::string_view key, double unit, double& out) {
    if (object[key].get(out) || !std::isfinite(out) || out < 0) return false;
    out /= unit;
    return true;
}

bool read_spread(const dom::element& object, std::string_view key, double unit, time_spread& out) {
    dom::element spread;
    return !object[key].get(spread) && read_number(spread, "median", unit, out.median) &&
           read_number(spread, "lower_quartile", unit, out.lower) &&
           read_number(spread, "upper_quartile", unit, out.upper);
}

std::optional<std::uint64_t> clock_in(const dom::element& object, std::string_view key) {
    std::uint64_t clock = 0;
    if (object["sm_clock_mhz"][key].get(clock)) return {};
    return clock;
}

}  // namespace

time_spread spread_of(std::span<const double> seconds) {
    std::vector<double> sorted(seconds.begin(), seconds.end());
    std::ranges::sort(sorted);
    const auto quantile = [&](double share) {
        const double at = share * static_cast<double>(sorted.size() - 1);
        const auto below = static_cast<std::size_t>(at);
        const std::size_t above = std::min(below + 1, sorted.size() - 1);
        return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
    };
    return {quantile(0.5), quantile(0.25), quantile(0.75)};
}

void write_time(const program_time& time, json_writer& json) {
    json.begin_object();
    if (!time.not_timed.empty()) {
        json.member("not_timed", time.not_timed).end_object();
        return;
    }
    json.member("runs", time.runs).member("speedup", time.speedup, digits);
    write_spread("device_us", time.device, microseconds, json);
    write_spread("reference_us", time.reference, microseconds, json);
    json.member("kernels_us", time.kernels * microseconds, digits);
    json.member("memory_us", time.memory * microseconds, digits);
    json.member("transfers_us", time.transfers * microseconds, digits);
    write_spread("process_ms", time.process, milliseconds, json);
    write_spread("reference_process_ms", time.reference_process, milliseconds, json);
    json.key("sm_clock_mhz").begin_object().member("before", time.clock_before);
    json.member("after", time.clock_after).end_object().end_object();
}

result<program_time> read_time(dom::element json) {
    program_time time;
    if (std::string_view why; !json["not_timed"].get(why) && !why.empty()) {
        time.not_timed = visible_text(why);
        return time;
    }
    if (json["runs"].get(time.runs) || time.runs == 0 ||
        !read_number(json, "speedup", 1, time.speedup) || !(time.speedup > 0) ||
        !read_spread(json, "device_us", microseconds, time.device) ||
        !read_spread(json, "reference_us", microseconds, time.reference) ||
        !read_number(json, "kernels_us", microseconds, time.kernels) ||
        !read_number(json, "memory_us", microseconds, time.memory) ||
        !read_number(json, "transfers_us", microseconds, time.transfers) ||
        !read_spread(json, "process_ms", milliseconds, time.process) ||
        !read_spread(json, "reference_process_ms", milliseconds, time.reference_process))
        return data_error("no verdict: \"time\" is wrong");
    time.clock_before = clock_in(json, "before");
    time.clock_after = clock_in(json, "after");
    return time;
}

}  // namespace cuset

#include "cuset/cost/launch_cost.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <utility>

#include "cuset/cost/sass_operations.h"
#include "cuset/cost/time_estimate.h"

namespace cuset {

namespace {

using number = std::uint64_t launch_cost::*;
constexpr std::pair<const char*, number> numbers[] = {
    {"line", &launch_cost::line},
    {"instance", &launch_cost::instance},
    {"dynamic_shared", &launch_cost::dynamic_shared},
    {"launches", &launch_cost::launches},
    {"integer", &launch_cost::integer},
    {"integer_div", &launch_cost::integer_div},
    {"comparisons", &launch_cost::comparisons},
    {"conversions", &launch_cost::conversions},
    {"instructions", &launch_cost::instructions},
    {"lane_steps", &launch_cost::lane_steps},
    {"warp_steps", &launch_cost::warp_steps},
    {"bytes_read", &launch_cost::bytes_read},
    {"bytes_written", &launch_cost::bytes_written},
    {"accesses", &launch_cost::accesses},
    {"accessing_lanes", &launch_cost::accessing_lanes},
    {"sectors", &launch_cost::sectors},
    {"lines", &launch_cost::lines},
    {"l2_sectors", &launch_cost::l2_sectors},
    {"dram_read", &launch_cost::dram_read},
    {"dram_written", &launch_cost::dram_written},
    {"shared_bytes", &launch_cost::shared_bytes},
    {"shared_accesses", &launch_cost::shared_accesses},
    {"bank_conflicts", &launch_cost::bank_conflicts},
    {"loop_adds32", &launch_cost::loop_adds32},
    {"loop_adds64", &launch_cost::loop_adds64},
    {"local_bytes", &launch_cost::local_bytes},
    {"atomics", &launch_cost::atomics},
    {"most_atomics", &launch_cost::most_atomics},
    {"warp_cycles", &launch_cost::warp_cycles},
    {"longest_warp", &launch_cost::longest_warp},
    {"barriers", &launch_cost::barriers},
};

constexpr std::pair<const char*, floating_operations launch_cost::*> widths[] = {
    {"fp16", &launch_cost::fp16}, {"fp32", &launch_cost::fp32}, {"fp64", &launch_cost::fp64}};

constexpr std::pair<const char*, std::uint64_t floating_operations::*> operations[] = {
    {"add", &floating_operations::add},
    {"fma", &floating_operations::fma},
    {"div", &floating_operations::div},
    {"rcp", &floating_operations::rcp},
    {"sqrt", &floating_operations::sqrt}};

constexpr std::pair<const char*, launch_shape launch_cost::*> shapes[] = {
    {"grid", &launch_cost::grid}, {"block", &launch_cost::block}};

bool read_shape(simdjson::dom::element value, launch_shape& shape) {
    simdjson::dom::array items;
    if (value.get(items) || items.size() != shape.size()) return false;
    return std::ranges::all_of(std::views::iota(std::size_t{0}, shape.size()),
                               [&](std::size_t i) { return !items.at(i).get(shape[i]); });
}

/// A number that is missing is 0.
bool read_number(simdjson::dom::element object, std::string_view name, std::uint64_t& found) {
    simdjson::dom::element value;
    if (object[name].get(value)) return true;
    return !value.get(found);
}

bool read_operations(simdjson::dom::element value, floating_operations& found) {
    return std::ranges::all_of(operations, [&](const auto& each) {
        return read_number(value, each.first, found.*each.second);
    });
}

bool read_functions(simdjson::dom::element value, std::map<std::string, std::uint64_t>& found) {
    simdjson::dom::object object;
    if (value.get(object)) return false;
    return std::ranges::all_of(object, [&](const auto& member) {
        return !member.value.get(found[std::string(member.key)]);
    });
}

bool read_texts(simdjson::dom::element value, std::vector<std::string>& found) {
    simdjson::dom::array items;
    if (value.get(items)) return false;
    return std::ranges::all_of(items, [&](const auto& item) {
        std::string_view text;
        if (item.get(text)) return false;
        found.emplace_back(text);
        return true;
    });
}

}  // namespace

std::uint64_t launch_cost::threads() const {
    std::uint64_t all = launches;
    for (const auto& shape : {grid, block})
        for (const std::uint64_t side : shape) all *= side;
    return all;
}

std::uint64_t launch_cost::flops() const {
    std::uint64_t all = fp16.flops() + fp32.flops() + fp64.flops();
    for (const auto& [name, calls] : functions) all += calls;
    return all;
}

double launch_cost::coalescing() const {
    constexpr double sector_bytes = 32;
    if (sectors == 0) return 1;
    return std::min(1.0, static_cast<double>(bytes_read + bytes_written) /
                             (static_cast<double>(sectors) * sector_bytes));
}

double launch_cost::active_lanes() const {
    return warp_steps == 0 ? 1 : static_cast<double>(lane_steps) / static_cast<double>(warp_steps);
}

result<launch_cost> parse_launch_cost(std::string_view json) {
    const auto refused = [] { return data_error("no counts of a kernel's launches"); };
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    if (json.empty() || parser.parse(json.data(), json.size()).get(root)) return refused();
    launch_cost cost;
    std::string_view kernel;
    if (root["kernel"].get(kernel)) return refused();
    cost.kernel = kernel;
    if (std::string_view text; !root["signature"].get(text)) cost.signature = text;
    if (std::string_view file; !root["file"].get(file)) cost.file = file;
    if (bool is_fast = false; !root["fast_math"].get(is_fast)) cost.fast_math = is_fast;
    simdjson::dom::element value;
    for (const auto& [name, field] : numbers)
        if (!read_number(root, name, cost.*field)) return refused();
    for (const auto& [name, field] : shapes)
        if (root[name].get(value) || !read_shape(value, cost.*field)) return refused();
    for (const auto& [name, field] : widths)
        if (root[name].get(value) || !read_operations(value, cost.*field)) return refused();
    if (root["functions"].get(value) || !read_functions(value, cost.functions)) return refused();
    if (root["not_counted"].get(value) || !read_texts(value, cost.not_counted)) return refused();
    return cost;
}

void write_launch_cost(const launch_cost& cost, const gpu_model* on, json_writer& json) {
    json.begin_object().member("kernel", cost.kernel);
    if (!cost.signature.empty()) json.member("signature", cost.signature);
    if (!cost.file.empty()) json.member("file", cost.file);
    if (cost.fast_math) json.member("fast_math", true);
    for (const auto& [name, field] : shapes) {
        json.key(name).begin_array();
        for (const std::uint64_t side : cost.*field) json.value(side);
        json.end_array();
    }
    for (const auto& [name, field] : numbers) json.member(name, cost.*field);
    for (const auto& [name, field] : widths) {
        json.key(name).begin_object();
        for (const auto& [kind, count] : operations) json.member(kind, (cost.*field).*count);
        json.end_object();
    }
    json.key("functions").begin_object();
    for (const auto& [name, calls] : cost.functions) json.member(name, calls);
    json.end_object();
    json.key("not_counted").begin_array();
    for (const auto& what : cost.not_counted) json.value(what);
    json.end_array();
    const sass_operations done = sass_operations_of(cost);
    json.key("sass").begin_object();
    for (const auto& [name, count] : {std::pair{"fp16", done.fp16},
                                      {"fp32", done.fp32},
                                      {"fp64", done.fp64},
                                      {"special", done.special},
                                      {"integer", done.integer}})
        json.member(name, static_cast<std::uint64_t>(std::llround(count)));
    json.key("unknown").begin_array();
    for (const auto& what : done.unknown) json.value(what);
    json.end_array().end_object();
    if (on != nullptr && cost.has_configuration()) {
        const time_estimate time = estimate_time(cost, *on);
        json.key("estimate").begin_object().member("seconds", time.seconds, 6);
        json.member("bound", time.bound).end_object();
    }
    json.end_object();
}

}  // namespace cuset

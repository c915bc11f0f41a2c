#ifdef CUSET_HOST_COUNT

#include "launch_records.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

namespace cuset_host::costs {

namespace {

/// What is missing is 0: a line of the channel has an end.
void append(std::string& text, const char* name, std::uint64_t value) {
    if (value == 0) return;
    if (text.back() != '{') text += ',';
    text += '"';
    text += name;
    text += "\":";
    text += std::to_string(value);
}

void append_text(std::string& text, const std::string& value) {
    text += '"';
    for (const char c : value) {
        if (c == '"' || c == '\\') text += '\\';
        if (static_cast<unsigned char>(c) >= ' ') text += c;
    }
    text += '"';
}

void append_shape(std::string& text, const char* name, const dim3& d) {
    text += ",\"";
    text += name;
    text += "\":[";
    text += std::to_string(d.x) + ',';
    text += std::to_string(d.y) + ',';
    text += std::to_string(d.z) + ']';
}

constexpr const char* widths[] = {"fp16", "fp32", "fp64"};
constexpr const char* of_width[] = {"add", "fma", "div", "rcp", "sqrt"};

std::string plain_name(const char* symbol) {
    int state = 0;
    char* const plain = abi::__cxa_demangle(symbol, nullptr, nullptr, &state);
    const std::string text = state == 0 ? plain : "";
    std::free(plain);
    return text;
}

}  // namespace

std::string signature_of(const site& at, const void* function) {
    Dl_info found{};
    std::string text;
    if (function != nullptr && dladdr(function, &found) != 0 && found.dli_saddr == function)
        text = plain_name(found.dli_sname);
    const std::string result = "void ";
    if (!text.empty())
        return text.compare(0, result.size(), result) == 0 ? text.substr(result.size()) : text;
    if (at.type != nullptr) text = plain_name(at.type);
    const std::size_t open = text.find('(');
    return open == text.npos ? "" : at.kernel + text.substr(open);
}

launch_key named_only(const char* name) {
    return {name, 0, dim3(0, 0, 0), dim3(0, 0, 0), 0, 0, {}};
}

std::string line_of(const launch_key& key, const launch_cost& cost, bool has_others) {
    std::string text = "cost {\"kernel\":";
    append_text(text, key.kernel);
    if (has_others && !key.signature.empty()) {
        text += ",\"signature\":";
        append_text(text, key.signature);
    }
    append(text, "line", static_cast<std::uint64_t>(std::max(key.line, 0)));
    append(text, "instance", key.instance);
    append_shape(text, "grid", key.grid);
    append_shape(text, "block", key.block);
    append(text, "dynamic_shared", key.shared_bytes);
    append(text, "launches", cost.launches);
    const std::uint64_t* counts = cost.operations.counts;
    constexpr unsigned kinds = float_add - half_add;
    for (unsigned width = 0; width < 3; ++width) {
        text += ",\"";
        text += widths[width];
        text += "\":{";
        for (unsigned kind = 0; kind < kinds; ++kind)
            append(text, of_width[kind], counts[width * kinds + kind]);
        text += '}';
    }
    text += ",\"functions\":{";
    for (const auto& [name, calls] : cost.operations.functions) append(text, name.c_str(), calls);
    text += '}';
    append(text, "integer", counts[integer]);
    append(text, "integer_div", counts[integer_divide]);
    append(text, "comparisons", counts[comparison]);
    append(text, "conversions", counts[conversion]);
    append(text, "instructions", counts[instruction]);
    append(text, "lane_steps", cost.operations.lane_steps);
    append(text, "warp_steps", cost.operations.warp_steps);
    const traffic& t = cost.memory;
    append(text, "bytes_read", t.bytes_read);
    append(text, "bytes_written", t.bytes_written);
    append(text, "accesses", t.accesses);
    append(text, "accessing_lanes", t.accessing_lanes);
    append(text, "sectors", t.sectors);
    append(text, "lines", t.lines);
    append(text, "l2_sectors", t.cache_sectors);
    append(text, "dram_read", t.device_sectors_read * sector_bytes);
    append(text, "dram_written", t.device_sectors_written * sector_bytes);
    append(text, "shared_bytes", t.shared_bytes);
    append(text, "shared_accesses", t.shared_accesses);
    append(text, "bank_conflicts", t.bank_conflicts);
    append(text, "loop_adds32", t.loop_adds32);
    append(text, "loop_adds64", t.loop_adds64);
    append(text, "local_bytes", t.local_bytes);
    append(text, "atomics", t.atomics);
    append(text, "most_atomics", t.most_atomics);
    append(text, "warp_cycles", static_cast<std::uint64_t>(cost.warp_cycles));
    append(text, "longest_warp", static_cast<std::uint64_t>(cost.longest_warp));
    append(text, "barriers", cost.barriers);
    text += ",\"not_counted\":[";
    for (const auto& what : cost.left_out) {
        if (text.back() != '[') text += ',';
        append_text(text, what);
    }
    return text + "]}";
}

}  // namespace cuset_host::costs

#endif

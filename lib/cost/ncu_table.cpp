#include "cuset/cost/ncu_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "cuset/base/visible_text.h"

namespace cuset {

namespace {

/// A numerator and a denominator.
enum class quantity : unsigned char {
    bytes_a_cycle,
    bytes_a_second,
    cycles_a_second,
    inst_a_cycle
};

struct known_metric {
    std::string_view name;
    quantity measured;
};

constexpr known_metric metrics[ncu_metric_count] = {
    {"dram__bytes.sum.peak_sustained", quantity::bytes_a_cycle},
    {"dram__cycles_elapsed.avg.per_second", quantity::cycles_a_second},
    {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained", quantity::inst_a_cycle},
    {"sm__cycles_elapsed.avg.per_second", quantity::cycles_a_second},
    {"dram__bytes.sum.per_second", quantity::bytes_a_second},
    {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed",
     quantity::inst_a_cycle},
    {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed",
     quantity::inst_a_cycle},
    {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed",
     quantity::inst_a_cycle},
    {"smsp__cycles_elapsed.avg.per_second", quantity::cycles_a_second},
};

constexpr std::string_view unused_metrics[] = {
    "sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained",
    "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum.per_cycle_elapsed",
    "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum.per_cycle_elapsed",
    "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum.per_cycle_elapsed",
    "sm__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
};

struct scaled_unit {
    quantity measured;
    double factor;
};

/// The power of 1000 that a prefix is; 0 for another letter.
double power_of(char prefix) {
    switch (prefix) {
        case 'K': return 1e3;
        case 'M': return 1e6;
        case 'G': return 1e9;
        case 'T': return 1e12;
        default: return 0;
    }
}

/// Takes a prefix off the unit.
double take_prefix(std::string_view& unit) {
    const double power = unit.empty() ? 0 : power_of(unit.front());
    if (power == 0) return 1;
    unit.remove_prefix(1);
    return power;
}

/// The seconds of "second", "s", "nsecond", "us" and so on.
std::optional<double> seconds_of(std::string_view unit) {
    double factor = 1;
    if (unit.starts_with('n')) factor = 1e-9;
    if (unit.starts_with('u')) factor = 1e-6;
    if (unit.starts_with('m')) factor = 1e-3;
    if (factor != 1) unit.remove_prefix(1);
    return unit == "second" || unit == "s" ? std::optional(factor) : std::nullopt;
}

std::optional<scaled_unit> unit_named(std::string_view unit) {
    const double factor = take_prefix(unit);
    if (unit == "hz" || unit == "Hz") return scaled_unit{quantity::cycles_a_second, factor};
    const std::size_t slash = unit.find('/');
    if (slash == unit.npos) return {};
    const std::string_view top = unit.substr(0, slash), bottom = unit.substr(slash + 1);
    if (bottom == "cycle" && top == "byte") return scaled_unit{quantity::bytes_a_cycle, factor};
    if (bottom == "cycle" && top == "inst") return scaled_unit{quantity::inst_a_cycle, factor};
    const auto seconds = seconds_of(bottom);
    if (!seconds) return {};
    if (top == "byte") return scaled_unit{quantity::bytes_a_second, factor / *seconds};
    if (top == "cycle") return scaled_unit{quantity::cycles_a_second, factor / *seconds};
    return {};
}

/// "1,234,567.25"; nothing if it is no such number, or below 0.
std::optional<double> number_in(std::string_view text) {
    std::string plain;
    const std::size_t whole = std::min(text.find('.'), text.size());
    const bool is_grouped = text.substr(0, whole).find(',') != text.npos;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_place = is_grouped && i < whole && (whole - i) % 4 == 0 && i > 0;
        if ((text[i] == ',') != is_place) return {};
        if (text[i] != ',') plain += text[i];
    }
    double number = 0;
    const char* const end = plain.data() + plain.size();
    const auto [stop, error] = std::from_chars(plain.data(), end, number);
    if (error != std::errc() || stop != end || !std::isfinite(number) || number < 0) return {};
    return number;
}

/// The values of a line, all in quotes, with commas between them; nothing if it is no such line. A
/// quote within a value is written twice.
std::optional<std::vector<std::string>> values_of(std::string_view line) {
    std::vector<std::string> values;
    for (std::size_t at = 0; at < line.size() && line[at] == '"';) {
        std::string& value = values.emplace_back();
        for (++at;; ++at) {
            if (at >= line.size()) return {};
            if (line[at] != '"') {
                value += line[at];
            } else if (at + 1 < line.size() && line[at + 1] == '"') {
                value += line[at++];
            } else {
                break;
            }
        }
        if (++at == line.size()) return values;
        if (line[at++] != ',') return {};
    }
    return {};
}

/// The places of the columns that are read.
struct table_columns {
    std::size_t count = 0, kernel = 0, metric = 0, unit = 0, value = 0;
};

std::optional<table_columns> columns_in(const std::vector<std::string>& names) {
    table_columns found{.count = names.size()};
    for (const auto& [name, place] : {std::pair("Kernel Name", &found.kernel),
                                      {"Metric Name", &found.metric},
                                      {"Metric Unit", &found.unit},
                                      {"Metric Value", &found.value}}) {
        const auto at = std::ranges::find(names, name);
        if (at == names.end()) return {};
        *place = static_cast<std::size_t>(at - names.begin());
    }
    return found;
}

struct kernel_sums {
    std::array<double, ncu_metric_count> sums{};
    std::array<std::uint64_t, ncu_metric_count> counts{};
};
using sums_by_name = std::map<std::string, kernel_sums>;

/// Adds a row's value to its kernel.
status add_row(const std::vector<std::string>& row, const table_columns& columns,
               sums_by_name& kernels) {
    const std::string& name = row[columns.metric];
    const auto* const metric = std::ranges::find(metrics, name, &known_metric::name);
    const std::string kernel = visible_text(row[columns.kernel]);
    kernel_sums& sums = kernels[kernel];
    if (metric == std::end(metrics)) return {};
    std::string message = "ncu: " + name;
    message += " of kernel ";
    message += kernel;
    const std::string& text = row[columns.value];
    if (text == "n/a" || text == "N/A" || text.empty())
        return data_error(message.append(" has no value here (n/a)"));
    const auto number = number_in(text);
    if (!number)
        return data_error(message.append(" is no number: \"").append(visible_text(text)) + '"');
    const std::string& unit = row[columns.unit];
    const auto scaled = unit_named(unit);
    if (!scaled || scaled->measured != metric->measured)
        return data_error(message.append(" has an unknown unit: \"").append(visible_text(unit)) +
                          '"');
    const auto place = static_cast<std::size_t>(metric - metrics);
    sums.sums[place] += *number * scaled->factor;
    ++sums.counts[place];
    return {};
}

result<std::vector<kernel_profile>> whole_kernels(const sums_by_name& kernels) {
    std::vector<kernel_profile> profiles;
    for (const auto& [name, sums] : kernels) {
        const std::uint64_t launches = *std::ranges::max_element(sums.counts);
        for (std::size_t i = 0; i < ncu_metric_count; ++i) {
            if (sums.counts[i] == launches && launches > 0) continue;
            std::string message = "ncu: kernel " + name;
            message += sums.counts[i] == 0 ? " lacks " : " lacks some of ";
            return data_error(message.append(metrics[i].name));
        }
        profiles.push_back({name, launches, sums.sums});
    }
    return profiles;
}

}  // namespace

std::string_view name_of(ncu_metric metric) {
    return metrics[static_cast<std::size_t>(metric)].name;
}

std::string ncu_metric_list() {
    std::string list;
    for (const known_metric& m : metrics) list.append(m.name) += ',';
    for (const std::string_view name : unused_metrics) list.append(name) += ',';
    list.pop_back();
    return list;
}

result<std::vector<kernel_profile>> read_ncu_table(std::string_view text) {
    std::optional<table_columns> columns;
    sums_by_name kernels;
    for (std::size_t number = 1; !text.empty(); ++number) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!line.starts_with('"')) continue;
        const auto row = values_of(line);
        if (row && !columns) {
            columns = columns_in(*row);
            if (columns) continue;
        }
        if (!row || !columns || row->size() != columns->count)
            return data_error("line " + std::to_string(number) + " of ncu's table is broken");
        CUSET_TRY(add_row(*row, *columns, kernels));
    }
    if (kernels.empty()) return data_error("ncu profiled no kernel");
    return whole_kernels(kernels);
}

}  // namespace cuset

#include "cuset/cost/sass_operations.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

#include "sass_tables.h"

namespace cuset {

namespace {

struct table_row {
    double fp32 = 0, fp64 = 0, special = 0, integer = 0;
};
using table = std::map<std::string_view, table_row>;

std::string_view take_until(std::string_view& text, char end) {
    const std::size_t at = std::min(text.find(end), text.size());
    const std::string_view taken = text.substr(0, at);
    text.remove_prefix(std::min(at + 1, text.size()));
    return taken;
}

double number_of(std::string_view text) {
    double number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// Lines of "function type fp32 fp64 special integer", behind a comment and a line of names.
void add_rows(std::string_view text, table& rows) {
    take_until(text, '\n');
    take_until(text, '\n');
    while (!text.empty()) {
        std::string_view line = take_until(text, '\n');
        const std::string_view name = take_until(line, '\t');
        take_until(line, '\t');
        table_row& row = rows[name];
        for (double* number : {&row.fp32, &row.fp64, &row.special, &row.integer})
            *number = number_of(take_until(line, '\t'));
    }
}

const table& rows_of(bool fast_math) {
    static const table plain = [] {
        table rows;
        add_rows(sass_operations_tsv, rows);
        return rows;
    }();
    static const table fast = [] {
        table rows = plain;
        add_rows(sass_operations_fast_tsv, rows);
        return rows;
    }();
    return fast_math ? fast : plain;
}

class sum_of_rows {
public:
    explicit sum_of_rows(bool fast_math) : rows_(rows_of(fast_math)) {}

    void add(std::string_view name, std::uint64_t count) {
        if (count == 0) return;
        const auto found = rows_.find(name);
        if (found == rows_.end()) {
            sum.unknown.emplace_back(name);
            return;
        }
        const auto times = static_cast<double>(count);
        sum.fp32 += times * found->second.fp32;
        sum.fp64 += times * found->second.fp64;
        sum.special += times * found->second.special;
        sum.integer += times * found->second.integer;
    }

    sass_operations sum;

private:
    const table& rows_;
};

double simple(const floating_operations& f) { return static_cast<double>(f.add + 2 * f.fma); }

}  // namespace

digest hash_of_sass_tables() {
    return sha256("cuset sass tables").add(sass_operations_tsv).add(sass_operations_fast_tsv).end();
}

sass_operations sass_operations_of(const launch_cost& cost, bool fast_math) {
    sum_of_rows rows(fast_math || cost.fast_math);
    rows.sum.fp16 = simple(cost.fp16);
    rows.sum.fp32 = simple(cost.fp32) + static_cast<double>(cost.loop_adds32);
    rows.sum.fp64 = simple(cost.fp64) + static_cast<double>(cost.loop_adds64);
    rows.sum.integer = static_cast<double>(cost.integer);
    rows.add("div.f32", cost.fp32.div);
    rows.add("rcp.f32", cost.fp32.rcp);
    rows.add("sqrt.f32", cost.fp32.sqrt);
    rows.add("div.f64", cost.fp64.div);
    rows.add("rcp.f64", cost.fp64.rcp);
    rows.add("sqrt.f64", cost.fp64.sqrt);
    rows.add("div.s32", cost.integer_div);
    rows.add("divisions and roots of half floats", cost.fp16.div + cost.fp16.rcp + cost.fp16.sqrt);
    for (const auto& [name, calls] : cost.functions) rows.add(name, calls);
    return std::move(rows.sum);
}

}  // namespace cuset

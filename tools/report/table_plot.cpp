// The drawing of a measure over swept parameters, as the paper's Fig. 4: a panel for each.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "cuset/base/format.h"
#include "cuset/base/visible_text.h"
#include "cuset/statistics/svg_drawing.h"
#include "table.h"

namespace cuset {

namespace {

constexpr double panel_width = 300, left_margin = 64, top = 84, bottom = 320, height = 380;
constexpr const char* style =
    R"(.curve { fill: none; stroke: var(--curve); stroke-width: 2; stroke-linejoin: round }
.interval { stroke: var(--curve); stroke-width: 1.5 }
.mean { fill: var(--curve); stroke: none }
.baseline { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 5 4 }
)";

struct sweep_point {
    double at = 0;
    rate value;
};

struct sweep_panel {
    std::string parameter;
    std::vector<sweep_point> points;
};

/// "tau=0.05" is 0.05 of tau; nothing without a number behind = or @.
std::optional<std::pair<std::string, double>> swept(const std::string& name) {
    const std::size_t mark = name.find_last_of("=@");
    if (mark == name.npos || mark == 0) return {};
    double value = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + mark + 1, end, value);
    if (error != std::errc() || stop != end || !std::isfinite(value)) return {};
    return std::pair(name.substr(0, mark), value);
}

std::vector<sweep_panel> panels_of(const condition_table& table, const table_measure& measure) {
    std::vector<sweep_panel> panels;
    for (std::size_t c = 0; c < table.rows.size(); ++c) {
        const auto place = swept(table.rows[c].name);
        if (!place || !measure.of[c]) continue;
        auto panel = std::find_if(panels.begin(), panels.end(),
                                  [&](const auto& p) { return p.parameter == place->first; });
        if (panel == panels.end()) panel = panels.insert(panel, {place->first, {}});
        panel->points.push_back({place->second, measure.of[c]->value});
    }
    for (auto& panel : panels)
        std::sort(panel.points.begin(), panel.points.end(),
                  [](const auto& a, const auto& b) { return a.at < b.at; });
    return panels;
}

struct value_range {
    double least = INFINITY, most = -INFINITY;
    void add(const rate& r) {
        for (const double value : {r.mean, r.low, r.high})
            if (std::isfinite(value)) least = std::min(least, value), most = std::max(most, value);
    }
};

/// A measure that is never below 0 shows 0 where that costs little of the height.
drawing_axis scale_of(value_range range) {
    if (range.least > 0 && range.least < range.most / 2) range.least = 0;
    double step = tick_distance(std::max(range.most - range.least, 1e-9), 5);
    if (range.most == range.least) step = std::max(std::abs(range.most) / 5, 0.1);
    return {std::floor(range.least / step) * step, std::ceil(range.most / step + 1e-9) * step,
            bottom, top};
}

struct sweep_drawing : svg_drawing {
    void grid(const drawing_axis& y, double left, double right);
    void panel(const sweep_panel& panel, const drawing_axis& y, double left, double right);
};

void sweep_drawing::grid(const drawing_axis& y, double left, double right) {
    const double step = tick_distance(y.high - y.low, 6);
    for (double v = std::ceil(y.low / step - 1e-9) * step; v <= y.high + step * 1e-9; v += step) {
        line("class=\"grid\"", left, y.at(v), right, y.at(v));
        text(left - 8, y.at(v) + 4, "class=\"faint\" text-anchor=\"end\"", tick_text(v, step));
    }
}

void sweep_drawing::panel(const sweep_panel& panel, const drawing_axis& y, double left,
                          double right) {
    const double least = panel.points.front().at, most = panel.points.back().at;
    drawing_axis x{least, most, left + 20, right - 20, least > 0 && most / least >= 8};
    if (least == most) x.low = least - 1, x.high = least + 1, x.is_logarithmic = false;
    std::vector<std::pair<double, double>> means;
    for (const auto& [at, value] : panel.points) {
        const double place = x.at(at);
        means.emplace_back(place, y.at(value.mean));
        text(place, bottom + 18, "class=\"faint\" text-anchor=\"middle\"", format("%g", at));
        if (std::isnan(value.low)) continue;
        line("class=\"interval\"", place, y.at(value.low), place, y.at(value.high));
        for (const double end : {value.low, value.high})
            line("class=\"interval\"", place - 4, y.at(end), place + 4, y.at(end));
    }
    polyline("class=\"curve\"", means);
    for (const auto& [px, py] : means)
        elements += format("<circle class=\"mean\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", px, py);
    text((left + right) / 2, bottom + 38, "text-anchor=\"middle\"",
         visible_text(panel.parameter) + (x.is_logarithmic ? " (logarithmic)" : ""));
}

}  // namespace

result<std::string> to_svg(const condition_table& table, const std::string& wanted) {
    const auto measure =
        std::find_if(table.measures.begin(), table.measures.end(),
                     [&](const auto& m) { return wanted.empty() || m.name == wanted; });
    if (measure == table.measures.end() && wanted.empty())
        return usage_error("--plot: the table has no column to draw");
    if (measure == table.measures.end())
        return usage_error("--measure " + wanted + ": the table has no such column");
    const auto panels = panels_of(table, *measure);
    if (panels.empty())
        return usage_error("--plot: no condition is named PARAMETER=NUMBER, such as tau=0.05");
    value_range range;
    for (const auto& panel : panels)
        for (const auto& point : panel.points) range.add(point.value);
    std::optional<rate> base;
    for (std::size_t c = 0; c < table.rows.size(); ++c)
        if (!table.baseline.empty() && table.rows[c].name == table.baseline && measure->of[c])
            base = measure->of[c]->value;
    if (base) range.add({base->mean, base->mean, base->mean, 0});
    const drawing_axis y = scale_of(range);
    sweep_drawing d;
    double left = left_margin;
    const std::string name = visible_text(measure->name);
    const std::string sizes = " over " + std::to_string(table.tasks) + " tasks of " +
                              std::to_string(table.families) + " families";
    d.text(16, 30, "class=\"name\"", name + (measure->is_figure ? "" : sizes));
    d.text(16, 52, "class=\"faint\"",
           "bars: 95 % intervals" +
               (base ? "; dashed: " + visible_text(table.baseline) : std::string()));
    for (const auto& panel : panels) {
        const double right = left + panel_width - left_margin;
        d.grid(y, left, right);
        if (base) d.line("class=\"baseline\"", left, y.at(base->mean), right, y.at(base->mean));
        d.panel(panel, y, left, right);
        left += panel_width;
    }
    const double width = std::max(420.0, panel_width * static_cast<double>(panels.size()) + 16);
    return d.document(width, height, name + " over swept parameters", style,
                      {"--curve: #0969da", "--curve: #58a6ff"});
}

}  // namespace cuset

// The drawing: for each input the two densities, and beside them the cumulative distributions with
// their largest distance.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "cuset/base/format.h"
#include "cuset/statistics/svg_drawing.h"
#include "report.h"

namespace cuset {

namespace {

constexpr double width = 880, heading = 24, block_height = 366;
constexpr const char* style =
    R"(.sensitive, .neutral { fill: none; stroke-width: 2; stroke-linejoin: round }
.sensitive { stroke: var(--sensitive) }
.neutral { stroke: var(--neutral) }
.area { stroke: none; fill-opacity: .14 }
.sensitive.area { fill: var(--sensitive) }
.neutral.area { fill: var(--neutral) }
.mean { stroke-width: 1.5; stroke-dasharray: 4 3 }
.distance { stroke: var(--ink); stroke-width: 2 }
)";

std::string of_class(const std::string& name) { return "class=\"" + name + '"'; }

/// 1 and 3 times the powers of ten.
double density_tick(int index) {
    return std::pow(10, std::floor(index / 2.0)) * (index % 2 == 0 ? 1 : 3);
}

/// The range of ticks that all inputs share, so that they can be compared: `first` to `last`.
struct density_range {
    int first = -1, last = 2;
};

density_range range_of(const stats_report& report) {
    double least = INFINITY, most = 0;
    for (const auto& column : report.columns)
        for (const auto* tokens : {&column.summary.sensitive, &column.summary.kinds[2]})
            for (const double d : tokens->density)
                if (d > 0) least = std::min(least, d), most = std::max(most, d);
    density_range range;
    if (most == 0) return range;
    while (density_tick(range.last) < most) ++range.last;
    // Bins of a single token may be very low: they end at the axis.
    while (density_tick(range.first) > least && range.first > range.last - 7) --range.first;
    return range;
}

struct stats_drawing : svg_drawing {
    void block(const stats_column& column, double top, density_range range);

private:
    void x_axis(const drawing_axis& x, double bottom);
    void density(const token_summary& tokens, const std::string& name, const drawing_axis& x,
                 const drawing_axis& y);
    void cumulative(const token_summary& tokens, const char* name, double at, double share,
                    const drawing_axis& x, const drawing_axis& y);
    void legend(double x, double y, const char* name, const char* words,
                const token_summary& tokens);
};

void stats_drawing::x_axis(const drawing_axis& x, double bottom) {
    for (int i = 0; i <= 5; ++i)
        text(x.at(i / 5.0), bottom + 18, "class=\"faint\" text-anchor=\"middle\"",
             format("%.1f", i / 5.0));
    text((x.from + x.to) / 2, bottom + 36, "class=\"faint\" text-anchor=\"middle\"",
         "confidence in the token");
}

void stats_drawing::density(const token_summary& tokens, const std::string& name,
                            const drawing_axis& x, const drawing_axis& y) {
    if (tokens.density.empty()) return;
    std::string steps;
    const auto bins = static_cast<double>(tokens.density.size());
    for (std::size_t b = 0; b < tokens.density.size(); ++b) {
        const double height = y.at(tokens.density[b]);
        steps += b == 0 ? format("M%.1f %.1f", x.at(0), height) : format("V%.1f", height);
        steps += format("H%.1f", x.at(static_cast<double>(b + 1) / bins));
    }
    elements += "<path " + of_class(name + " area") + " d=\"" + steps +
                format("V%.1fH%.1fZ\"/>\n", y.from, x.from);
    elements += "<path " + of_class(name) + " d=\"" + steps + "\"/>\n";
    line(of_class(name + " mean"), x.at(tokens.mean), y.from, x.at(tokens.mean), y.to);
}

// Draws straight lines between the bins' edges, and through the point of the largest distance.
void stats_drawing::cumulative(const token_summary& tokens, const char* name, double at,
                               double share, const drawing_axis& x, const drawing_axis& y) {
    if (tokens.density.empty()) return;
    const auto bins = static_cast<double>(tokens.density.size());
    std::vector<std::pair<double, double>> points{{0, 0}};
    double sum = 0;
    for (std::size_t b = 0; b < tokens.density.size(); ++b) {
        sum += tokens.density[b] / bins;
        points.emplace_back(static_cast<double>(b + 1) / bins, std::min(sum, 1.0));
    }
    if (!std::isnan(at)) points.emplace_back(at, share);
    std::sort(points.begin(), points.end());
    for (auto& [value, part] : points) value = x.at(value), part = y.at(part);
    polyline(of_class(name), points);
}

void stats_drawing::legend(double x, double y, const char* name, const char* words,
                           const token_summary& tokens) {
    line(of_class(name), x, y - 4, x + 22, y - 4);
    text(x + 30, y, "",
         tokens.tokens == 0 ? format("%s: no tokens", words)
                            : format("%s: %llu tokens, mean %.4f", words,
                                     static_cast<unsigned long long>(tokens.tokens), tokens.mean));
}

void stats_drawing::block(const stats_column& column, double top, density_range range) {
    const confidence_summary& s = column.summary;
    const token_summary &sensitive = s.sensitive, &neutral = s.kinds[2];
    const double head = top + 76, bottom = top + block_height - 70;
    const drawing_axis left{0, 1, 56, 428}, right{0, 1, 492, width - 16};
    const drawing_axis density_scale{density_tick(range.first), density_tick(range.last), bottom,
                                     head, true};
    const drawing_axis share_scale{0, 1, bottom, head};

    text(16, top + 6, "class=\"name\"", end_of(column.input, 90));
    legend(16, top + 30, "sensitive", "CUDA-sensitive", sensitive);
    legend(440, top + 30, "neutral", "neutral", neutral);

    text(left.from, head - 14, "class=\"faint\"", "probability density, logarithmic; dashed: mean");
    for (int i = range.first; i <= range.last; ++i) {
        const double y = density_scale.at(density_tick(i));
        line(of_class("grid"), left.from, y, left.to, y);
        text(left.from - 8, y + 4, "class=\"faint\" text-anchor=\"end\"",
             format("%g", density_tick(i)));
    }
    x_axis(left, bottom);
    density(neutral, "neutral", left, density_scale);
    density(sensitive, "sensitive", left, density_scale);

    text(right.from, head - 14, "class=\"faint\"", "share of tokens at or below");
    for (int i = 0; i <= 5; ++i) {
        const double y = share_scale.at(i / 5.0);
        line(of_class("grid"), right.from, y, right.to, y);
        text(right.from - 8, y + 4, "class=\"faint\" text-anchor=\"end\"", format("%d %%", 20 * i));
    }
    x_axis(right, bottom);
    const auto& test = s.test;
    const double at = test ? test->at : NAN;
    cumulative(neutral, "neutral", at, test ? test->second_at_or_below : 0, right, share_scale);
    cumulative(sensitive, "sensitive", at, test ? test->first_at_or_below : 0, right, share_scale);
    if (!test) {
        text(right.from + 14, head + 18, "", "Kolmogorov-Smirnov: not defined");
        return;
    }
    line(of_class("distance"), right.at(at), share_scale.at(test->first_at_or_below), right.at(at),
         share_scale.at(test->second_at_or_below));
    text(right.from + 14, head + 18, "",
         format("Kolmogorov-Smirnov D = %.4f at %.3g", test->d, test->at));
    text(right.from + 14, head + 36, "", "p = " + power_of_ten(test->log10_p));
}

}  // namespace

std::string to_svg(const stats_report& report) {
    const double height = heading + block_height * static_cast<double>(report.columns.size());
    stats_drawing d;
    const density_range range = range_of(report);
    double top = heading;
    for (const auto& column : report.columns) {
        d.block(column, top, range);
        top += block_height;
    }
    return d.document(
        width, height, "Confidence in CUDA-sensitive and neutral tokens", style,
        {"--sensitive: #c2410c; --neutral: #0969da", "--sensitive: #ffa657; --neutral: #58a6ff"});
}

}  // namespace cuset

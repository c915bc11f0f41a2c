#include "cuset/train/loss_curve.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cuset/base/format.h"
#include "cuset/statistics/svg_drawing.h"

namespace cuset {

namespace {

constexpr double width = 800, height = 440, left = 70, right = 20, top = 40, bottom = 50;
constexpr const char *start = "text-anchor=\"start\"", *middle = "text-anchor=\"middle\"",
                     *end = "text-anchor=\"end\"";

std::vector<loss_point> finite(std::span<const loss_point> points) {
    std::vector<loss_point> kept;
    for (const auto& point : points)
        if (std::isfinite(point.loss)) kept.push_back(point);
    return kept;
}

/// An exponential average, as training tools draw it, without the initial pull to zero.
std::vector<loss_point> smoothed(std::vector<loss_point> points) {
    const double keep =
        1 - 1 / std::max(1.0, std::min(20.0, static_cast<double>(points.size()) / 5));
    double sum = 0, weight = 0;
    for (auto& point : points) {
        sum = keep * sum + point.loss;
        weight = keep * weight + 1;
        point.loss = sum / weight;
    }
    return points;
}

void draw_grid(const drawing_axis& x, const drawing_axis& y, svg_drawing& drawing) {
    const double dx = tick_distance(x.high - x.low, 8), dy = tick_distance(y.high - y.low, 6);
    for (double v = std::ceil(x.low / dx) * dx; v <= x.high + dx * 1e-9; v += dx)
        drawing.text(x.at(v), y.from + 18, middle, tick_text(v, dx));
    for (double v = std::ceil(y.low / dy) * dy; v <= y.high + dy * 1e-9; v += dy) {
        drawing.line("stroke=\"#ddd\"", x.from, y.at(v), x.to, y.at(v));
        drawing.text(x.from - 8, y.at(v) + 4, end, tick_text(v, dy));
    }
    drawing.text((x.from + x.to) / 2, height - 12, middle, "step");
}

}  // namespace

std::string loss_curve_svg(const loss_points& all, const std::string& objective) {
    const auto steps = finite(all.loss), plain = finite(all.nll), held_out = finite(all.held_out);
    drawing_axis x{0, 1, left, width - right}, y{0, 1, height - bottom, top};
    double least = INFINITY, most = -INFINITY;
    for (const auto* curve : {&steps, &plain, &held_out}) {
        for (const auto& p : *curve) {
            x.high = std::max(x.high, p.step);
            least = std::min(least, p.loss);
            most = std::max(most, p.loss);
        }
    }
    if (least <= most) {
        const double margin = std::max((most - least) * 0.05, 1e-9 + std::abs(most) * 1e-3);
        y.low = least - margin;
        y.high = most + margin;
    }
    svg_drawing drawing;
    draw_grid(x, y, drawing);
    const auto curve = [&](std::span<const loss_point> points, const std::string& style) {
        std::vector<std::pair<double, double>> places;
        for (const auto& p : points) places.emplace_back(x.at(p.step), y.at(p.loss));
        if (!places.empty()) drawing.polyline("fill=\"none\" " + style, places);
    };
    curve(smoothed(plain), "stroke=\"#888\" stroke-width=\"2\"");
    curve(steps, "stroke=\"#9ec9e8\" stroke-width=\"1\"");
    curve(smoothed(steps), "stroke=\"#1f77b4\" stroke-width=\"2\"");
    curve(held_out, "stroke=\"#d62728\" stroke-width=\"1\"");
    for (const auto& p : held_out)
        drawing.elements += format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#d62728\"/>\n",
                                   x.at(p.step), y.at(p.loss));
    // Weights and masks make the loss another figure than the mean -log p of held-out samples.
    std::string legend = "blue: loss";
    if (!plain.empty()) legend += ", grey: mean -log p";
    if (!held_out.empty())
        legend += plain.empty() ? ", red: the same of held-out samples"
                                : ", red: mean -log p of held-out samples";
    drawing.text(left, top - 16, start, objective);
    drawing.text(width - right, top - 16, end, legend);
    const std::string size = format("%.0f %.0f", width, height);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size +
           "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" "
           "height=\"100%\" fill=\"white\"/>\n" +
           drawing.elements + "</svg>\n";
}

}  // namespace cuset

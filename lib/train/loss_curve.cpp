#include "cuset/train/loss_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

namespace cuset {

namespace {

constexpr double width = 800, height = 440, left = 70, right = 20, top = 40, bottom = 50;

std::string number(double value, const char* format = "%.2f") {
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), format, value);
    return text.data();
}

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (static_cast<unsigned char>(c) >= 0x20)
            out += c;
    }
    return out;
}

/// 1, 2 or 5 times a power of ten, so that `range` has at most `most` of them.
double tick_distance(double range, double most) {
    const double power = std::pow(10, std::floor(std::log10(range / most)));
    for (const double factor : {1.0, 2.0, 5.0, 10.0})
        if (range / (factor * power) <= most) return factor * power;
    return 10 * power;
}

struct axis {
    double low = 0, high = 1, from = 0, to = 1;
    double at(double value) const { return from + (value - low) / (high - low) * (to - from); }
};

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

class drawing {
public:
    drawing(axis x, axis y) : x_(x), y_(y) {}

    void grid() {
        const double dx = tick_distance(x_.high - x_.low, 8),
                     dy = tick_distance(y_.high - y_.low, 6);
        for (double v = std::ceil(x_.low / dx) * dx; v <= x_.high + dx * 1e-9; v += dx)
            text(x_.at(v), height - bottom + 18, "middle", number(v, "%.6g"));
        for (double v = std::ceil(y_.low / dy) * dy; v <= y_.high + dy * 1e-9; v += dy) {
            svg_ += "<line x1='" + number(left) + "' x2='" + number(width - right) + "' y1='" +
                    number(y_.at(v)) + "' y2='" + number(y_.at(v)) + "' stroke='#ddd'/>\n";
            text(left - 8, y_.at(v) + 4, "end", number(v, "%.4g"));
        }
        text((left + width - right) / 2, height - 12, "middle", "step");
    }

    void line(std::span<const loss_point> points, const char* style) {
        if (points.empty()) return;
        svg_ += "<polyline fill='none' " + std::string(style) + " points='";
        for (const auto& p : points)
            svg_ += number(x_.at(p.step)) + ',' + number(y_.at(p.loss)) + ' ';
        svg_ += "'/>\n";
    }

    void dots(std::span<const loss_point> points) {
        for (const auto& p : points)
            svg_ += "<circle cx='" + number(x_.at(p.step)) + "' cy='" + number(y_.at(p.loss)) +
                    "' r='4' fill='#d62728'/>\n";
    }

    void text(double x, double y, const char* anchor, const std::string& words) {
        svg_ += "<text x='" + number(x) + "' y='" + number(y) + "' text-anchor='" + anchor + "'>" +
                escaped(words) + "</text>\n";
    }

    std::string take() { return std::move(svg_); }

private:
    axis x_, y_;
    std::string svg_;
};

}  // namespace

std::string loss_curve_svg(std::span<const loss_point> training,
                           std::span<const loss_point> evaluations, const std::string& title) {
    const auto steps = finite(training), held_out = finite(evaluations);
    axis x{0, 1, left, width - right}, y{0, 1, height - bottom, top};
    double least = INFINITY, most = -INFINITY;
    for (const auto* points : {&steps, &held_out}) {
        for (const auto& p : *points) {
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
    drawing d(x, y);
    d.grid();
    d.line(steps, "stroke='#9ec9e8' stroke-width='1'");
    d.line(smoothed(steps), "stroke='#1f77b4' stroke-width='2'");
    d.line(held_out, "stroke='#d62728' stroke-width='1'");
    d.dots(held_out);
    d.text(left, top - 16, "start", title);
    d.text(width - right, top - 16, "end",
           held_out.empty() ? "blue: loss" : "blue: loss, red: loss of held-out samples");
    const std::string size = number(width, "%.0f") + ' ' + number(height, "%.0f");
    return "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " + size +
           "' font-family='sans-serif' font-size='12'>\n<rect width='100%' height='100%' "
           "fill='white'/>\n" +
           d.take() + "</svg>\n";
}

}  // namespace cuset

#include "cuset/statistics/svg_drawing.h"

#include <algorithm>
#include <cmath>

#include "cuset/base/format.h"

namespace cuset {

namespace {

std::string escaped(const std::string& words) {
    std::string text;
    for (const char c : words) {
        if (c == '&')
            text += "&amp;";
        else if (c == '<')
            text += "&lt;";
        else if (c == '>')
            text += "&gt;";
        else if (static_cast<unsigned char>(c) >= 0x20)
            text += c;
    }
    return text;
}

}  // namespace

double drawing_axis::at(double value) const {
    if (!is_logarithmic) return from + (value - low) / (high - low) * (to - from);
    value = std::max(value, low);
    return from + std::log(value / low) / std::log(high / low) * (to - from);
}

double tick_distance(double range, double most) {
    const double power = std::pow(10, std::floor(std::log10(range / most)));
    for (const double factor : {1.0, 2.0, 5.0, 10.0})
        if (range / (factor * power) <= most) return factor * power;
    return 10 * power;
}

std::string tick_text(double value, double distance) {
    const double above_zero = std::abs(value) < distance * 1e-9 ? 0 : value;
    const double digits =
        std::ceil(std::log10(std::max(std::abs(above_zero), distance) / distance));
    return format("%.*g", static_cast<int>(std::clamp(digits + 1, 6.0, 15.0)), above_zero);
}

void svg_drawing::text(double x, double y, const std::string& attributes,
                       const std::string& words) {
    elements += format("<text x=\"%.1f\" y=\"%.1f\" ", x, y) + attributes + '>' + escaped(words) +
                "</text>\n";
}

void svg_drawing::line(const std::string& attributes, double x1, double y1, double x2, double y2) {
    elements += "<line " + attributes +
                format(" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x1, y1, x2, y2);
}

void svg_drawing::polyline(const std::string& attributes,
                           const std::vector<std::pair<double, double>>& points) {
    elements += "<polyline " + attributes + " points=\"";
    for (const auto& [x, y] : points) elements += format("%.1f,%.1f ", x, y);
    elements.back() = '"';
    elements += "/>\n";
}

std::string svg_drawing::document(double width, double height, const std::string& title,
                                  const std::string& style,
                                  const std::pair<std::string, std::string>& colours) const {
    const std::string size = format("width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\"",
                                    width, height, width, height);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size + " role=\"img\">\n<title>" +
           escaped(title) +
           "</title>\n<style>\n"
           "svg { font: 13px system-ui, -apple-system, \"Segoe UI\", \"Noto Sans\", Helvetica, "
           "Arial, sans-serif;\n"
           "  --page: #ffffff; --ink: #1f2328; --faint: #59636e; --grid: #d1d9e0; " +
           colours.first +
           " }\n@media (prefers-color-scheme: dark) { svg { --page: #0d1117; --ink: #f0f6fc; "
           "--faint: #9198a1;\n  --grid: #3d444d; " +
           colours.second +
           " } }\n.page { fill: var(--page) }\ntext { fill: var(--ink) }\n"
           ".name { font-size: 15px; font-weight: 600 }\n"
           ".faint { fill: var(--faint); font-size: 12px }\n"
           ".grid { stroke: var(--grid); stroke-width: 1 }\n" +
           style + "</style>\n" +
           format("<rect class=\"page\" width=\"%.0f\" height=\"%.0f\" rx=\"6\"/>\n", width,
                  height) +
           elements + "</svg>\n";
}

}  // namespace cuset

#include "cuset/region/svg_drawing.h"

#include <algorithm>
#include <cmath>

#include "cuset/base/format.h"

namespace cuset {

double drawing_axis::at(double value) const {
    if (!is_logarithmic) return from + (value - low) / (high - low) * (to - from);
    value = std::max(value, low);
    return from + std::log(value / low) / std::log(high / low) * (to - from);
}

void svg_drawing::text(double x, double y, const std::string& attributes,
                       const std::string& words) {
    elements += format("<text x=\"%.1f\" y=\"%.1f\" ", x, y) + attributes + '>';
    for (const char c : words) {
        if (c == '&')
            elements += "&amp;";
        else if (c == '<')
            elements += "&lt;";
        else if (c == '>')
            elements += "&gt;";
        else if (static_cast<unsigned char>(c) >= 0x20)
            elements += c;
    }
    elements += "</text>\n";
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

}  // namespace cuset

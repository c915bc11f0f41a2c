// What the tools' drawings are made of: axes, and SVG elements.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cuset {

/// Places values along a side of a drawing: `low` stands at `from`, `high` at `to`.
struct drawing_axis {
    double low = 0, high = 1, from = 0, to = 1;
    bool is_logarithmic = false;  ///< then low is above 0, and what is less stands at `from`
    double at(double value) const;
};

/// 1, 2 or 5 times a power of ten, so that `range` has at most `most` of them.
double tick_distance(double range, double most);

/// A tick's value with the digits that tell it from those `distance` beside it.
std::string tick_text(double value, double distance);

/// Elements of an SVG document. `attributes` are XML, such as class="grid".
struct svg_drawing {
    std::string elements;

    /// Escapes what XML wants escaped, and leaves control characters out.
    void text(double x, double y, const std::string& attributes, const std::string& words);
    void line(const std::string& attributes, double x1, double y1, double x2, double y2);
    void polyline(const std::string& attributes,
                  const std::vector<std::pair<double, double>>& points);

    /// The whole document. Its classes are page, name, faint and grid, and those of `style`, which
    /// is CSS; `colours` are variables for the light scheme and for the dark one, as in
    /// "--curve: #c2410c". The scheme is that of the reader's system. The background follows it
    /// too, since a page's own scheme may be another one.
    std::string document(double width, double height, const std::string& title,
                         const std::string& style,
                         const std::pair<std::string, std::string>& colours) const;
};

}  // namespace cuset

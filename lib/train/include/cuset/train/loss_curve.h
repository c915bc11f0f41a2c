// Draws a run's losses over its steps.
#pragma once

#include <span>
#include <string>

namespace cuset {

struct loss_point {
    double step = 0, loss = 0;
};

/// An SVG document: the loss of each step as a thin line, its moving average on top, evaluations as
/// dots. Points that are not finite are left out.
std::string loss_curve_svg(std::span<const loss_point> training,
                           std::span<const loss_point> evaluations, const std::string& title);

}  // namespace cuset

// Draws a run's losses over its steps.
#pragma once

#include <string>
#include <vector>

namespace cuset {

struct loss_point {
    double step = 0, loss = 0;
};

struct loss_points {
    std::vector<loss_point> loss;      ///< of the objective
    std::vector<loss_point> nll;       ///< the steps' mean -log p, where the loss is another figure
    std::vector<loss_point> held_out;  ///< that of held-out samples; without `nll` their loss
};

/// An SVG document: the loss of each step as a thin line, its moving average on top, that of the
/// mean -log p, and evaluations as dots. Points that are not finite are left out.
std::string loss_curve_svg(const loss_points& all, const std::string& objective);

}  // namespace cuset

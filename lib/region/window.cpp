#include "cuset/region/window.h"

namespace cuset {

confidence_window window_search::hardest(std::span<const double> confidence, std::size_t size,
                                         window_ends ends) {
    sums_.resize(confidence.size() + 1);
    const kernels::window_minimum least = kernels::hardest_window(
        confidence.data(), confidence.size(), size, sums_.data(), ends == window_ends::clipped);
    return {static_cast<std::size_t>(least.first), static_cast<std::size_t>(least.last),
            least.mean};
}

}  // namespace cuset

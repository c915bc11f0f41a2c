#include "cuset/region/window.h"

#include <algorithm>

namespace cuset {

confidence_window window_search::hardest(std::span<const double> confidence, std::size_t size,
                                         window_ends ends) {
    sums_.resize(confidence.size() + 1);
    const kernels::window_minimum least = kernels::hardest_window(
        confidence.data(), confidence.size(), size, sums_.data(), ends == window_ends::clipped);
    return {static_cast<std::size_t>(least.first), static_cast<std::size_t>(least.last),
            least.mean};
}

confidence_window window_search::hardest_within(std::span<const double> confidence,
                                                std::size_t first, std::size_t last,
                                                std::size_t size, window_ends ends) {
    confidence_window window = hardest(confidence.subspan(first, last - first), size, ends);
    window.first += first;
    window.last += first;
    return window;
}

confidence_window window_search::hardest_of_kept(std::span<const double> confidence,
                                                 const std::vector<bool>& left_out,
                                                 std::size_t first, std::size_t last,
                                                 std::size_t size, window_ends ends) {
    if (left_out.empty()) return hardest_within(confidence, first, last, size, ends);
    std::vector<double> kept;
    std::vector<std::size_t> places;
    for (std::size_t i = first; i < last; ++i) {
        if (left_out[i]) continue;
        kept.push_back(confidence[i]);
        places.push_back(i);
    }
    const confidence_window among = hardest(kept, size, ends);
    if (among.first == among.last) return {first, first, among.mean};
    return {places[among.first], places[among.last - 1] + 1, among.mean};
}

token_range tokens_within(std::span<const std::uint64_t> token_end, std::uint64_t begin,
                          std::uint64_t end) {
    const auto first = std::upper_bound(token_end.begin(), token_end.end(), begin);
    if (begin >= end || first == token_end.end()) return {};
    const auto last = std::lower_bound(first, token_end.end(), end);
    const auto count = last - token_end.begin() + (last == token_end.end() ? 0 : 1);
    return {static_cast<std::size_t>(first - token_end.begin()), static_cast<std::size_t>(count)};
}

}  // namespace cuset

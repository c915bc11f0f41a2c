#include "token_blame.h"

#include <algorithm>
#include <cmath>

#include "cuset/region/window.h"

namespace cuset {

std::vector<double> token_blame(const objective_settings& settings, std::size_t tokens,
                                const std::vector<bool>* sensitive, std::span<const float> log_p) {
    std::vector<double> blame(tokens, settings.blame == blamed_part::all ? 1 : 0);
    if (settings.blames_code() && sensitive != nullptr)
        std::copy_n(sensitive->begin(), std::min(tokens, sensitive->size()), blame.begin());
    std::vector<double> confidence;
    if (settings.blames_by_tau() || settings.blame == blamed_part::window)
        for (const float one : log_p)
            confidence.push_back(std::min(1.0, std::exp(static_cast<double>(one))));
    if (settings.blames_by_tau())
        for (std::size_t t = 0; t < std::min(tokens, confidence.size()); ++t)
            if (confidence[t] > settings.tau) blame[t] = 1;
    if (settings.blame == blamed_part::window) {
        window_search search;
        const confidence_window hardest = search.hardest(confidence, settings.window);
        std::fill(blame.begin() + static_cast<std::ptrdiff_t>(hardest.first),
                  blame.begin() + static_cast<std::ptrdiff_t>(hardest.last), 1);
    }
    return blame;
}

std::size_t blamed_tokens(const objective_settings& settings, std::size_t tokens,
                          const std::vector<bool>* sensitive, std::span<const float> log_p) {
    if (settings.blame == blamed_part::all) return tokens;
    const auto blame = token_blame(settings, tokens, sensitive, log_p);
    return static_cast<std::size_t>(std::count(blame.begin(), blame.end(), 1.0));
}

}  // namespace cuset

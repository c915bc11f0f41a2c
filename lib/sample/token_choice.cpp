#include "cuset/sample/token_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cuset/kernels/decoder_rows.h"

namespace cuset {

namespace {

/// Below this temperature the likeliest token has all the probability that a float can show.
constexpr double least_temperature = 1e-5;

/// A number in [0, 1) with 53 bits.
double share_of(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

/// Finds the first token whose running sum passes a share of the whole. The sums of blocks of
/// tokens lead to its block. Each has four sums, since one would wait for itself at every token.
template <class Probability>
std::size_t draw(std::size_t count, const Probability& probability, double share) {
    constexpr std::size_t block = 512;
    std::vector<double> blocks((count + block - 1) / block);
    double total = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        const std::size_t end = std::min(count, (b + 1) * block);
        std::array<double, 4> sums{};
        std::size_t i = b * block;
        for (; i + sums.size() <= end; i += sums.size())
            for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += probability(i + j);
        for (; i < end; ++i) sums[0] += probability(i);
        blocks[b] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        total += blocks[b];
    }
    const double wanted = share * total;
    double sum = 0;
    std::size_t b = 0;
    while (b + 1 < blocks.size() && sum + blocks[b] <= wanted) sum += blocks[b++];
    // Rounding may leave a rest at the end of the block, and at the end of all: it belongs to the
    // last token before it that can be drawn.
    std::size_t last = count;
    for (std::size_t i = b * block; i < count; ++i) {
        if (probability(i) > 0) last = i;
        sum += probability(i);
        if (sum > wanted) return i;
    }
    while (last == count || !(probability(last) > 0)) --last;
    return last;
}

}  // namespace

result<std::int32_t> token_choice::choose(std::span<const float> logits, std::uint64_t bits) {
    const auto best = std::max_element(logits.begin(), logits.end());
    // max_element overlooks a NaN; -infinity is a token that cannot be.
    const bool is_bad = std::any_of(logits.begin(), logits.end(), [](float x) {
        return !(x <= std::numeric_limits<float>::max());
    });
    if (is_bad || best == logits.end() || !std::isfinite(*best))
        return data_error("its logits are not finite: weights or activations overflow");
    if (options_.temperature < least_temperature)
        return static_cast<std::int32_t>(best - logits.begin());
    // The greatest logit is subtracted before the division, since a small temperature makes large
    // numbers.
    scaled_.resize(logits.size());
    std::transform(logits.begin(), logits.end(), scaled_.begin(),
                   [top = *best](float x) { return x - top; });
    probabilities_.resize(logits.size());
    kernels::softmax(scaled_.data(), static_cast<float>(1 / options_.temperature), logits.size(),
                     logits.size(), probabilities_.data());
    const double share = share_of(bits);
    const float* p = probabilities_.data();
    const std::size_t kept = keep_likeliest(logits.size());
    if (kept == logits.size())
        return static_cast<std::int32_t>(draw(
            kept, [&](std::size_t i) { return static_cast<double>(p[i]); }, share));
    return likeliest_[draw(
        kept, [&](std::size_t i) { return static_cast<double>(p[likeliest_[i]]); }, share)];
}

/// Returns how many tokens may be drawn. If not all may, they stand first in likeliest_.
std::size_t token_choice::keep_likeliest(std::size_t vocabulary) {
    const std::size_t most =
        options_.top_k == 0 ? vocabulary : std::min(options_.top_k, vocabulary);
    if (most == vocabulary && options_.top_p >= 1) return vocabulary;
    const float* p = probabilities_.data();
    const auto likelier = [&](std::int32_t a, std::int32_t b) {
        return p[a] != p[b] ? p[a] > p[b] : a < b;
    };
    // Sorting a whole vocabulary costs more than a layer. Sort only tokens above a bound, and lower
    // the bound until they are enough.
    const float top = *std::max_element(probabilities_.begin(), probabilities_.end());
    for (float bound = top * 1e-3F;; bound *= 1e-3F) {
        likeliest_.clear();
        double above = 0;
        for (std::size_t i = 0; i < vocabulary; ++i) {
            if (p[i] < bound) continue;
            likeliest_.push_back(static_cast<std::int32_t>(i));
            above += static_cast<double>(p[i]);
        }
        // They have a probability of 1 together, as far as a float shows.
        const bool is_enough = likeliest_.size() >= most ||
                               (most == vocabulary && above >= options_.top_p) || bound == 0;
        if (is_enough) break;
    }
    std::sort(likeliest_.begin(), likeliest_.end(), likelier);
    const std::size_t candidates = std::min(most, likeliest_.size());
    if (options_.top_p >= 1) return candidates;
    double total = 0;
    for (std::size_t i = 0; i < candidates; ++i) total += static_cast<double>(p[likeliest_[i]]);
    // Without a top_k, tokens below the bound belong to the whole too.
    if (most == vocabulary) total = 1;
    double sum = 0;
    for (std::size_t i = 0; i < candidates; ++i) {
        sum += static_cast<double>(p[likeliest_[i]]);
        if (sum >= options_.top_p * total) return i + 1;
    }
    return candidates;
}

}  // namespace cuset

// The colours of confidences: steps that differ in lightness, so that every eye can order them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace cuset {

/// A step of the scale: a background and the text on it.
struct shade {
    std::uint32_t color;   ///< 0xRRGGBB
    std::uint8_t indexed;  ///< the nearest good one of xterm's 256 colours
    bool has_dark_text;    ///< black on it, else white
};

/// Confidences below edges[k - 1] (and not below edges[k]) have shade k; those above all have none:
/// what the model expects is not marked. 0.1 is the threshold of the training loss's mask.
inline constexpr std::array confidence_edges{0.9, 0.7, 0.5, 0.3, 0.1, 0.01};
/// Changes of at least change_edges[k - 1] have shade k of their direction; smaller ones none.
inline constexpr std::array change_edges{0.05, 0.2, 0.5};

/// 0 (none) to confidence_edges.size().
int confidence_step(double confidence);
/// 0 (none) to change_edges.size(), negative where the confidence fell.
int change_step(double before, double after);

enum class background : unsigned char { dark, light };

/// The less sure, the further from the background: on dark ones light, on light ones dark (steps of
/// magma, which is even in lightness also for those who see fewer colours).
const std::array<shade, confidence_edges.size()>& confidence_shades(background b);
/// Blue where it rose and orange where it fell (after ColorBrewer's RdBu and PuOr).
const std::array<shade, change_edges.size()>& rise_shades(background b);
const std::array<shade, change_edges.size()>& fall_shades(background b);

}  // namespace cuset

// The colours of confidences. The steps differ in lightness, so that their order is visible without
// seeing hues.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "cuset/syntax/roles.h"

namespace cuset {

/// A step of the scale: a background and the text on it.
struct shade {
    std::uint32_t color;   ///< 0xRRGGBB
    std::uint8_t indexed;  ///< the nearest good one of xterm's 256 colours
    bool has_dark_text;    ///< black on it, else white
};

/// Confidences below edges[k - 1] (and not below edges[k]) have shade k. Those above all edges have
/// no shade: tokens that the model expects are not marked. 0.1 is the threshold of the confidence
/// mask.
inline constexpr std::array confidence_edges{0.9, 0.7, 0.5, 0.3, 0.1, 0.01};
/// Changes of at least change_edges[k - 1] have shade k of their direction; smaller ones have none.
inline constexpr std::array change_edges{0.05, 0.2, 0.5};

/// 0 (none) to confidence_edges.size().
int confidence_step(double confidence);
/// 0 (none) to change_edges.size(), negative where the confidence fell.
int change_step(double before, double after);

enum class background : unsigned char { dark, light };

/// A lower confidence is further from the background: light on dark, dark on light. The steps are
/// those of magma, whose lightness is even, also for readers who see fewer colours.
const std::array<shade, confidence_edges.size()>& confidence_shades(background b);
/// Blue for a rise and orange for a fall (after ColorBrewer's RdBu and PuOr).
const std::array<shade, change_edges.size()>& rise_shades(background b);
const std::array<shade, change_edges.size()>& fall_shades(background b);

/// A colour of text on the background.
struct ink {
    std::uint32_t color;   ///< 0xRRGGBB
    std::uint8_t indexed;  ///< the same of xterm's 256 colours
};
/// The colours of the roles' marks. They help, but a letter or a line's form tells the role.
const std::array<ink, token_roles>& role_inks(background b);
/// The letter of a role: the first of its name, in which they all differ.
constexpr char letter_of(token_role role) { return name_of(role).front(); }

}  // namespace cuset

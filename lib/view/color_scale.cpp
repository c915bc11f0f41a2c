#include "cuset/view/color_scale.h"

#include <algorithm>
#include <cmath>

namespace cuset {

int confidence_step(double confidence) {
    return static_cast<int>(std::count_if(confidence_edges.begin(), confidence_edges.end(),
                                          [=](double edge) { return confidence < edge; }));
}

int change_step(double before, double after) {
    const double change = after - before;
    const auto step =
        static_cast<int>(std::count_if(change_edges.begin(), change_edges.end(),
                                       [=](double edge) { return std::fabs(change) >= edge; }));
    return change < 0 ? -step : step;
}

const std::array<shade, confidence_edges.size()>& confidence_shades(background b) {
    static constexpr std::array<shade, confidence_edges.size()> on_dark{{
        {0x3b0f70, 54, false},
        {0x721f81, 90, false},
        {0xb73779, 126, false},
        {0xf1605d, 203, true},
        {0xfeae77, 215, true},
        {0xfcfdbf, 229, true},
    }};
    static constexpr std::array<shade, confidence_edges.size()> on_light{{
        {0xfcf3b8, 228, true},
        {0xfece91, 222, true},
        {0xfe9f6d, 209, true},
        {0xe75263, 203, true},
        {0x972c80, 126, false},
        {0x3b0f70, 54, false},
    }};
    return b == background::dark ? on_dark : on_light;
}

const std::array<shade, change_edges.size()>& rise_shades(background b) {
    static constexpr std::array<shade, change_edges.size()> on_dark{{
        {0x0b3a5e, 24, false},
        {0x4393c3, 74, true},
        {0xbfe3f5, 153, true},
    }};
    static constexpr std::array<shade, change_edges.size()> on_light{{
        {0xd1e5f0, 153, true},
        {0x6baed6, 74, true},
        {0x08519c, 24, false},
    }};
    return b == background::dark ? on_dark : on_light;
}

const std::array<shade, change_edges.size()>& fall_shades(background b) {
    static constexpr std::array<shade, change_edges.size()> on_dark{{
        {0x5c3008, 94, false},
        {0xd9801f, 172, true},
        {0xfee0b6, 223, true},
    }};
    static constexpr std::array<shade, change_edges.size()> on_light{{
        {0xfee0b6, 223, true},
        {0xf1a340, 214, true},
        {0x8c4a05, 94, false},
    }};
    return b == background::dark ? on_dark : on_light;
}

const std::array<ink, token_roles>& role_inks(background b) {
    static constexpr std::array<ink, token_roles> on_dark{{{0x5fd7ff, 81},
                                                           {0xffaf5f, 215},
                                                           {0x87d787, 114},
                                                           {0xff87af, 211},
                                                           {0xffd75f, 221},
                                                           {0xd7afff, 183},
                                                           {0xb2b2b2, 249},
                                                           {0x87afd7, 110},
                                                           {0x8a8a8a, 245}}};
    static constexpr std::array<ink, token_roles> on_light{{{0x005faf, 25},
                                                            {0xaf5f00, 130},
                                                            {0x005f00, 22},
                                                            {0xaf005f, 125},
                                                            {0x875f00, 94},
                                                            {0x8700af, 91},
                                                            {0x444444, 238},
                                                            {0x005f87, 24},
                                                            {0x6c6c6c, 242}}};
    return b == background::dark ? on_dark : on_light;
}

}  // namespace cuset

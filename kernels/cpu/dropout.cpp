#include "cuset/kernels/dropout.h"

#include <algorithm>
#include <array>

#include "../both_sides.h"
#include "cuset/kernels/decoder_rows.h"

namespace cuset::kernels {

namespace {

auto* dropper(bool adds) {
    return adds ? add_dropout : static_cast<decltype(&add_dropout)>(dropout);
}

/// Elements [begin, end) of all elements. They belong to one sample; the first has this number.
struct element_range {
    std::size_t begin, end;
    std::uint64_t key;
    std::uint32_t number;
};

void drop_floats(const dropout_rows& rows, const element_range& range) {
    const float* const x = static_cast<const float*>(rows.x) + range.begin;
    float* const y = static_cast<float*>(rows.y) + range.begin;
    dropper(rows.add)(x, range.key, range.number, range.end - range.begin, rows.threshold,
                      rows.scale, y);
}

/// Works through floats, a few at a time, if x, y or both are bfloat16.
void drop_through_floats(const dropout_rows& rows, const element_range& range) {
    std::array<float, 1024> from, to;
    const auto read = [](const void* base, dropout_type type, std::size_t at, std::size_t count,
                         float* floats) {
        if (type == dropout_type::bfloat16)
            widen(static_cast<const bfloat16_bits*>(base) + at, count, floats);
        else
            std::copy_n(static_cast<const float*>(base) + at, count, floats);
    };
    for (std::size_t at = range.begin; at < range.end; at += from.size()) {
        const std::size_t count = std::min(from.size(), range.end - at);
        const auto number = range.number + static_cast<std::uint32_t>(at - range.begin);
        read(rows.x, rows.x_type, at, count, from.data());
        if (rows.add) read(rows.y, rows.y_type, at, count, to.data());
        dropper(rows.add)(from.data(), range.key, number, count, rows.threshold, rows.scale,
                          to.data());
        if (rows.y_type == dropout_type::bfloat16)
            narrow(to.data(), count, static_cast<bfloat16_bits*>(rows.y) + at);
        else
            std::copy_n(to.data(), count, static_cast<float*>(rows.y) + at);
    }
}

}  // namespace

std::uint64_t dropout_key(std::uint64_t key, std::uint64_t site) { return key_of_site(key, site); }

void dropout(const dropout_rows& rows, std::size_t first, std::size_t last) {
    const dropout_sample* const end = rows.samples + rows.sample_count;
    const bool floats =
        rows.x_type == dropout_type::float32 && rows.y_type == dropout_type::float32;
    while (first < last) {
        const dropout_sample* const next = std::upper_bound(
            rows.samples, end, static_cast<std::int64_t>(first),
            [](std::int64_t row, const dropout_sample& s) { return row < s.first_row; });
        const dropout_sample& sample = next[-1];
        const std::size_t stop =
            next == end ? last : std::min(last, static_cast<std::size_t>(next->first_row));
        const element_range range{
            first * rows.width, stop * rows.width, key_of_site(sample.key, rows.site),
            static_cast<std::uint32_t>((first - static_cast<std::size_t>(sample.first_row)) *
                                       rows.width)};
        if (floats)
            drop_floats(rows, range);
        else
            drop_through_floats(rows, range);
        first = stop;
    }
}

}  // namespace cuset::kernels

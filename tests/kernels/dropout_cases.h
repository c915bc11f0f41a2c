// dropout() against its definition, element by element and to the bit.
#pragma once

#include "machine.h"
#include "token_loss_cases.h"

namespace kernel_cases {

struct dropout_case {
    std::size_t width;
    std::vector<std::size_t> lengths;  ///< rows of each sample
    dropout_type from, to;
    bool add = false, in_place = false;
    std::size_t offset = 0;  ///< elements before the first: what alignment rows have
    std::uint32_t threshold = 0x0ccccccd;
    float scale = 1.0F / 0.95F;
};

inline std::string name_of(const dropout_case& c) {
    char text[160];
    std::snprintf(text, sizeof text,
                  "dropout %zu samples, width %zu, offset %zu, %s to %s%s%s, threshold %08x",
                  c.lengths.size(), c.width, c.offset,
                  c.from == dropout_type::float32 ? "f32" : "bf16",
                  c.to == dropout_type::float32 ? "f32" : "bf16", c.add ? ", added" : "",
                  c.in_place ? ", in place" : "", c.threshold);
    return text;
}

/// Murmur3's 32-bit finaliser over number + the key's lower half, the upper half put in after its
/// first multiplication, and one more multiplication and shift at its end.
inline std::uint32_t mask_hash(std::uint32_t number, std::uint64_t key) {
    std::uint32_t h = number + static_cast<std::uint32_t>(key & 0xffffffffU);
    h ^= h >> 16;
    h *= 0x85ebca6bU;
    h ^= static_cast<std::uint32_t>(key >> 32);
    h ^= h >> 13;
    h *= 0xc2b2ae35U;
    h ^= h >> 16;
    h *= 0x9e3779b1U;
    h ^= h >> 15;
    return h;
}

inline element_array elements(dropout_type type, std::size_t count) {
    return {type == dropout_type::float32 ? logit_type::float32 : logit_type::bfloat16, count};
}

inline void check(machine& on, const dropout_case& c, findings& found) {
    found.begin(name_of(c));
    random_bits random(c.width * 131 + c.lengths.size());
    std::size_t rows = 0;
    std::vector<dropout_sample> samples;
    for (const std::size_t length : c.lengths) {
        samples.push_back({static_cast<std::int64_t>(rows), random.next()});
        rows += length;
    }
    const std::uint64_t site = random.next() % 3 == 0 ? 0 : random.next() % 1000;
    // The elements before and after must stay as they are.
    const std::size_t count = c.offset + rows * c.width + 9;
    element_array x = elements(c.from, count), y = elements(c.to, count);
    for (std::size_t i = 0; i < count; ++i) {
        x.set(i, static_cast<float>(random.normal()));
        y.set(i, c.in_place ? x.at(i) : static_cast<float>(random.normal()));
    }
    if (rows * c.width > 3) {
        x.set(c.offset, -0.0F);
        y.set(c.offset, -0.0F);
        x.set(c.offset + 1, c.in_place ? y.at(c.offset + 1) : INFINITY);
    }
    element_array wanted = y;
    for (std::size_t s = 0, at = c.offset; s < samples.size(); ++s) {
        std::uint64_t before = samples[s].key;
        for (std::uint64_t i = 0; i < site; ++i) before += 0x9e3779b97f4a7c15U;
        const std::uint64_t key = random_bits(before).next();
        for (std::size_t i = 0; i < c.lengths[s] * c.width; ++i, ++at) {
            const bool kept = mask_hash(static_cast<std::uint32_t>(i), key) >= c.threshold;
            const volatile float product = x.at(at) * c.scale;  // rounded before it is added
            const float value = kept ? product : 0.0F;
            wanted.set(at, c.add ? y.at(at) + value : value);
        }
    }

    unsigned char* const y_at = on.copy_in(y.bytes());
    unsigned char* const x_at = c.in_place ? y_at : on.copy_in(x.bytes());
    dropout_rows run;
    run.x = x_at + c.offset * x.size();
    run.y = y_at + c.offset * y.size();
    run.x_type = c.from;
    run.y_type = c.to;
    run.add = c.add;
    run.rows = rows;
    run.width = c.width;
    run.samples = on.copy_in(samples);
    run.sample_count = samples.size();
    run.site = site;
    run.threshold = c.threshold;
    run.scale = c.scale;
    found.ran(on.run(run));
    const auto after = on.copy_out(y_at, y.bytes().size());
    found.same("y", after.data(), wanted.bytes().data(), after.size());
    if (!c.in_place) {
        const auto unchanged = on.copy_out(x_at, x.bytes().size());
        found.same("x", unchanged.data(), x.bytes().data(), unchanged.size());
    }
    on.clear();
}

inline void dropout_cases(machine& on, extent size, findings& found) {
    constexpr auto f32 = dropout_type::float32, bf16 = dropout_type::bfloat16;
    const auto with = [](dropout_case c, auto change) {
        change(c);
        return c;
    };
    const std::vector<std::size_t> one{3}, several{2, 1, 4, 1};
    for (const auto from : {f32, bf16}) {
        for (const auto to : {f32, bf16}) {
            for (const bool add : {false, true}) {
                check(on, {40, several, from, to, add}, found);
                check(on, {13, several, from, to, add}, found);
                if (size == extent::tiny) continue;
                check(on, {4104, several, from, to, add}, found);
                check(on, {2056, one, from, to, add, false, 1}, found);
                check(on, {1, {1}, from, to, add}, found);
                check(on, {8, {0, 5, 0, 0, 2, 0}, from, to, add}, found);
                check(on, {24, {}, from, to, add}, found);
            }
        }
    }
    for (const auto type : {f32, bf16}) {
        check(on, {40, several, type, type, false, true}, found);
        check(on, {13, several, type, type, true, true}, found);
        if (size == extent::tiny) continue;
        for (const std::uint32_t threshold : {0U, 1U, 0x80000000U, 0xffffffffU})
            check(on, with({576, several, type, type}, [&](auto& c) { c.threshold = threshold; }),
                  found);
        check(on, with({576, several, type, type, true}, [](auto& c) { c.scale = 1; }), found);
    }
    if (size != extent::full) return;
    check(on, {3584, {1000, 1, 40}, bf16, bf16, true}, found);
    check(on, {18944, {300, 17}, bf16, bf16, false}, found);
}

}  // namespace kernel_cases

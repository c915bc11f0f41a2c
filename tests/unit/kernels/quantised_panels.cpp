#include "cuset/kernels/quantised_panels.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "cuset/kernels/packed_products.h"
#include "instruction_sets.h"

using namespace cuset::kernels;

namespace {

/// Calls check(panels, products) for every version this processor can run.
template <class Check>
void for_each_set(Check check) {
    for (const auto set : available_sets()) {
        BOOST_TEST_CONTEXT(name_of(set)) {
            check(quantised_panel_kernels(set), packed_product_kernels(set));
        }
    }
}

/// The other definition of a code: the nearest value, and of two the lower.
std::size_t nearest(const float* values, std::size_t count, double x) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < count; ++i)
        if (std::abs(x - double{values[i]}) < std::abs(x - double{values[best]})) best = i;
    return best;
}

float rounded(float x) {
    bfloat16_bits bits{};
    narrow(&x, 1, &bits);
    widen(&bits, 1, &x);
    return x;
}

/// Outputs × inputs of a panel in the form of packed_products.h.
template <class Element>
float element_of(const std::vector<Element>& packed, std::size_t columns, std::size_t output,
                 std::size_t input) {
    if constexpr (std::is_same_v<Element, float>) {
        return packed[input * columns + output];
    } else {
        float x = 0;
        widen(&packed[input / 2 * 2 * columns + output * 2 + input % 2], 1, &x);
        return x;
    }
}

/// Makes a panel of random codes and compares all forms of its inputs [first, first + count).
template <class Code, class Pack, class To16, class ToFloat, class Value>
void check_panel(std::size_t columns, std::size_t outputs, std::size_t k, std::size_t first,
                 std::size_t count, std::size_t bytes, std::size_t blocks, std::mt19937& random,
                 const Pack& pack, const To16& to16, const ToFloat& to_float, const Value& value) {
    const std::size_t stride = k + 3;
    std::vector<Code> codes(outputs * stride), panel(bytes + 64);
    for (auto& code : codes) code = static_cast<Code>(random());
    if constexpr (std::is_same_v<Code, std::uint8_t>)
        for (auto& code : codes) code &= 15;
    std::vector<float> scales(blocks * columns);
    for (std::size_t i = 0; i < scales.size(); ++i)
        scales[i] = i % columns < outputs
                        ? static_cast<float>(random() % 1000 + 1) * std::ldexp(1.0F, -15)
                        : 0;
    panel[bytes] = Code{77};
    pack(outputs, k, codes.data(), stride, panel.data());
    BOOST_TEST(panel[bytes] == Code{77});

    const std::size_t padded = (count + 1) / 2 * 2 * columns;
    std::vector<bfloat16_bits> packed(padded + 64, bfloat16_bits{0x4242});
    to16(panel.data(), first, count, scales.data(), packed.data());
    std::vector<float> exact(padded + 64, 42.0F), narrowed = exact;
    to_float(panel.data(), first, count, scales.data(), false, exact.data());
    to_float(panel.data(), first, count, scales.data(), true, narrowed.data());
    std::size_t wrong = 0;
    for (std::size_t output = 0; output < columns; ++output) {
        for (std::size_t input = 0; input < count; ++input) {
            const float expected =
                output < outputs ? value(codes[output * stride + first + input],
                                         scales[input / nf4_block % blocks * columns + output])
                                 : 0;
            wrong += element_of(exact, columns, output, input) != expected;
            wrong += element_of(narrowed, columns, output, input) != rounded(expected);
            wrong += element_of(packed, columns, output, input) != rounded(expected);
        }
    }
    BOOST_TEST(wrong == 0);
    BOOST_TEST((packed[padded] == bfloat16_bits{0x4242}));
    BOOST_TEST(exact[padded] == 42.0F);
    if (count % 2 != 0)
        for (std::size_t output = 0; output < columns; ++output)
            BOOST_TEST(std::isfinite(element_of(packed, columns, output, count)));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(quantised)

BOOST_AUTO_TEST_CASE(values_ascend_and_hold_the_published_ones) {
    BOOST_TEST(std::is_sorted(nf4_values, nf4_values + nf4_codes));
    BOOST_TEST(nf4_values[7] == 0.0F);
    const float* dynamic = dynamic_values();
    BOOST_TEST(std::is_sorted(dynamic, dynamic + dynamic_codes));
    BOOST_TEST(std::adjacent_find(dynamic, dynamic + dynamic_codes) == dynamic + dynamic_codes);
    BOOST_TEST(dynamic[0] == -0.99296875F);
    BOOST_TEST(dynamic[127] == 0.0F);
    BOOST_TEST(dynamic[128] == 5.500000384017767e-07F);
    BOOST_TEST(dynamic[255] == 1.0F);
}

BOOST_AUTO_TEST_CASE(nf4_takes_the_nearest_value) {
    const unsigned seed = std::random_device{}();
    BOOST_TEST_CONTEXT("seed " << seed) {
        std::mt19937 random(seed);
        std::normal_distribution<float> normal;
        for (const std::size_t count : {64U, 64U, 64U, 1U, 7U, 63U}) {
            std::vector<float> x(count);
            for (float& value : x) value = normal(random);
            std::vector<std::uint8_t> codes(count);
            const float absmax = quantise_nf4(x.data(), count, codes.data());
            float largest = 0;
            for (const float value : x) largest = std::max(largest, std::abs(value));
            BOOST_TEST(absmax == largest);
            for (std::size_t i = 0; i < count; ++i) {
                const double scaled = double{x[i]} / double{absmax};
                const std::size_t best = nearest(nf4_values, nf4_codes, scaled);
                BOOST_TEST(std::abs(scaled - double{nf4_values[codes[i]]}) <=
                           std::abs(scaled - double{nf4_values[best]}) + 1e-6);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(nf4_of_zeros_and_of_tiny_elements_is_zero_or_finite) {
    std::vector<std::uint8_t> codes(64, 99);
    const std::vector<float> zeros(64);
    BOOST_TEST(quantise_nf4(zeros.data(), 64, codes.data()) == 0.0F);
    BOOST_TEST((codes == std::vector<std::uint8_t>(64, 7)));
    // bitsandbytes keeps a short block's absmax above 0.
    codes.assign(64, 99);
    BOOST_TEST(quantise_nf4(zeros.data(), 3, codes.data()) == 1e-38F);
    BOOST_TEST(codes[2] == 7);
    BOOST_TEST(codes[3] == 99);
    std::vector<float> tiny(64, 1e-42F);
    quantise_nf4(tiny.data(), 64, codes.data());
    BOOST_TEST(codes[0] == 7);
    // The reciprocal of a subnormal number is infinite, and times 0 no number.
    const float subnormal[] = {0, 1e-45F, 0};
    BOOST_TEST(quantise_dynamic(subnormal, 3, codes.data()) == 0.0F);
    BOOST_TEST((codes[0] == 0 && codes[1] == 0 && codes[2] == 0));
    const std::vector<float> largest(64, -3.4e38F);
    BOOST_TEST(quantise_nf4(largest.data(), 64, codes.data()) == 3.4e38F);
    BOOST_TEST(codes[0] == 0);
}

BOOST_AUTO_TEST_CASE(dynamic_codes_are_next_to_their_value) {
    std::vector<float> x(nf4_group);
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (float& value : x) value = uniform(random);
    x[0] = -4;
    std::vector<std::uint8_t> codes(x.size());
    BOOST_TEST(quantise_dynamic(x.data(), x.size(), codes.data()) == 4.0F);
    BOOST_TEST(codes[0] == 0);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double scaled = double{x[i]} / 4;
        const std::size_t best = nearest(dynamic_values(), dynamic_codes, scaled);
        // A place of the table is 1/32767.5 wide.
        wrong += std::abs(scaled - double{dynamic_values()[codes[i]]}) >
                 std::abs(scaled - double{dynamic_values()[best]}) + 2.0 / 32767;
    }
    BOOST_TEST(wrong == 0);
    const std::vector<float> zeros(5);
    BOOST_TEST(quantise_dynamic(zeros.data(), 5, codes.data()) == 0.0F);
    BOOST_TEST(codes[4] == 0);
}

BOOST_AUTO_TEST_CASE(int8_rounds_to_nearest_even) {
    const std::vector<float> x{127, 0.5F, 1.5F, 2.5F, -0.5F, -1.5F, -127, 0, -126.5F};
    std::vector<std::int8_t> codes(x.size());
    BOOST_TEST(quantise_int8(x.data(), x.size(), codes.data()) == 127.0F);
    BOOST_TEST((codes == std::vector<std::int8_t>{127, 0, 2, 2, 0, -2, -127, 0, -126}));
    const std::vector<float> zeros(3);
    BOOST_TEST(quantise_int8(zeros.data(), 3, codes.data()) == 0.0F);
    BOOST_TEST(codes[0] == 0);
}

BOOST_AUTO_TEST_CASE(scales_cross_groups) {
    std::vector<std::uint8_t> codes(700);
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint8_t>(i * 7);
    const float groups[] = {2, 3, 5};
    std::vector<float> to(2 * 600, -1);
    read_scales({codes.data(), groups, 0.25F, dynamic_values()}, 100, 600, to.data(), 2);
    for (std::size_t i = 0; i < 600; ++i) {
        const std::size_t block = 100 + i;
        BOOST_TEST(to[2 * i] == dynamic_values()[codes[block]] * groups[block / 256] + 0.25F);
        BOOST_TEST(to[2 * i + 1] == -1.0F);
    }
}

BOOST_AUTO_TEST_CASE(panels_hold_values_times_scales) {
    const unsigned seed = std::random_device{}();
    BOOST_TEST_CONTEXT("seed " << seed) {
        std::mt19937 random(seed);
        for_each_set([&](const quantised_panel_table& t, const packed_product_table& products) {
            const std::size_t columns = t.panel_columns;
            BOOST_TEST(columns == products.panel_columns);
            for (const std::size_t k : {1U, 2U, 3U, 6U, 64U, 65U, 130U, 192U}) {
                for (const std::size_t first : {0U, 64U}) {
                    if (first >= k) continue;
                    for (const std::size_t count : {k - first, std::min<std::size_t>(64, k - first),
                                                    std::min<std::size_t>(7, k - first)}) {
                        const std::size_t outputs = 1 + random() % columns;
                        BOOST_TEST_CONTEXT("k " << k << ", " << count << " from " << first << ", "
                                                << outputs << " outputs") {
                            const std::size_t blocks = (count + nf4_block - 1) / nf4_block;
                            check_panel<std::uint8_t>(
                                columns, outputs, k, first, count, (k + 3) / 4 * 2 * columns,
                                blocks, random, t.pack_nf4, t.nf4_to_bfloat16, t.nf4_to_float,
                                [](std::uint8_t c, float s) { return nf4_values[c] * s; });
                            check_panel<std::int8_t>(
                                columns, outputs, k, first, count, (k + 1) / 2 * 2 * columns, 1,
                                random, t.pack_int8, t.int8_to_bfloat16, t.int8_to_float,
                                [](std::int8_t c, float s) { return static_cast<float>(c) * s; });
                        }
                    }
                }
            }
        });
    }
}

// Few rows and many take different ways, and an answer must not depend on which.
BOOST_AUTO_TEST_CASE(fused_products_give_the_bits_of_unpacked_panels) {
    const unsigned seed = std::random_device{}();
    BOOST_TEST_CONTEXT("seed " << seed) {
        std::mt19937 random(seed);
        std::normal_distribution<float> normal;
        for_each_set([&](const quantised_panel_table& t, const packed_product_table& products) {
            if (t.nf4_product == nullptr) return;
            const std::size_t n = t.panel_columns, k = 640, stride = k + 2, stride_c = n + 3;
            std::vector<std::uint8_t> codes(n * k), panel((k + 3) / 4 * 2 * n + 4096);
            std::vector<std::int8_t> bytes(n * k), byte_panel((k + 1) / 2 * 2 * n + 4096);
            for (auto& code : codes) code = random() % 16;
            for (auto& code : bytes) code = static_cast<std::int8_t>(random());
            t.pack_nf4(n, k, codes.data(), k, panel.data());
            t.pack_int8(n, k, bytes.data(), k, byte_panel.data());
            std::vector<float> scales(k / nf4_block * n), wide(fused_rows * stride);
            for (float& scale : scales) scale = std::abs(normal(random)) + 0.1F;
            for (float& x : wide) x = normal(random);
            std::vector<bfloat16_bits> a(wide.size()), packed(fused_inputs * n + 64);
            narrow(wide.data(), wide.size(), a.data());
            const auto product = products.product_bfloat16;
            const auto check = [&](std::size_t m, std::size_t first, std::size_t count,
                                   const auto& fused, const auto& unpack, const auto* from) {
                for (const auto mode : {product_mode::set, product_mode::add}) {
                    std::vector<float> c(m * stride_c, 0.5F), expected = c;
                    fused({m, n, count}, a.data(), stride, from, first, scales.data(), mode,
                          c.data(), stride_c);
                    unpack(from, first, count, scales.data(), packed.data());
                    product({m, n, count}, a.data(), stride, packed.data(), 0, mode,
                            expected.data(), stride_c);
                    BOOST_TEST(std::memcmp(c.data(), expected.data(), c.size() * sizeof(float)) ==
                               0);
                }
            };
            for (std::size_t m = 1; m <= fused_rows; ++m) {
                for (const auto& [first, count] :
                     {std::pair<std::size_t, std::size_t>{0, 64}, {0, 512}, {512, 128}}) {
                    check(m, first, count, t.nf4_product, t.nf4_to_bfloat16, panel.data());
                    check(m, first, count, t.int8_product, t.int8_to_bfloat16, byte_panel.data());
                }
                check(m, 64, 18, t.int8_product, t.int8_to_bfloat16, byte_panel.data());
            }
        });
    }
}

BOOST_AUTO_TEST_SUITE_END()

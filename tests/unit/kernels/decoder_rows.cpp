#include "cuset/kernels/decoder_rows.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "instruction_sets.h"

using namespace cuset::kernels;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr std::size_t widths[] = {1, 2, 6, 15, 16, 17, 31, 64, 100, 577};

std::vector<float> random_row(std::size_t width, unsigned seed, float spread = 2.0F) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal(0.0F, spread);
    std::vector<float> row(width);
    for (float& x : row) x = normal(generator);
    return row;
}

float value_of(bfloat16_bits bits) {
    const std::uint32_t wide = std::uint32_t{static_cast<std::uint16_t>(bits)} << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
}

/// The plain reference: a half by its definition.
double value_of_half(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const double fraction = (bits & 1023) / 1024.0;
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31) return fraction == 0 ? sign * double{inf} : std::nan("");
    return exponent == 0 ? sign * std::ldexp(fraction, -14)
                         : sign * std::ldexp(1 + fraction, exponent - 15);
}

/// `actual` is within `tolerance` (relative, and absolute below 1) of `expected`.
bool near(double actual, double expected, double tolerance) {
    return std::abs(actual - expected) <= tolerance * std::max(1.0, std::abs(expected));
}

/// Calls check(table) for every version this processor can run.
template <class Check>
void for_each_set(Check check) {
    for (const auto set : available_sets()) {
        BOOST_TEST_CONTEXT(name_of(set)) { check(decoder_rows(set)); }
    }
}

constexpr double float_tolerance = 2e-6;
constexpr double bfloat16_tolerance = 1.0 / 256 + 1e-6;

}  // namespace

BOOST_AUTO_TEST_CASE(widening_is_exact_for_every_bit_pattern) {
    std::vector<std::uint16_t> bits(65536 + 3);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
    std::vector<float> wide(bits.size());
    for_each_set([&](const decoder_row_table& table) {
        table.widen_float16(reinterpret_cast<const float16_bits*>(bits.data()), bits.size(),
                            wide.data());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < bits.size(); ++i) {
            const double expected = value_of_half(bits[i]);
            wrong += std::isnan(expected) ? !std::isnan(wide[i]) : double{wide[i]} != expected;
        }
        BOOST_TEST(wrong == 0U);
        table.widen_bfloat16(reinterpret_cast<const bfloat16_bits*>(bits.data()), bits.size(),
                             wide.data());
        for (std::size_t i = 0; i < bits.size(); ++i) {
            const float expected = value_of(bfloat16_bits{bits[i]});
            wrong += std::memcmp(&expected, &wide[i], sizeof expected) != 0;
        }
        BOOST_TEST(wrong == 0U);
    });
}

BOOST_AUTO_TEST_CASE(narrowing_rounds_to_nearest_even) {
    // 1 + k/256 lies between bfloat16 neighbours 1/128 apart for odd k: ties go to the even one.
    const std::vector<float> values{
        1.0F,    1.00390625F, 1.01171875F, 1.004F, -1.00390625F,          inf,     -inf,
        3.4e38F, 1e-40F,      0.0F,        -0.0F,  std::nanf("0x3fffff"), 1.0F / 3};
    const std::vector<float> expected{1.0F,  1.0F,          1.015625F,   1.0078125F, -1.0F,
                                      inf,   -inf,          inf,         0x1p-133F,  0.0F,
                                      -0.0F, std::nanf(""), 0.333984375F};
    for_each_set([&](const decoder_row_table& table) {
        std::vector<bfloat16_bits> out(values.size());
        table.narrow(values.data(), values.size(), out.data());
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (std::isnan(expected[i])) {
                BOOST_TEST(std::isnan(value_of(out[i])));
            } else {
                BOOST_TEST(value_of(out[i]) == expected[i]);
            }
        }
    });
}

BOOST_AUTO_TEST_CASE(rms_norm_matches_the_reference) {
    for_each_set([](const decoder_row_table& table) {
        for (const std::size_t width : widths) {
            constexpr std::size_t rows = 3;
            const auto x = random_row(rows * width, 1), weight = random_row(width, 2);
            std::vector<float> y(rows * width);
            std::vector<bfloat16_bits> narrow_y(rows * width);
            table.rms_norm(x.data(), weight.data(), 1e-5F, rows, width, y.data());
            table.rms_norm_bfloat16(x.data(), weight.data(), 1e-5F, rows, width, narrow_y.data());
            for (std::size_t row = 0; row < rows; ++row) {
                double squares = 0;
                for (std::size_t i = 0; i < width; ++i) {
                    squares += double{x[row * width + i]} * double{x[row * width + i]};
                }
                const double scale = 1 / std::sqrt(squares / static_cast<double>(width) + 1e-5);
                for (std::size_t i = 0; i < width; ++i) {
                    const std::size_t at = row * width + i;
                    const double expected = double{x[at]} * scale * double{weight[i]};
                    BOOST_REQUIRE(near(y[at], expected, float_tolerance));
                    BOOST_REQUIRE(near(value_of(narrow_y[at]), expected, bfloat16_tolerance));
                }
            }
        }
    });
}

BOOST_AUTO_TEST_CASE(rotate_matches_the_reference_in_place_too) {
    for_each_set([](const decoder_row_table& table) {
        for (const std::size_t width : {2U, 6U, 32U, 34U, 64U, 128U}) {
            const std::size_t half = width / 2;
            const auto x = random_row(width, 3), angle = random_row(half, 4);
            std::vector<float> cosine(half), sine(half), y(width), in_place(x);
            for (std::size_t i = 0; i < half; ++i) {
                cosine[i] = std::cos(angle[i]);
                sine[i] = std::sin(angle[i]);
            }
            std::vector<bfloat16_bits> narrow_y(width);
            table.rotate(x.data(), cosine.data(), sine.data(), width, y.data());
            table.rotate(in_place.data(), cosine.data(), sine.data(), width, in_place.data());
            table.rotate_bfloat16(x.data(), cosine.data(), sine.data(), width, narrow_y.data());
            for (std::size_t i = 0; i < half; ++i) {
                const double c = cosine[i], s = sine[i], low = x[i], high = x[i + half];
                for (const auto& [at, expected] :
                     {std::pair{i, low * c - high * s}, std::pair{i + half, high * c + low * s}}) {
                    BOOST_REQUIRE(near(y[at], expected, float_tolerance));
                    BOOST_REQUIRE(near(value_of(narrow_y[at]), expected, bfloat16_tolerance));
                }
            }
            BOOST_TEST(y == in_place, boost::test_tools::per_element());
        }
    });
}

BOOST_AUTO_TEST_CASE(swiglu_matches_the_reference) {
    for_each_set([](const decoder_row_table& table) {
        for (const std::size_t width : widths) {
            auto gate = random_row(width, 5, 8.0F);
            const auto up = random_row(width, 6);
            gate[0] = -200.0F;
            gate[width / 2] = 200.0F;
            std::vector<float> y(width);
            std::vector<bfloat16_bits> narrow_y(width);
            table.swiglu(gate.data(), up.data(), width, y.data());
            table.swiglu_bfloat16(gate.data(), up.data(), width, narrow_y.data());
            for (std::size_t i = 0; i < width; ++i) {
                const double g = gate[i], expected = g / (1 + std::exp(-g)) * double{up[i]};
                BOOST_REQUIRE(near(y[i], expected, float_tolerance));
                BOOST_REQUIRE(near(value_of(narrow_y[i]), expected, bfloat16_tolerance));
            }
        }
    });
}

BOOST_AUTO_TEST_CASE(softmax_matches_the_reference_and_clears_the_rest) {
    for_each_set([](const decoder_row_table& table) {
        for (const std::size_t width : widths) {
            for (const std::size_t valid : {std::size_t{1}, width / 2 + 1, width}) {
                auto x = random_row(width, 7, 10.0F);
                x[valid / 2] = 300.0F;
                x[valid - 1] = 299.0F;
                auto scratch = x;
                std::vector<float> y(width, -1.0F);
                std::vector<bfloat16_bits> narrow_y(width);
                const float log_sum = table.softmax(scratch.data(), 0.125F, valid, width, y.data());
                scratch = x;
                table.softmax_bfloat16(scratch.data(), 0.125F, valid, width, narrow_y.data());
                scratch = x;
                table.softmax(scratch.data(), 0.125F, valid, width, scratch.data());
                BOOST_TEST(scratch == y, boost::test_tools::per_element());
                double sum = 0;
                for (std::size_t i = 0; i < valid; ++i) {
                    sum += std::exp(0.125 * (double{x[i]} - 300.0));
                }
                BOOST_TEST(near(log_sum, 0.125 * 300.0 + std::log(sum), 4e-6));
                for (std::size_t i = 0; i < width; ++i) {
                    const double expected =
                        i < valid ? std::exp(0.125 * (double{x[i]} - 300.0)) / sum : 0.0;
                    BOOST_REQUIRE(near(y[i], expected, float_tolerance));
                    BOOST_REQUIRE(near(value_of(narrow_y[i]), expected, bfloat16_tolerance));
                }
            }
        }
    });
}

BOOST_AUTO_TEST_CASE(add_accumulates) {
    for_each_set([](const decoder_row_table& table) {
        for (const std::size_t width : widths) {
            const auto x = random_row(width, 8);
            auto y = random_row(width, 9);
            const auto before = y;
            table.add(x.data(), width, y.data());
            for (std::size_t i = 0; i < width; ++i) BOOST_REQUIRE(y[i] == before[i] + x[i]);
        }
    });
}

BOOST_AUTO_TEST_CASE(dropout_keeps_the_same_elements_whatever_the_cut) {
    const auto x = random_row(1000, 3);
    constexpr std::uint64_t key = 0x9e3779b97f4a7c15;
    constexpr std::uint32_t threshold = 0x40000000;  // a rate of 1/4
    std::vector<float> first;
    for_each_set([&](const decoder_row_table& table) {
        std::vector<float> whole(x.size()), parts(x.size());
        table.dropout(x.data(), key, 7, x.size(), threshold, 4.0F / 3, whole.data());
        for (std::size_t begin = 0, step = 1; begin < x.size(); begin += step++) {
            const std::size_t count = std::min(step, x.size() - begin);
            table.dropout(x.data() + begin, key, static_cast<std::uint32_t>(7 + begin), count,
                          threshold, 4.0F / 3, parts.data() + begin);
        }
        BOOST_TEST(whole == parts);
        for (std::size_t i = 0; i < x.size(); ++i)
            BOOST_TEST((whole[i] == 0 || whole[i] == x[i] * (4.0F / 3)));
        if (first.empty()) first = whole;
        BOOST_TEST(whole == first);  // every version makes one mask
    });
}

BOOST_AUTO_TEST_CASE(dropout_masks_have_their_rate_and_are_unlike_one_another) {
    constexpr std::size_t count = 200000;
    const std::vector<float> ones(count, 1.0F);
    std::vector<std::vector<float>> masks;
    for (const std::uint64_t key : {0ULL, 1ULL, 1ULL << 32, 0xdeadbeefcafef00dULL}) {
        std::vector<float> y(count);
        dropout(ones.data(), key, 0, count, 0x0ccccccd, 1.0F, y.data());  // 0.05
        double sum = 0, neighbours = 0;
        for (std::size_t i = 0; i < count; ++i) {
            sum += y[i];
            if (i > 0) neighbours += (1 - y[i]) * (1 - y[i - 1]);
        }
        // Six standard deviations of a binomial count.
        BOOST_TEST(std::abs(sum - 0.95 * count) < 6 * std::sqrt(0.05 * 0.95 * count));
        BOOST_TEST(std::abs(neighbours - 0.0025 * count) < 6 * std::sqrt(0.0025 * count));
        masks.push_back(std::move(y));
    }
    for (std::size_t a = 0; a < masks.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            double both = 0;
            for (std::size_t i = 0; i < count; ++i) both += (1 - masks[a][i]) * (1 - masks[b][i]);
            BOOST_TEST(std::abs(both - 0.0025 * count) < 6 * std::sqrt(0.0025 * count));
        }
    }
}

BOOST_AUTO_TEST_CASE(the_gradient_of_a_norm_is_the_formula_in_double) {
    for (const std::size_t width : widths) {
        constexpr std::size_t rows = 3;
        const auto x = random_row(rows * width, 31), weight = random_row(width, 32);
        const auto dy = random_row(rows * width, 33);
        constexpr double epsilon = 1e-5;
        for_each_set([&](const decoder_row_table& table) {
            std::vector<float> dx(rows * width);
            table.rms_norm_gradient(x.data(), weight.data(), static_cast<float>(epsilon), dy.data(),
                                    rows, width, dx.data());
            for (std::size_t row = 0; row < rows; ++row) {
                const auto at = [&](const std::vector<float>& v, std::size_t i) {
                    return double{v[row * width + i]};
                };
                double squares = 0, products = 0;
                for (std::size_t i = 0; i < width; ++i) {
                    squares += at(x, i) * at(x, i);
                    products += double{weight[i]} * at(dy, i) * at(x, i);
                }
                const auto n = static_cast<double>(width);
                const double s = 1 / std::sqrt(squares / n + epsilon);
                for (std::size_t i = 0; i < width; ++i) {
                    const double expected =
                        s * double{weight[i]} * at(dy, i) - at(x, i) * s * s * s / n * products;
                    // The two terms nearly cancel in narrow rows, so the error is relative to the
                    // larger one.
                    const double scale = s * std::abs(double{weight[i]} * at(dy, i));
                    BOOST_TEST(std::abs(at(dx, i) - expected) <= 4e-6 * std::max(1.0, scale));
                }
            }
        });
    }
}

BOOST_AUTO_TEST_CASE(the_gradient_of_a_gate_is_the_formula_in_double) {
    for (const std::size_t width : widths) {
        auto gate = random_row(width, 41, 6.0F);
        const auto up = random_row(width, 42), dy = random_row(width, 43);
        gate[0] = width > 20 ? -200.0F : gate[0];
        if (width > 20) gate[1] = 200.0F;
        for_each_set([&](const decoder_row_table& table) {
            std::vector<float> d_gate(width), d_up(width);
            table.swiglu_gradient(gate.data(), up.data(), dy.data(), width, d_gate.data(),
                                  d_up.data());
            for (std::size_t i = 0; i < width; ++i) {
                const double g = gate[i], sigmoid = 1 / (1 + std::exp(-g));
                BOOST_TEST(near(d_up[i], double{dy[i]} * g * sigmoid, 4e-6));
                BOOST_TEST(near(d_gate[i],
                                double{dy[i]} * double{up[i]} * sigmoid * (1 + g * (1 - sigmoid)),
                                4e-6));
            }
        });
    }
}

BOOST_AUTO_TEST_CASE(the_gradient_of_attention_is_the_formula_in_double) {
    for (const std::size_t width : widths) {
        const auto s = random_row(width, 61, 3.0F), dp = random_row(width, 62);
        const auto log_sum = random_row(width, 63, 2.0F), mean = random_row(width, 64);
        for_each_set([&](const decoder_row_table& table) {
            for (const std::size_t hidden : {std::size_t{0}, width / 2, width}) {
                std::vector<float> p(width, -1.0F), ds(width, -1.0F);
                std::vector<bfloat16_bits> narrow_p(width), narrow_ds(width);
                table.attention_gradient(s.data(), dp.data(), log_sum.data(), mean.data(), 0.125F,
                                         hidden, width, p.data(), ds.data());
                table.attention_gradient_bfloat16(s.data(), dp.data(), log_sum.data(), mean.data(),
                                                  0.125F, hidden, width, narrow_p.data(),
                                                  narrow_ds.data());
                for (std::size_t i = 0; i < width; ++i) {
                    const double weight =
                        i < hidden ? 0 : std::exp(0.125 * double{s[i]} - double{log_sum[i]});
                    const double gradient = 0.125 * weight * (double{dp[i]} - double{mean[i]});
                    BOOST_REQUIRE(near(p[i], weight, float_tolerance));
                    BOOST_REQUIRE(std::abs(double{ds[i]} - gradient) <=
                                  4e-6 * std::max(1.0, std::abs(gradient)));
                    BOOST_REQUIRE(near(value_of(narrow_p[i]), weight, bfloat16_tolerance));
                    BOOST_REQUIRE(std::abs(value_of(narrow_ds[i]) - gradient) <=
                                  2 * bfloat16_tolerance * std::max(1.0, std::abs(gradient)));
                }
            }
        });
    }
}

BOOST_AUTO_TEST_CASE(adding_dropout_adds_what_dropout_writes) {
    for (const std::size_t width : widths) {
        const auto x = random_row(width, 51), start = random_row(width, 52);
        for_each_set([&](const decoder_row_table& table) {
            std::vector<float> dropped(width), sum = start;
            table.dropout(x.data(), 77, 5, width, 1U << 30, 1.25F, dropped.data());
            table.add_dropout(x.data(), 77, 5, width, 1U << 30, 1.25F, sum.data());
            for (std::size_t i = 0; i < width; ++i) BOOST_TEST(sum[i] == start[i] + dropped[i]);
        });
    }
}

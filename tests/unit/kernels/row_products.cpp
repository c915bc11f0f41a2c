#include "cuset/kernels/row_products.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <vector>

#include "instruction_sets.h"
#include "stored_matrices.h"

using namespace cuset::kernels;

namespace {

/// Calls check(table) for every version this processor can run.
template <class Check>
void for_each_set(Check check) {
    for (const auto set : available_sets()) {
        BOOST_TEST_CONTEXT(name_of(set)) { check(row_product_kernels(set)); }
    }
}

constexpr float untouched = 12345.0F;

void check_products(row_product_size size) {
    const auto [m, n, k] = size;
    const std::size_t stride_x = k + 3, stride_w = k + 5, stride_y = n + 2;
    const auto x = random_values(m * stride_x, 1), before = random_values(m * stride_y, 2);
    const auto w = random_values(n * stride_w, 3);
    for_each_set([&](const row_product_table& table) {
        for (const auto mode : {product_mode::set, product_mode::add}) {
            auto y = before;
            for (std::size_t i = 0; i < m; ++i) y[i * stride_y + n] = untouched;
            table.product(size, x.data(), stride_x, w.data(), stride_w, mode, y.data(), stride_y);
            for (std::size_t i = 0; i < m; ++i) {
                for (std::size_t j = 0; j < n; ++j) {
                    double sum = 0, size_of_sum = 1;
                    for (std::size_t c = 0; c < k; ++c) {
                        const double term =
                            double{x[i * stride_x + c]} * double{w[j * stride_w + c]};
                        sum += term;
                        size_of_sum += std::abs(term);
                    }
                    if (mode == product_mode::add) sum += double{before[i * stride_y + j]};
                    BOOST_REQUIRE(std::abs(double{y[i * stride_y + j]} - sum) < 1e-6 * size_of_sum);
                }
                BOOST_REQUIRE(y[i * stride_y + n] == untouched);
            }
        }
    });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_product_does_not_depend_on_what_else_is_asked_for) {
    constexpr std::size_t m = 19, n = 29, k = 1601;
    const auto x = random_values(m * k, 4);
    const auto w = random_values(n * k, 5);
    for_each_set([&](const row_product_table& table) {
        const auto product = table.product;
        std::vector<float> whole(m * n), parts(m * n);
        product({m, n, k}, x.data(), k, w.data(), k, product_mode::set, whole.data(), n);
        for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{1, 1},
                                            {1, n},
                                            {2, 7},
                                            {3, 2},
                                            {5, 4},
                                            {7, 5},
                                            {8, n},
                                            {m, 1}}) {
            for (std::size_t i = 0; i < m; i += rows) {
                for (std::size_t j = 0; j < n; j += columns) {
                    product({std::min(rows, m - i), std::min(columns, n - j), k}, x.data() + i * k,
                            k, w.data() + j * k, k, product_mode::set, parts.data() + i * n + j, n);
                }
            }
            BOOST_TEST(std::memcmp(whole.data(), parts.data(), whole.size() * sizeof(float)) == 0);
        }
    });
}

BOOST_AUTO_TEST_CASE(row_products_match_the_reference) {
    for (const std::size_t m : {1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U, 9U, 17U}) {
        for (const std::size_t n : {1U, 2U, 3U, 4U, 11U}) {
            for (const std::size_t k : {1U, 7U, 16U, 31U, 32U, 33U, 64U, 767U, 768U, 800U, 1601U}) {
                BOOST_TEST_CONTEXT(m << " x " << n << " x " << k) { check_products({m, n, k}); }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(row_products_hand_on_what_is_not_finite) {
    constexpr std::size_t k = 40, n = 4;
    for_each_set([&](const row_product_table& table) {
        auto x = random_values(2 * k, 6);
        const auto w = random_values(n * k, 7);
        x[k + 35] = std::numeric_limits<float>::quiet_NaN();
        std::vector<float> y(2 * n);
        table.product({2, n, k}, x.data(), k, w.data(), k, product_mode::set, y.data(), n);
        for (std::size_t j = 0; j < n; ++j) {
            BOOST_TEST(std::isfinite(y[j]));
            BOOST_TEST(std::isnan(y[n + j]));
        }
    });
}

BOOST_AUTO_TEST_CASE(weighted_rows_match_the_reference_however_cut) {
    for (const std::size_t m : {1U, 2U, 3U, 4U, 5U, 7U, 9U}) {
        for (const std::size_t n : {1U, 2U, 37U, 130U}) {
            for (const std::size_t k : {1U, 6U, 15U, 16U, 34U, 64U, 80U, 129U}) {
                const std::size_t stride_p = n + 1, stride_v = k + 3, stride_y = k + 2;
                const auto p = random_values(m * stride_p, 8), v = random_values(n * stride_v, 9);
                const auto before = random_values(m * stride_y, 10);
                for_each_set([&](const row_product_table& table) {
                    for (const auto mode : {product_mode::set, product_mode::add}) {
                        auto y = before;
                        for (std::size_t i = 0; i < m; ++i) y[i * stride_y + k] = untouched;
                        auto parts = y, rows = y;
                        table.weighted({m, n, k}, p.data(), stride_p, v.data(), stride_v, mode,
                                       y.data(), stride_y);
                        for (std::size_t i = 0; i < m; ++i) {
                            for (std::size_t c = 0; c < k; ++c) {
                                double sum = mode == product_mode::add
                                                 ? double{before[i * stride_y + c]}
                                                 : 0.0;
                                for (std::size_t j = 0; j < n; ++j) {
                                    sum +=
                                        double{p[i * stride_p + j]} * double{v[j * stride_v + c]};
                                }
                                BOOST_REQUIRE(std::abs(double{y[i * stride_y + c]} - sum) < 3e-5);
                            }
                            BOOST_REQUIRE(y[i * stride_y + k] == untouched);
                        }
                        const std::size_t half = n / 2;
                        if (half > 0) {
                            table.weighted({m, half, k}, p.data(), stride_p, v.data(), stride_v,
                                           mode, parts.data(), stride_y);
                            table.weighted({m, n - half, k}, p.data() + half, stride_p,
                                           v.data() + half * stride_v, stride_v, product_mode::add,
                                           parts.data(), stride_y);
                            BOOST_REQUIRE(y == parts);
                        }
                        for (std::size_t i = 0; i < m; ++i) {
                            table.weighted({1, n, k}, p.data() + i * stride_p, stride_p, v.data(),
                                           stride_v, mode, rows.data() + i * stride_y, stride_y);
                        }
                        BOOST_REQUIRE(y == rows);
                    }
                });
            }
        }
    }
}

#include "cuset/kernels/packed_products.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "instruction_sets.h"
#include "stored_matrices.h"

using namespace cuset::kernels;

namespace {

/// What one version does for A and B of these types, B stored as `Stored`.
template <class Element, class Packed, class Stored>
struct version {
    void (*pack)(matrix_rows, std::size_t, std::size_t, const Stored*, std::size_t, Packed*);
    void (*product)(row_product_size, const Element*, std::size_t, const Packed*, std::size_t,
                    product_mode, float*, std::size_t);
    std::size_t columns;

    std::size_t panel(std::size_t k) const { return (k + 1) / 2 * 2 * columns; }

    std::vector<Packed> packed(matrix_rows rows, std::size_t n, std::size_t k, const Stored* b,
                               std::size_t stride) const {
        const std::size_t panels = (n + columns - 1) / columns;
        std::vector<Packed> to(panels * panel(k));
        pack(rows, n, k, b, stride, to.data());
        return to;
    }
};

version<float, float, float> version_of(const packed_product_table& t, float, float, float) {
    return {t.pack_float, t.product, t.panel_columns};
}
version<float, float, bfloat16_bits> version_of(const packed_product_table& t, float, float,
                                                bfloat16_bits) {
    return {t.pack_widened, t.product, t.panel_columns};
}
version<float, float, float16_bits> version_of(const packed_product_table& t, float, float,
                                               float16_bits) {
    return {t.pack_float16, t.product, t.panel_columns};
}
version<float, bfloat16_bits, bfloat16_bits> version_of(const packed_product_table& t, float,
                                                        bfloat16_bits, bfloat16_bits) {
    return {t.pack_bfloat16, t.product_widened, t.panel_columns};
}
version<float, float16_bits, float16_bits> version_of(const packed_product_table& t, float,
                                                      float16_bits, float16_bits) {
    return {t.pack_halves, t.product_halves, t.panel_columns};
}
version<bfloat16_bits, bfloat16_bits, bfloat16_bits> version_of(const packed_product_table& t,
                                                                bfloat16_bits, bfloat16_bits,
                                                                bfloat16_bits) {
    return {t.pack_bfloat16, t.product_bfloat16, t.panel_columns};
}
version<bfloat16_bits, bfloat16_bits, float> version_of(const packed_product_table& t,
                                                        bfloat16_bits, bfloat16_bits, float) {
    return {t.pack_narrowed, t.product_bfloat16, t.panel_columns};
}

/// Calls check(version, table) for every version with such products that this processor can run.
template <class Element, class Packed, class Stored, class Check>
void for_each_version(Check check) {
    for (const auto set : available_sets()) {
        const auto& table = packed_product_kernels(set);
        const auto v = version_of(table, Element{}, Packed{}, Stored{});
        if (v.product == nullptr) continue;
        BOOST_TEST_CONTEXT(name_of(set)) { check(v, table); }
    }
}

constexpr float untouched = 12345.0F;

/// B as outputs and as inputs, and the values that products use.
template <class Packed, class Stored>
struct both_forms {
    both_forms(std::size_t n, std::size_t k)
        : stride_outputs(k + 5),
          stride_inputs(n + 3),
          outputs(stored(random_values(n * stride_outputs, 3), Stored{})) {
        inputs.resize(k * stride_inputs);
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t c = 0; c < k; ++c)
                inputs[c * stride_inputs + j] = outputs.bits[j * stride_outputs + c];
        }
        values = outputs.values;
        if (sizeof(Packed) < sizeof(Stored)) values = stored(values, bfloat16_bits{}).values;
    }
    std::size_t stride_outputs, stride_inputs;
    stored_matrix<Stored> outputs;
    std::vector<Stored> inputs;
    std::vector<float> values;
};

template <class Element, class Packed, class Stored>
void check_products(row_product_size size, std::size_t stride_a) {
    const auto [m, n, k] = size;
    const std::size_t stride_c = n + 2;
    const auto a = stored(random_values(m * stride_a, 1), Element{});
    const auto before = random_values(m * stride_c, 2);
    const both_forms<Packed, Stored> b(n, k);
    for_each_version<Element, Packed, Stored>([&](const auto& v, const auto&) {
        const auto packed =
            v.packed(matrix_rows::outputs, n, k, b.outputs.bits.data(), b.stride_outputs);
        const auto again = v.packed(matrix_rows::inputs, n, k, b.inputs.data(), b.stride_inputs);
        BOOST_REQUIRE(packed == again);
        for (const auto mode : {product_mode::set, product_mode::add}) {
            auto c = before;
            for (std::size_t i = 0; i < m; ++i) c[i * stride_c + n] = untouched;
            v.product(size, a.bits.data(), stride_a, packed.data(), v.panel(k), mode, c.data(),
                      stride_c);
            for (std::size_t i = 0; i < m; ++i) {
                for (std::size_t j = 0; j < n; ++j) {
                    double sum = 0, size_of_sum = 1;
                    for (std::size_t p = 0; p < k; ++p) {
                        const double term = double{a.values[i * stride_a + p]} *
                                            double{b.values[j * b.stride_outputs + p]};
                        sum += term;
                        size_of_sum += std::abs(term);
                    }
                    if (mode == product_mode::add) sum += double{before[i * stride_c + j]};
                    // Sums of a thousand terms round a thousand times, mostly in both directions.
                    BOOST_REQUIRE(std::abs(double{c[i * stride_c + j]} - sum) < 2e-6 * size_of_sum);
                }
                BOOST_REQUIRE(c[i * stride_c + n] == untouched);
            }
        }
    });
}

template <class Element, class Packed, class Stored>
void check_all_products() {
    for (const std::size_t m : {1U, 5U, 6U, 12U, 13U, 49U, 100U}) {
        for (const std::size_t n : {1U, 8U, 16U, 31U, 32U, 45U}) {
            for (const std::size_t k : {1U, 2U, 33U, 64U, 513U, 1025U}) {
                BOOST_TEST_CONTEXT(m << " x " << n << " x " << k) {
                    check_products<Element, Packed, Stored>({m, n, k}, k + 3);
                }
            }
        }
    }
    // Rows of A that are 2 KB apart, and enough panels for them to be copied.
    check_products<Element, Packed, Stored>({30, 170, 600}, 1024);
}

template <class Element, class Packed>
void check_independence() {
    constexpr std::size_t m = 103, n = 70, k = 1601;
    const auto a = stored(random_values(m * k, 4), Element{});
    const both_forms<Packed, Packed> b(n, k);
    for_each_version<Element, Packed, Packed>([&](const auto& v, const auto&) {
        const auto packed =
            v.packed(matrix_rows::outputs, n, k, b.outputs.bits.data(), b.stride_outputs);
        const std::size_t panel = v.panel(k);
        std::vector<float> whole(m * n), parts(m * n);
        v.product({m, n, k}, a.bits.data(), k, packed.data(), panel, product_mode::set,
                  whole.data(), n);
        for (const std::size_t rows : {1U, 2U, 7U, 12U, 50U, 103U}) {
            for (const std::size_t panels : {1U, 2U}) {
                const std::size_t columns = panels * v.columns;
                for (std::size_t i = 0; i < m; i += rows) {
                    for (std::size_t j = 0; j < n; j += columns) {
                        v.product({std::min(rows, m - i), std::min(columns, n - j), k},
                                  a.bits.data() + i * k, k, packed.data() + j / v.columns * panel,
                                  panel, product_mode::set, parts.data() + i * n + j, n);
                    }
                }
                BOOST_TEST(std::memcmp(whole.data(), parts.data(), whole.size() * sizeof(float)) ==
                           0);
            }
        }
        // The first inputs alone: what attention asks of a sample's packed values.
        constexpr std::size_t some = 64;
        const auto first =
            v.packed(matrix_rows::outputs, n, some, b.outputs.bits.data(), b.stride_outputs);
        v.product({m, n, some}, a.bits.data(), k, packed.data(), panel, product_mode::set,
                  whole.data(), n);
        v.product({m, n, some}, a.bits.data(), k, first.data(), v.panel(some), product_mode::set,
                  parts.data(), n);
        BOOST_TEST(whole == parts);
    });
}

}  // namespace

BOOST_AUTO_TEST_CASE(packed_products_match_the_reference) {
    check_all_products<float, float, float>();
    check_all_products<float, float, bfloat16_bits>();
    check_all_products<float, float, float16_bits>();
    check_all_products<float, bfloat16_bits, bfloat16_bits>();
    check_all_products<float, float16_bits, float16_bits>();
    check_all_products<bfloat16_bits, bfloat16_bits, bfloat16_bits>();
    check_all_products<bfloat16_bits, bfloat16_bits, float>();
}

BOOST_AUTO_TEST_CASE(a_packed_product_does_not_depend_on_what_else_is_asked_for) {
    check_independence<float, float>();
    check_independence<float, bfloat16_bits>();
    check_independence<float, float16_bits>();
    check_independence<bfloat16_bits, bfloat16_bits>();
}

/// The rows of decoding, and more; widths that are no multiple of anything.
template <class Stored>
void check_widened() {
    for (std::size_t m = 1; m <= 40; ++m) {
        const std::size_t n = 1 + m * 7 % 75, k = 1 + m * 41 % 600, stride_c = n + 1;
        const auto a = random_values(m * k, 7);
        const both_forms<Stored, Stored> b(n, k);
        for_each_version<float, Stored, Stored>([&](const auto& v, const auto& table) {
            const auto wide = version_of(table, float{}, float{}, Stored{});
            const auto* stored = b.outputs.bits.data();
            const auto packed = v.packed(matrix_rows::outputs, n, k, stored, b.stride_outputs);
            const auto floats = wide.packed(matrix_rows::outputs, n, k, stored, b.stride_outputs);
            std::vector<float> c(m * stride_c), expected(c);
            v.product({m, n, k}, a.data(), k, packed.data(), v.panel(k), product_mode::set,
                      c.data(), stride_c);
            wide.product({m, n, k}, a.data(), k, floats.data(), wide.panel(k), product_mode::set,
                         expected.data(), stride_c);
            BOOST_TEST_CONTEXT(m << " x " << n << " x " << k) {
                BOOST_TEST(std::memcmp(c.data(), expected.data(), c.size() * sizeof(float)) == 0);
            }
        });
    }
}

BOOST_AUTO_TEST_CASE(a_product_with_a_widened_matrix_is_the_float_one) {
    check_widened<bfloat16_bits>();
    check_widened<float16_bits>();
}

BOOST_AUTO_TEST_CASE(an_output_comes_out_of_a_packed_matrix) {
    constexpr std::size_t n = 77, k = 1029;
    const auto check = [&]<class Stored>(Stored) {
        const auto b = stored(random_values(n * k, 8), Stored{});
        std::vector<Stored> packed(packed_elements(n, k));
        pack(matrix_rows::outputs, n, k, b.bits.data(), k, packed.data());
        std::vector<float> row(k);
        for (std::size_t j = 0; j < n; ++j) {
            unpack_output(j, k, packed.data(), row.data());
            BOOST_TEST(std::equal(row.begin(), row.end(), b.values.data() + j * k));
        }
    };
    check(float{});
    check(bfloat16_bits{});
    check(float16_bits{});
}

BOOST_AUTO_TEST_CASE(packed_products_hand_on_what_is_not_finite) {
    constexpr std::size_t m = 14, n = 40, k = 65;
    auto values = random_values(m * k, 6);
    values[3 * k + 64] = std::numeric_limits<float>::quiet_NaN();
    values[7 * k] = std::numeric_limits<float>::infinity();
    const both_forms<bfloat16_bits, bfloat16_bits> b(n, k);
    const auto check = [&](const auto& v, const auto& a, const auto* matrix) {
        const auto packed = v.packed(matrix_rows::outputs, n, k, matrix, b.stride_outputs);
        std::vector<float> c(m * n);
        v.product({m, n, k}, a.data(), k, packed.data(), v.panel(k), product_mode::set, c.data(),
                  n);
        for (std::size_t i = 0; i < m * n; ++i) {
            BOOST_TEST(std::isfinite(c[i]) == (i / n != 3 && i / n != 7));
        }
    };
    for_each_version<float, float, bfloat16_bits>(
        [&](const auto& v, const auto&) { check(v, values, b.outputs.bits.data()); });
    for_each_version<float, bfloat16_bits, bfloat16_bits>(
        [&](const auto& v, const auto&) { check(v, values, b.outputs.bits.data()); });
    std::vector<bfloat16_bits> narrow_values(values.size());
    narrow(values.data(), values.size(), narrow_values.data());
    for_each_version<bfloat16_bits, bfloat16_bits, bfloat16_bits>(
        [&](const auto& v, const auto&) { check(v, narrow_values, b.outputs.bits.data()); });
}

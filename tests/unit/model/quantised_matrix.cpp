// Matrices of 4 and 8 bits: every form that a product takes holds what plain formulas say, and a
// quantised model computes what a model of the dequantised weights does.
#include "quantised_matrix.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "cuset/model/cached_decoder.h"
#include "dequantised_model.h"
#include "products.h"
#include "random_model.h"
#include "weights.h"

namespace cuset {

namespace {

using kernels::bfloat16_bits;

constexpr std::int64_t block = kernels::nf4_block;

std::vector<float> random_elements(std::size_t count, std::mt19937& random) {
    std::normal_distribution<float> normal;
    std::vector<float> x(count);
    for (float& value : x) value = normal(random) * std::exp(normal(random));
    return x;
}

quantised_matrix made(quantisation kind, const std::vector<float>& x, std::int64_t rows,
                      std::int64_t columns, bool bfloat16, int threads, large_pages& memory) {
    task_pool pool(threads);
    auto matrix = quantised_matrix::make(kind, {x.data(), element_type::f32, rows, columns},
                                         bfloat16, pool, memory);
    BOOST_REQUIRE_MESSAGE(matrix.is_ok(), matrix.error().message());
    return *std::move(matrix);
}

/// Compares read() and pack() of some outputs and inputs with `expected` [rows × columns].
template <class Element>
void check_part(const quantised_matrix& matrix, const std::vector<float>& expected,
                std::int64_t first, std::int64_t count, std::int64_t column, std::int64_t columns) {
    const auto stride = static_cast<std::size_t>(columns) + 5;
    std::vector<Element> rows(static_cast<std::size_t>(count) * stride), packed;
    matrix.read(first, count, column, columns, rows.data(), static_cast<std::int64_t>(stride));
    packed.resize(static_cast<std::size_t>(packed_elements(count, columns)) + 64);
    matrix.pack(first, count, column, columns, packed.data());
    std::vector<float> row(static_cast<std::size_t>(columns)), output = row;
    std::size_t wrong = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const Element* from = &rows[static_cast<std::size_t>(i) * stride];
        if constexpr (std::is_same_v<Element, float>)
            std::copy_n(from, columns, row.data());
        else
            kernels::widen(from, row.size(), row.data());
        kernels::unpack_output(static_cast<std::size_t>(i), row.size(), packed.data(),
                               output.data());
        for (std::int64_t c = 0; c < columns; ++c) {
            const float value =
                expected[static_cast<std::size_t>((first + i) * matrix.columns() + column + c)];
            wrong += row[static_cast<std::size_t>(c)] != value;
            wrong += output[static_cast<std::size_t>(c)] != value;
        }
    }
    BOOST_TEST(wrong == 0, wrong << " of " << count << " x " << columns << " from " << first << ", "
                                 << column << " differ");
}

void check_matrix(quantisation kind, std::int64_t rows, std::int64_t columns, bool bfloat16,
                  std::mt19937& random) {
    const auto x = random_elements(static_cast<std::size_t>(rows * columns), random);
    auto expected = dequantised(kind, x, columns);
    if (bfloat16)
        for (float& value : expected) value = rounded(value);
    large_pages memory;
    const auto matrix = made(kind, x, rows, columns, bfloat16, 3, memory);
    const auto parts = [&](auto element) {
        using Element = decltype(element);
        check_part<Element>(matrix, expected, 0, rows, 0, columns);
        if (rows > operand_outputs)
            check_part<Element>(matrix, expected, operand_outputs, rows - operand_outputs, 0,
                                columns);
        if (columns > block) check_part<Element>(matrix, expected, 0, rows, block, columns - block);
        if (columns > 2 * block) check_part<Element>(matrix, expected, 0, rows, block, block);
    };
    parts(float{});
    if (bfloat16) parts(bfloat16_bits{});
}

std::vector<float> scores(const std::filesystem::path& folder, model_options options,
                          const std::vector<std::int32_t>& tokens) {
    options.device = "cpu";
    auto model = causal_lm::load(folder, options);
    BOOST_REQUIRE_MESSAGE(model.is_ok(), model.error().message());
    const scoring_request request{tokens, 1};
    std::vector<scoring_reply> replies;
    BOOST_REQUIRE(model->log_probabilities({&request, 1}, replies).is_ok());
    BOOST_REQUIRE_MESSAGE(replies.front().error.is_ok(), replies.front().error.message());
    return replies.front().log_probability;
}

/// Logits after the last of the tokens, which come in pieces of `piece`.
std::vector<float> decoded(const std::filesystem::path& folder, model_options options,
                           const std::vector<std::int32_t>& tokens, std::size_t piece) {
    options.device = "cpu";
    auto decoder = cached_decoder::load(folder, options, 1, tokens.size());
    BOOST_REQUIRE_MESSAGE(decoder.is_ok(), decoder.error().message());
    std::vector<float> logits(random_model::vocab);
    for (std::size_t at = 0; at < tokens.size(); at += piece) {
        const decoder_input input{
            0, std::span(tokens).subspan(at, std::min(piece, tokens.size() - at))};
        BOOST_REQUIRE(decoder->append({&input, 1}, logits).is_ok());
    }
    return logits;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(quantised_matrices)

BOOST_AUTO_TEST_CASE(all_forms_hold_the_dequantised_values) {
    const unsigned seed = std::random_device{}();
    BOOST_TEST_CONTEXT("seed " << seed) {
        std::mt19937 random(seed);
        for (const auto kind : {quantisation::nf4, quantisation::int8}) {
            for (const bool bfloat16 : {false, true}) {
                // Whole blocks in rows, blocks that cross rows, an odd number of elements, rows
                // that are no whole panels, and more blocks than a group.
                for (const auto& [rows, columns] : {std::pair{64, 64},
                                                    {33, 128},
                                                    {1, 64},
                                                    {70, 192},
                                                    {90, 640},
                                                    {7, 9},
                                                    {1, 1},
                                                    {65, 36},
                                                    {130, 100},
                                                    {3, 63}})
                    BOOST_TEST_CONTEXT(name_of(kind) << ' ' << rows << " x " << columns)
                check_matrix(kind, rows, columns, bfloat16, random);
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(products_do_not_depend_on_the_number_of_rows) {
    const unsigned seed = std::random_device{}();
    BOOST_TEST_CONTEXT("seed " << seed) {
        std::mt19937 random(seed);
        for (const auto kind : {quantisation::nf4, quantisation::int8}) {
            for (const auto& [outputs, columns] :
                 {std::pair{96, 1152}, {50, 640}, {64, 64}, {40, 101}, {33, 550}}) {
                BOOST_TEST_CONTEXT(name_of(kind) << ' ' << outputs << " x " << columns) {
                    const auto k = static_cast<std::size_t>(columns);
                    const auto w = random_elements(static_cast<std::size_t>(outputs) * k, random);
                    large_pages memory;
                    const auto matrix = made(kind, w, outputs, columns, true, 2, memory);
                    constexpr std::int64_t rows = 11;
                    std::vector<float> x(rows * k), values(w.size());
                    for (float& value : x) value = rounded(random_elements(1, random)[0]);
                    matrix.read(0, outputs, 0, columns, values.data(), columns);
                    std::vector<bfloat16_bits> narrow(x.size());
                    kernels::narrow(x.data(), x.size(), narrow.data());
                    const auto check = [&](const auto* input) {
                        const auto width = static_cast<std::int64_t>(kernels::panel_columns());
                        std::vector<float> all(static_cast<std::size_t>(rows * outputs)), one = all;
                        for (std::int64_t first = 0; first < outputs; first += width) {
                            const std::int64_t count =
                                std::min<std::int64_t>(width, outputs - first);
                            matrix.multiply(rows, input, first, count, product_mode::set,
                                            all.data() + first, outputs);
                            for (std::int64_t row = 0; row < rows; ++row)
                                matrix.multiply(1, input + row * columns, first, count,
                                                product_mode::set,
                                                one.data() + row * outputs + first, outputs);
                        }
                        BOOST_TEST(same_bits(all, one));
                        for (std::size_t i = 0; i < all.size(); ++i) {
                            const std::size_t row = i / static_cast<std::size_t>(outputs);
                            const std::size_t output = i % static_cast<std::size_t>(outputs);
                            double sum = 0, size = 0;
                            for (std::size_t c = 0; c < k; ++c) {
                                const double term =
                                    double{x[row * k + c]} * double{values[output * k + c]};
                                sum += term;
                                size += std::abs(term);
                            }
                            BOOST_TEST(std::abs(double{all[i]} - sum) <= 1e-5 * size);
                        }
                    };
                    check(x.data());
                    if (kernels::has_bfloat16_products()) check(narrow.data());
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(zeros_stay_zeros) {
    for (const auto kind : {quantisation::nf4, quantisation::int8}) {
        for (const std::int64_t columns : {64, 30}) {
            std::vector<float> x(static_cast<std::size_t>(40 * columns));
            std::mt19937 random(1);
            for (const bool some : {false, true}) {
                // With other rows, absmax of the rows of zeros is not 0 after double quantisation.
                if (some)
                    for (std::size_t i = 0; i < x.size() / 2; ++i)
                        x[i] = random_elements(1, random)[0];
                large_pages memory;
                const auto matrix = made(kind, x, 40, columns, true, 2, memory);
                std::vector<float> row(static_cast<std::size_t>(columns), 1.0F);
                matrix.read(39, 1, 0, columns, row.data(), columns);
                BOOST_TEST(std::all_of(row.begin(), row.end(), [](float v) { return v == 0; }));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(what_is_not_finite_is_refused) {
    for (const auto kind : {quantisation::nf4, quantisation::int8}) {
        for (const float bad :
             {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
              -std::numeric_limits<float>::infinity()}) {
            for (const std::int64_t columns : {64, 30}) {
                std::vector<float> x(static_cast<std::size_t>(20 * columns), 1.0F);
                x[x.size() - 2] = bad;
                task_pool pool(2);
                large_pages memory;
                const auto matrix = quantised_matrix::make(
                    kind, {x.data(), element_type::f32, 20, columns}, false, pool, memory);
                BOOST_REQUIRE(!matrix.is_ok());
                BOOST_TEST(matrix.error().message() ==
                           "an element is not finite, so it cannot be quantised");
            }
        }
    }
}

// One and the same sum whatever the number of rows: an answer must not depend on what it is
// computed with.
BOOST_AUTO_TEST_CASE(a_quantised_model_is_a_model_of_the_dequantised_weights) {
    const auto tokens = random_tokens(40, 5);
    for (const char* type : {"llama", "qwen2"}) {
        for (const auto kind : {quantisation::nf4, quantisation::int8}) {
            for (const auto dtype : {compute_type::f32, compute_type::bf16}) {
                BOOST_TEST_CONTEXT(type << ' ' << name_of(kind)
                                        << (dtype == compute_type::f32 ? " f32" : " bf16")) {
                    const temporary_folder one, other;
                    random_model model(one.path(), type);
                    model.write();
                    model.write_adapter(one.path() / "adapter");
                    random_model plain(other.path(), type);
                    write_dequantised(plain, kind, dtype == compute_type::bf16);
                    model_options quantised, options;
                    quantised.dtype = options.dtype = dtype;
                    quantised.quantise = kind;
                    quantised.threads = 3;
                    options.threads = 1;
                    for (const bool adapted : {false, true}) {
                        if (adapted) quantised.adapter = options.adapter = one.path() / "adapter";
                        for (const auto path : {forward_path::automatic, forward_path::operators,
                                                forward_path::float_products}) {
                            // Sums in another order round to other bfloat16 values.
                            if (dtype == compute_type::bf16 &&
                                chosen_products().bfloat16 != product_provider::own)
                                continue;
                            quantised.path = options.path = path;
                            const auto mine = scores(one.path(), quantised, tokens);
                            const auto theirs = scores(other.path(), options, tokens);
                            for (std::size_t i = 0; i < mine.size(); ++i)
                                BOOST_TEST(std::abs(mine[i] - theirs[i]) <= 2e-5F);
                        }
                        quantised.path = options.path = forward_path::automatic;
                        const auto plainly = decoded(other.path(), options, tokens, 40);
                        for (const std::size_t piece : {1U, 7U, 40U})
                            BOOST_TEST(
                                same_bits(decoded(one.path(), quantised, tokens, piece), plainly));
                    }
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(names_say_what_is_quantised) {
    const temporary_folder folder;
    random_model model(folder.path());
    model.write();
    model_options options;
    options.device = "cpu";
    options.threads = 1;
    options.quantise = quantisation::nf4;
    const auto loaded = causal_lm::load(folder.path(), options);
    BOOST_REQUIRE(loaded.is_ok());
    BOOST_TEST(loaded->name().ends_with(":nf4"));
    BOOST_TEST(loaded->compute_description().starts_with("cpu nf4 in f32 ("));
}

BOOST_AUTO_TEST_CASE(a_tensor_that_is_not_finite_is_named) {
    const temporary_folder folder;
    random_model model(folder.path());
    model.find("model.layers.1.mlp.up_proj.weight").values[77] = INFINITY;
    model.write();
    model_options options;
    options.device = "cpu";
    options.quantise = quantisation::int8;
    const auto loaded = causal_lm::load(folder.path(), options);
    BOOST_REQUIRE(!loaded.is_ok());
    BOOST_TEST(loaded.error().message().ends_with(
        "tensor \"model.layers.1.mlp.up_proj.weight\": an element is not finite, so it cannot be "
        "quantised"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace cuset

// Codes that stand row after row and their copies on a device, which is the CPU here: a model of
// them computes the same bits as one whose matrices were dequantised when it was loaded.
#include "frozen_codes.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <random>

#include "dequantised_model.h"
#include "random_model.h"
#include "torch_decoder.h"
#include "weights.h"

namespace cuset {

namespace {

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
    return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() &&
           std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
}

std::vector<float> random_elements(std::size_t count, std::mt19937& random) {
    std::normal_distribution<float> normal;
    std::vector<float> x(count);
    for (float& value : x) value = normal(random);
    return x;
}

checkpoint opened(const std::filesystem::path& folder, compute_type dtype, quantisation kind,
                  code_order order) {
    auto made = open_checkpoint(folder, dtype, {}, kind, 2, order);
    BOOST_REQUIRE_MESSAGE(made.is_ok(), made.error().message());
    return *std::move(made);
}

at::Tensor hidden_rows(const decoder_weights& weights, bool bfloat16, code_use codes,
                       const std::vector<std::int32_t>& tokens) {
    const c10::InferenceMode inference;
    tensor_placement placement = inference_placement(bfloat16, -1);
    placement.codes = codes;
    torch_decoder decoder(weights, placement);
    const std::vector<std::int64_t> wanted{3, static_cast<std::int64_t>(tokens.size()) - 1};
    return decoder.hidden_rows(tokens, wanted, decoder.packed_rows({{0, std::ssize(tokens)}}));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(codes_of_a_frozen_base)

BOOST_AUTO_TEST_CASE(copies_hold_the_dequantised_values) {
    const unsigned seed = std::random_device{}();
    BOOST_TEST_CONTEXT("seed " << seed) {
        std::mt19937 random(seed);
        for (const auto kind : {quantisation::nf4, quantisation::int8}) {
            for (const bool bfloat16 : {false, true}) {
                for (const auto& [rows, columns] :
                     {std::pair{64, 64}, {90, 640}, {7, 9}, {1, 1}, {130, 100}}) {
                    BOOST_TEST_CONTEXT(name_of(kind) << ' ' << rows << " x " << columns) {
                        const auto x =
                            random_elements(static_cast<std::size_t>(rows * columns), random);
                        auto expected = dequantised(kind, x, columns);
                        if (bfloat16)
                            for (float& value : expected) value = rounded(value);
                        large_pages memory;
                        task_pool pool(3);
                        const auto matrix = quantised_matrix::make(
                            kind, {x.data(), element_type::f32, rows, columns}, bfloat16, pool,
                            memory, code_order::rows);
                        BOOST_REQUIRE(matrix.is_ok());
                        const auto copy = copied_codes(*matrix, at::kCPU);
                        BOOST_TEST(copy->rows() == rows);
                        BOOST_TEST(copy->columns() == columns);
                        BOOST_TEST(copy->bytes() == matrix->bytes());
                        const at::Tensor values = copy->dequantised(at::kFloat);
                        BOOST_TEST(std::memcmp(values.const_data_ptr(), expected.data(),
                                               values.nbytes()) == 0);
                        BOOST_TEST(same_bits(dequantised(*matrix, at::kFloat), values));
                        BOOST_TEST(
                            same_bits(copy->dequantised(at::kBFloat16), values.to(at::kBFloat16)));
                    }
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_model_of_copies_computes_the_same_bits) {
    const auto tokens = random_tokens(20, 3);
    for (const auto kind : {quantisation::nf4, quantisation::int8}) {
        for (const auto dtype : {compute_type::f32, compute_type::bf16}) {
            BOOST_TEST_CONTEXT(name_of(kind) << (dtype == compute_type::f32 ? " f32" : " bf16")) {
                const temporary_folder folder;
                random_model(folder.path(), "qwen2").write();
                const auto panels = opened(folder.path(), dtype, kind, code_order::panels);
                auto rows = opened(folder.path(), dtype, kind, code_order::rows);
                const bool bfloat16 = dtype == compute_type::bf16;
                const at::Tensor wanted =
                    hidden_rows(panels.weights, bfloat16, code_use::once, tokens);
                for (const auto use : {code_use::once, code_use::shared, code_use::copied})
                    BOOST_TEST(same_bits(hidden_rows(rows.weights, bfloat16, use, tokens), wanted));
                BOOST_TEST(same_bits(
                    hidden_rows(panels.weights, bfloat16, code_use::shared, tokens), wanted));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(copies_outlive_what_was_loaded) {
    const auto tokens = random_tokens(20, 3);
    const temporary_folder folder;
    random_model(folder.path()).write();
    auto loaded = opened(folder.path(), compute_type::f32, quantisation::nf4, code_order::rows);
    const at::NoGradGuard plain;
    tensor_placement placement = inference_placement(false, -1);
    placement.codes = code_use::copied;
    torch_decoder decoder(loaded.weights, placement);
    const std::vector<std::int64_t> wanted{19};
    const auto run = [&] {
        return decoder.hidden_rows(tokens, wanted, decoder.packed_rows({{0, 20}}));
    };
    const at::Tensor before = run();
    loaded.weights.release_codes();
    BOOST_TEST(same_bits(run(), before));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace cuset

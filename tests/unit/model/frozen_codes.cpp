// Codes that stand row after row and their copies on a device, which is the CPU here: a model of
// them computes the same bits as one whose matrices were dequantised when it was loaded.
#include "frozen_codes.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/randn.h>

#include <algorithm>
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

/// Counts the matrices that were made of it, and holds on to none.
class counted_codes final : public frozen_codes {
public:
    explicit counted_codes(at::Tensor values) : values_(std::move(values)) {}
    std::int64_t rows() const override { return values_.size(0); }
    std::int64_t columns() const override { return values_.size(1); }
    std::size_t bytes() const override { return 0; }
    at::Tensor dequantised(at::ScalarType type) const override {
        at::Tensor made = values_.to(type, false, true);
        made_.emplace_back(c10::weak_intrusive_ptr<c10::TensorImpl>(made.getIntrusivePtr()));
        return made;
    }
    std::size_t count() const { return made_.size(); }
    bool is_any_there() const {
        return std::any_of(made_.begin(), made_.end(),
                           [](const auto& one) { return !one.expired(); });
    }

private:
    at::Tensor values_;
    mutable std::vector<c10::weak_intrusive_ptr<c10::TensorImpl>> made_;
};

// A matrix is there while it is multiplied by, and no longer.
BOOST_AUTO_TEST_CASE(a_matrix_is_made_for_each_product) {
    const at::Tensor values = at::randn({24, 16}), bias = at::randn({24});
    const at::Tensor a = at::randn({4, 16}).requires_grad_(),
                     b = at::randn({24, 4}).requires_grad_();
    const auto product = [&](bool adapted, const at::Tensor& x, const frozen_weight& weight) {
        return adapted ? adapted_linear(x, weight, bias, a, b, 0.5, {}, 0)
                       : frozen_linear(x, weight, bias);
    };
    for (const bool adapted : {false, true}) {
        for (const bool wanted : {false, true}) {
            BOOST_TEST_CONTEXT((adapted ? "adapted" : "frozen")
                               << (wanted ? ", with" : ", without") << " a gradient of x") {
                const auto codes = std::make_shared<counted_codes>(values);
                const frozen_weight weight{{}, codes, at::kFloat};
                const at::Tensor input = at::randn({6, 16});
                const at::Tensor x = input.clone().requires_grad_(wanted);
                const at::Tensor x2 = input.clone().requires_grad_(wanted);
                const at::Tensor y = product(adapted, x, weight);
                BOOST_TEST(codes->count() == 1U);
                BOOST_TEST(!codes->is_any_there());
                const at::Tensor y2 = product(adapted, x2, {values});
                BOOST_TEST(same_bits(y.detach(), y2.detach()));
                if (!y.requires_grad()) continue;
                y.sum().backward();
                y2.sum().backward();
                BOOST_TEST(codes->count() == (wanted ? 2U : 1U));
                BOOST_TEST(!codes->is_any_there());
                if (wanted) BOOST_TEST(same_bits(x.grad(), x2.grad()));
            }
        }
        const at::NoGradGuard plain;
        const auto codes = std::make_shared<counted_codes>(values);
        product(adapted, at::randn({6, 16}), {{}, codes, at::kFloat});
        BOOST_TEST(codes->count() == 1U);
    }
}

BOOST_AUTO_TEST_CASE(panels_are_not_copied) {
    const std::vector<float> x(64 * 64, 1.0F);
    large_pages memory;
    task_pool pool(1);
    const auto matrix = quantised_matrix::make(
        quantisation::nf4, {x.data(), element_type::f32, 64, 64}, false, pool, memory);
    BOOST_REQUIRE(matrix.is_ok());
    BOOST_CHECK_THROW(copied_codes(*matrix, at::kCPU), std::exception);
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
    // Freed memory may keep what it held.
    for (const layer_weights& layer : loaded.weights.layers)
        for (const named_linear& linear : linear_layers) {
            const kernels::code_rows codes = (layer.*linear.weights).weight.quantised->in_rows();
            std::memset(const_cast<void*>(codes.codes), 0xff, codes.elements / 2);
            std::memset(const_cast<std::uint8_t*>(codes.nested.codes), 0xff,
                        codes.elements / kernels::nf4_block);
        }
    loaded.weights.release_codes();
    BOOST_TEST(same_bits(run(), before));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace cuset

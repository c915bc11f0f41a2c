// log p of known tokens from hidden states against softmax written out in double, over shapes on
// either side of a tile, and by strips of whole rows, as on a GPU.
#include "cuset/model/target_log_probability.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <exception>
#include <thread>
#include <vector>

using namespace cuset;

namespace {

/// One row: the products summed in double, and what the float sums of a product may be off.
struct expected_row {
    double log_probability, tolerance;
};

expected_row written_out(const at::Tensor& hidden, const at::Tensor& head, std::int64_t row,
                         std::int32_t target) {
    const at::Tensor x = hidden.to(head.scalar_type()).to(at::kFloat);
    const at::Tensor w = head.to(at::kFloat);
    const std::int64_t k = w.size(1);
    const float* const a = x.data_ptr<float>() + row * k;
    std::vector<double> logits;
    double largest_sum = 0;
    for (std::int64_t token = 0; token < w.size(0); ++token) {
        const float* const b = w.data_ptr<float>() + token * k;
        double logit = 0, magnitude = 0;
        for (std::int64_t i = 0; i < k; ++i) {
            const double term = static_cast<double>(a[i]) * static_cast<double>(b[i]);
            logit += term;
            magnitude += std::abs(term);
        }
        logits.push_back(logit);
        largest_sum = std::max(largest_sum, magnitude);
    }
    const double maximum = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const double logit : logits) sum += std::exp(logit - maximum);
    const double answer = logits[static_cast<std::size_t>(target)] - maximum - std::log(sum);
    // Two logits summed in float, k terms each, and token_loss()'s own bound.
    const double of_products = 2 * std::sqrt(static_cast<double>(k)) * 6e-8 * largest_sum;
    return {answer, of_products + 4e-6 + 4e-7 * std::abs(answer)};
}

std::vector<float> ours(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& targets,
                        decltype(target_log_probabilities)& way = target_log_probabilities) {
    // Poisoned, so that a row left out is seen.
    const at::Tensor found = at::full({hidden.size(0)}, 7.0F, at::kFloat);
    way(hidden, head, targets, found);
    const auto* values = found.data_ptr<float>();
    return {values, values + found.numel()};
}

void check(std::int64_t rows, std::int64_t vocabulary, std::int64_t width, at::ScalarType type,
           double scale = 1) {
    const at::Tensor hidden = at::randn({rows, width}).to(type);
    const at::Tensor head = (at::randn({vocabulary, width}) * scale).to(type);
    at::Tensor targets = at::randint(vocabulary, {rows}, at::kInt);
    targets.data_ptr<std::int32_t>()[0] = static_cast<std::int32_t>(vocabulary - 1);
    const auto found = ours(hidden, head, targets);
    const auto strips = ours(hidden, head, targets, log_probabilities_by_strips);
    for (std::int64_t row = 0; row < rows; ++row) {
        const expected_row expected =
            written_out(hidden, head, row, targets.data_ptr<std::int32_t>()[row]);
        for (const float log_p :
             {found[static_cast<std::size_t>(row)], strips[static_cast<std::size_t>(row)]}) {
            const auto answer = static_cast<double>(log_p);
            BOOST_TEST(std::abs(answer - expected.log_probability) <= expected.tolerance,
                       rows << " x " << vocabulary << ", row " << row << ": " << answer
                            << " against " << expected.log_probability);
        }
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(target_log_probability_suite)

BOOST_AUTO_TEST_CASE(agrees_with_double) {
    at::manual_seed(3);
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
        check(1, 1, 8, type);
        check(1, 1537, 5, type);
        check(3, 511, 17, type);
        check(37, 513, 33, type);
        check(5, 1024, 64, type, 300);
    }
    // More rows than threads have tiles, the last one short.
    check(512 * 2 * at::get_num_threads() + 3, 20, 4, at::kFloat);
}

BOOST_AUTO_TEST_CASE(a_large_vocabulary) {
    at::manual_seed(6);
    check(3, 152064, 3, at::kFloat);
    // More rows than a strip has.
    const at::Tensor hidden = at::randn({445, 2}), head = at::randn({152064, 2});
    const at::Tensor targets = at::randint(152064, {445}, at::kInt);
    const auto strips = ours(hidden, head, targets, log_probabilities_by_strips);
    const auto tiles = ours(hidden, head, targets);
    for (std::size_t row = 0; row < tiles.size(); ++row)
        BOOST_TEST(std::abs(strips[row] - tiles[row]) < 2e-5F, "row " << row);
}

BOOST_AUTO_TEST_CASE(rows_of_a_wider_matrix_and_of_another_type) {
    at::manual_seed(4);
    const at::Tensor part = at::randn({9, 32}).narrow(1, 8, 16);
    const at::Tensor targets = at::randint(700, {9}, at::kInt);
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
        const at::Tensor head = at::randn({700, 16}).to(type);
        const auto found = ours(part, head, targets);
        const auto dense = ours(part.contiguous().to(type), head, targets);
        BOOST_TEST(found == dense, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(heads_that_cannot_be_read) {
    const at::Tensor hidden = at::randn({2, 8}), targets = at::full({2}, 1, at::kInt);
    BOOST_CHECK_THROW(ours(hidden, at::randn({8, 9}).t(), targets), std::exception);
    BOOST_CHECK_THROW(ours(hidden, at::randn({9, 8}).to(at::kHalf), targets), std::exception);
    BOOST_CHECK_THROW(ours(hidden, at::randn({9, 7}), targets), std::exception);
}

BOOST_AUTO_TEST_CASE(a_row_that_is_not_finite_is_nan_and_no_other) {
    at::manual_seed(5);
    for (const float bad : {NAN, INFINITY}) {
        const at::Tensor hidden = at::randn({4, 8}), head = at::randn({600, 8});
        hidden.data_ptr<float>()[2 * 8 + 3] = bad;
        const auto found = ours(hidden, head, at::full({4}, 599, at::kInt));
        for (std::size_t row = 0; row < 4; ++row)
            BOOST_TEST(std::isnan(found[row]) == (row == 2), "row " << row << ": " << found[row]);
    }
}

BOOST_AUTO_TEST_CASE(no_rows) {
    BOOST_TEST(ours(at::randn({0, 8}), at::randn({600, 8}), at::full({0}, 0, at::kInt)).empty());
}

// Without OpenMP, parallel_for is a plain loop in files that include LibTorch.
BOOST_AUTO_TEST_CASE(parallel_for_has_threads) {
    const int before = at::get_num_threads();
    at::set_num_threads(2);
    std::array<std::thread::id, 2> by;
    at::parallel_for(0, 2, 1, [&](std::int64_t begin, std::int64_t end) {
        for (; begin < end; ++begin)
            by[static_cast<std::size_t>(begin)] = std::this_thread::get_id();
    });
    at::set_num_threads(before);
    BOOST_TEST((by[0] != by[1]));
}

BOOST_AUTO_TEST_SUITE_END()

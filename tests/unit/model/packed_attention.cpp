// Attention over a packed batch against softmax written out in double, a sample at a time, with its
// gradients; in bfloat16 on a GPU too, where there is one.
#include "../../../lib/model/packed_attention.h"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/softmax.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>

using namespace cuset;

namespace {

struct attention_case {
    std::int64_t heads, kv_heads, head_dim;
    std::vector<std::int64_t> lengths;
    at::Device device;
    at::ScalarType type;
    bool bfloat16_products;
    double tolerance;
};

at::Tensor written_out(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                       const packed_samples& samples) {
    const std::int64_t shared = query.size(1) / key.size(1);
    std::vector<at::Tensor> outputs;
    for (const auto& [begin, end] : samples.rows) {
        const auto part = [&, first = begin, length = end - begin](const at::Tensor& t) {
            const at::Tensor heads = t.narrow(0, first, length).transpose(0, 1);
            return t.size(1) == query.size(1) ? heads : heads.repeat_interleave(shared, 0);
        };
        const at::Tensor scores = at::matmul(part(query), part(key).transpose(1, 2)) /
                                  std::sqrt(static_cast<double>(query.size(2)));
        const at::Tensor unseen =
            at::ones({end - begin, end - begin}, at::TensorOptions().dtype(at::kBool)).triu(1);
        outputs.push_back(
            at::matmul(at::softmax(scores.masked_fill(unseen, -INFINITY), 2), part(value))
                .transpose(0, 1)
                .reshape({end - begin, query.size(1) * query.size(2)}));
    }
    return at::cat(outputs);
}

void check(const attention_case& c) {
    std::vector<std::pair<std::int64_t, std::int64_t>> rows;
    std::int64_t count = 0;
    for (const std::int64_t length : c.lengths) {
        rows.emplace_back(count, count + length);
        count += length;
    }
    // Values that bfloat16 holds: what is left is the rounding of weights and gradients inside.
    const at::ScalarType held = c.bfloat16_products ? at::kBFloat16 : c.type;
    const auto drawn = [&](at::IntArrayRef shape) {
        return at::randn(shape, at::kFloat).to(held).to(c.type);
    };
    const std::vector<at::Tensor> inputs{drawn({count, c.heads, c.head_dim}),
                                         drawn({count, c.kv_heads, c.head_dim}),
                                         drawn({count, c.kv_heads, c.head_dim})};
    const at::Tensor gradient = drawn({count, c.heads * c.head_dim});
    std::vector<at::Tensor> ours, theirs;
    for (const auto& input : inputs) {
        ours.push_back(input.to(c.device).detach().clone().requires_grad_());
        theirs.push_back(input.to(at::kDouble).detach().clone().requires_grad_());
    }
    const packed_samples samples = packed_on(c.device, rows);
    const at::Tensor out =
        packed_attention(ours[0], ours[1], ours[2], samples, c.bfloat16_products);
    torch::autograd::backward({out}, {gradient.to(c.device)});
    const at::Tensor expected = written_out(theirs[0], theirs[1], theirs[2], samples);
    torch::autograd::backward({expected}, {gradient.to(at::kDouble)});
    // The error is absolute where the value is 0, as is the derivative for the only key's query.
    const auto near = [&](const char* what, const at::Tensor& got, const at::Tensor& wanted) {
        const at::Tensor difference = got.detach().to(at::kCPU).to(at::kDouble) - wanted.detach();
        BOOST_TEST(difference.abs().max().item<double>() <=
                       c.tolerance * std::max(1.0, wanted.detach().abs().max().item<double>()),
                   what);
    };
    near("output", out, expected);
    near("query", ours[0].grad(), theirs[0].grad());
    near("key", ours[1].grad(), theirs[1].grad());
    near("value", ours[2].grad(), theirs[2].grad());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(packed_batches)

BOOST_AUTO_TEST_CASE(samples_do_not_see_each_other_nor_what_comes) {
    const std::uint64_t seed = std::random_device{}();
    at::manual_seed(seed);
    std::vector<std::tuple<at::Device, at::ScalarType, bool, double>> machines{
        {at::kCPU, at::kFloat, false, 1e-5}, {at::kCPU, at::kFloat, true, 0x1p-6}};
    if (at::hasCUDA()) {
        machines.emplace_back(at::Device(at::kCUDA, 0), at::kFloat, false, 1e-4);
        machines.emplace_back(at::Device(at::kCUDA, 0), at::kBFloat16, true, 0x1p-6);
    }
    for (const auto& [device, type, bfloat16, tolerance] : machines) {
        BOOST_TEST_CONTEXT("seed " << seed << ", " << device << " " << at::toString(type)
                                   << (bfloat16 ? ", bfloat16 products" : "")) {
            check({4, 4, 32, {70}, device, type, bfloat16, tolerance});
            check({6, 2, 64, {1, 33, 130, 2}, device, type, bfloat16, tolerance});
            check({14, 2, 128, {300, 5}, device, type, bfloat16, tolerance});
            check({4, 2, 16, {1, 1, 1}, device, type, bfloat16, tolerance});
            check({4, 2, 20, {9, 40}, device, type, bfloat16, tolerance});
            check({3, 1, 64, {700, 95, 97}, device, type, bfloat16, tolerance});
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()

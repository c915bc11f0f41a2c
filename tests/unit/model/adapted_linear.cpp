// A linear layer with a LoRA update against the same in double with LibTorch's own derivatives.
// Rows are float, or bfloat16 as on a GPU, whose arithmetic runs on a CPU too. On a GPU as well, if
// there is one.
#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <torch/csrc/autograd/autograd.h>

#include <boost/test/unit_test.hpp>
#include <random>

#include "../../../lib/model/autograd_functions.h"
#include "cuset/base/random_key.h"
#include "cuset/model/device_kernels.h"

using namespace cuset;

namespace {

struct layer_case {
    std::int64_t rows, in, out, rank;
    double rate;
    bool bias;
    at::ScalarType type;
    at::Device device;
};

/// The layer's factors of dropout(x), from the kernel that its own tests hold to its definition.
at::Tensor kept(const dropout_plan& plan, const layer_case& c, std::uint64_t site) {
    const at::Tensor ones = at::ones({c.rows, c.in}, at::kFloat), mask = at::empty_like(ones);
    if (c.rate == 0) return ones.to(at::kDouble);
    kernels::dropout_rows rows;
    rows.x = ones.const_data_ptr();
    rows.y = mask.mutable_data_ptr();
    rows.rows = static_cast<std::size_t>(c.rows);
    rows.width = static_cast<std::size_t>(c.in);
    rows.samples = static_cast<const kernels::dropout_sample*>(plan.samples.const_data_ptr());
    rows.sample_count = static_cast<std::size_t>(plan.samples.numel() / 2);
    rows.site = site;
    rows.threshold = static_cast<std::uint32_t>(c.rate * 0x1p32);
    dropout(rows, at::kCPU);
    BOOST_TEST(mask.sum().item<float>() < 0.9F * static_cast<float>(c.rows * c.in));
    return mask.to(at::kDouble) / (1 - c.rate);
}

void check_near(const char* what, const at::Tensor& got, const at::Tensor& wanted,
                double tolerance) {
    BOOST_TEST_CONTEXT(what) {
        BOOST_REQUIRE(got.defined());
        BOOST_TEST(got.sizes() == wanted.sizes());
        const at::Tensor error = got.to(at::kCPU).to(at::kDouble) - wanted;
        BOOST_TEST(error.norm().item<double>() <= tolerance * wanted.norm().item<double>());
    }
}

void check(const layer_case& c, std::uint64_t seed) {
    at::manual_seed(seed);
    const auto leaf = [](const at::Tensor& t) { return t.detach().clone().requires_grad_(); };
    const auto of_type = [&](at::IntArrayRef shape) {
        return at::randn(shape, at::kFloat).to(c.type);
    };
    const at::Tensor x = leaf(of_type({c.rows, c.in})), dy = of_type({c.rows, c.out});
    const at::Tensor weight = of_type({c.out, c.in}) / std::sqrt(double(c.in));
    const at::Tensor bias = c.bias ? of_type({c.out}) : at::Tensor();
    const at::Tensor a = leaf(at::randn({c.rank, c.in}, at::kFloat) / std::sqrt(double(c.in)));
    const at::Tensor b = leaf(at::randn({c.out, c.rank}, at::kFloat));
    const std::vector<kernels::dropout_sample> samples{
        {0, seed}, {c.rows / 3, seed + 1}, {c.rows - 1, seed}};
    constexpr std::uint64_t site = 17;
    constexpr double scale = 1.5;
    const auto there = [&](const at::Tensor& t) { return t.defined() ? t.to(c.device) : t; };
    const at::Tensor x1 = leaf(there(x)), a1 = leaf(there(a)), b1 = leaf(there(b));
    const at::Tensor y = adapted_linear(x1, {there(weight)}, there(bias), a1, b1, scale,
                                        dropout_plan(c.rate, samples, c.device), site);
    BOOST_TEST((y.scalar_type() == c.type));
    torch::autograd::backward({y}, {there(dy)});

    const auto wide = [&](const at::Tensor& t) { return leaf(t.to(at::kDouble)); };
    const at::Tensor x2 = wide(x), a2 = wide(a), b2 = wide(b);
    at::Tensor y2 =
        at::mm(x2, weight.to(at::kDouble).t()) +
        scale * at::mm(at::mm(x2 * kept(dropout_plan(c.rate, samples, at::kCPU), c, site), a2.t()),
                       b2.t());
    if (c.bias) y2 = y2 + bias.to(at::kDouble);
    torch::autograd::backward({y2}, {dy.to(at::kDouble)});

    // bfloat16: half a unit in the last place is 2^-9 of a number, and there are a few of them.
    const double tolerance = c.type == at::kFloat ? 2e-6 : 0x1p-7;
    check_near("y", y.detach(), y2.detach(), tolerance);
    check_near("x", x1.grad(), x2.grad(), tolerance);
    check_near("A", a1.grad(), a2.grad(), tolerance);
    check_near("B", b1.grad(), b2.grad(), tolerance);
    BOOST_TEST((a1.grad().scalar_type() == at::kFloat && b1.grad().scalar_type() == at::kFloat));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(adapted_linear_layers)

BOOST_AUTO_TEST_CASE(with_float_and_with_bfloat16_rows) {
    const std::uint64_t seed = std::random_device{}();
    BOOST_TEST_MESSAGE("seed " << seed);
    std::vector<at::Device> devices{at::kCPU};
    if (at::hasCUDA()) devices.emplace_back(at::kCUDA, static_cast<at::DeviceIndex>(0));
    for (const at::Device device : devices) {
        for (const auto type : {at::kFloat, at::kBFloat16}) {
            for (const double rate : {0.0, 0.3}) {
                for (const bool bias : {false, true}) {
                    BOOST_TEST_CONTEXT("seed " << seed << ", " << device << " "
                                               << at::toString(type) << ", rate " << rate
                                               << (bias ? ", bias" : "")) {
                        check({70, 96, 40, 8, rate, bias, type, device}, seed);
                        check({9, 33, 17, 3, rate, bias, type, device}, seed);
                    }
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(keys_of_sites_are_numbers_of_the_keys_sequence) {
    for (std::uint64_t i = 0; i < 100; ++i)
        for (const std::uint64_t key : {std::uint64_t{0}, ~i, mixed_key(3, i)})
            BOOST_TEST(kernels::dropout_key(key, i) == mixed_key(key, i));
}

BOOST_AUTO_TEST_SUITE_END()

#include "cuset/train/objective.h"

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

using namespace cuset;

namespace {

struct sample_coefficients : kernels::sample_region {
    std::vector<float> token;
};

/// The coefficients of one sample in a step whose divisor is 1.
sample_coefficients of(const objective_settings& settings, const std::vector<float>& confidence,
                       const std::vector<bool>& sensitive, const std::vector<float>& entropy = {}) {
    std::vector<float> log_p;
    for (const float c : confidence) log_p.push_back(std::log(c));
    const std::vector<std::uint8_t> flags(sensitive.begin(), sensitive.end());
    const std::array<std::int64_t, 2> first_row{0, std::ssize(log_p)};
    std::vector<kernels::window_sum> sums(log_p.size() + 1);
    sample_coefficients result;
    result.token.resize(log_p.size());
    kernels::region_batch batch;
    batch.samples = 1;
    batch.first_row = first_row.data();
    batch.log_probability = log_p.data();
    batch.entropy = entropy.data();
    batch.sensitive = flags.empty() ? nullptr : flags.data();
    batch.sums = sums.data();
    batch.row_scale = result.token.data();
    batch.results = &result;
    kernels::regions(region_settings_of(settings, 1, 1), batch);
    return result;
}

void same(const std::vector<float>& got, const std::vector<double>& wanted) {
    BOOST_TEST(got.size() == wanted.size());
    // A unit of float.
    for (std::size_t i = 0; i < std::min(got.size(), wanted.size()); ++i)
        BOOST_TEST(std::abs(static_cast<double>(got[i]) - wanted[i]) < 3e-7, i << ": " << got[i]);
}

const std::vector<float> confidence{0.9F, 0.05F, 0.5F, 0.11F, 0.19F};
const std::vector<bool> sensitive{false, true, true, false, false};

}  // namespace

BOOST_AUTO_TEST_CASE(hybrid_mask_and_weight) {
    objective_settings s;
    s.window = 2;  // least mean: (0.05 + 0.5) / 2 = 0.275, (0.11 + 0.19) / 2 = 0.15
    const auto k = of(s, confidence, sensitive);
    BOOST_TEST(std::abs(k.weight - 0.85) < 1e-7);
    BOOST_TEST(k.kept == 5);
    BOOST_TEST(std::abs(k.mean_confidence - 0.35) < 1e-7);
    same(k.token, {0.85, 0.85, 1.7, 0.85, 0.85});
    s.lambda = 3;
    s.tau = 0.3;
    same(of(s, confidence, sensitive).token, {0.85, 2.55, 3.4, 0, 0});
}

BOOST_AUTO_TEST_CASE(each_part_switches_off_alone) {
    objective_settings s;
    s.window = 2;
    s.reweight = false;
    same(of(s, confidence, sensitive).token, {1, 1, 2, 1, 1});
    s.cuda_mask = false;
    BOOST_TEST(!s.needs_tags());
    same(of(s, confidence, sensitive).token, {1, 0, 1, 1, 1});
    s.confidence_mask = false;
    same(of(s, confidence, sensitive).token, {1, 1, 1, 1, 1});
    s.cuda_mask = true;
    same(of(s, confidence, sensitive).token, {1, 2, 2, 1, 1});
}

BOOST_AUTO_TEST_CASE(forms_of_mask_and_weight) {
    objective_settings s;
    s.reweight = false;
    s.mask = mask_form::soft;
    const auto soft = of(s, confidence, sensitive);
    BOOST_TEST(soft.kept == 5);
    same(soft.token, {0.9, 0.05 / 0.15 + 1, 0.5 / 0.6 + 1, 0.11 / 0.21, 0.19 / 0.29});
    s.tau = 0;
    same(of(s, {0.5F, 1e-30F}, {}).token, {1, 1});
    objective_settings w;
    w.window = 2;
    w.weight_power = 2;
    BOOST_TEST(std::abs(of(w, confidence, sensitive).weight - 0.85 * 0.85) < 1e-7);
    w.weight_power = 0;
    BOOST_TEST(of(w, confidence, sensitive).weight == 1);
    w.weight_power = 0.5;  // no NaN of a mean that rounding puts above 1
    BOOST_TEST(of(w, {1.0F, 1.0000002F, 1.0000002F}, {}).weight == 0);
    w.weight_power = 1;
    BOOST_TEST(of(w, {1.0F, 1.0000002F, 1.0000002F}, {}).weight == 0);
}

BOOST_AUTO_TEST_CASE(tau_rises_over_its_warm_up) {
    objective_settings s;
    s.tau = 0.4;
    BOOST_TEST(at_step(s, 0).tau == 0.4);
    s.tau_warmup = 4;
    BOOST_TEST(at_step(s, 0).tau == 0);
    BOOST_TEST(std::abs(at_step(s, 1).tau - 0.1) < 1e-15);
    BOOST_TEST(at_step(s, 4).tau == 0.4);
    BOOST_TEST(at_step(s, 5).tau == 0.4);
}

BOOST_AUTO_TEST_CASE(rivals) {
    objective_settings s;
    s.kind = objective_kind::sft;
    BOOST_TEST(!s.needs_tags());
    same(of(s, confidence, sensitive).token, {1, 1, 1, 1, 1});
    s.kind = objective_kind::dft;
    same(of(s, confidence, sensitive).token, {0.9, 0.05, 0.5, 0.11, 0.19});
    s.kind = objective_kind::asft;
    BOOST_TEST(s.needs_reference());
    same(of(s, confidence, sensitive).token, {0.9, 0.05, 0.5, 0.11, 0.19});
    s.kind = objective_kind::profit;
    s.tau = 0.2;
    same(of(s, {0.9F, 0.25F, 0.1F}, {}).token, {1, 1, 0});
    s.tau = std::exp(static_cast<double>(std::log(0.25F)));  // p = τ is kept
    same(of(s, {0.25F}, {}).token, {1});
    s.kind = objective_kind::cuset;
    s.reweight = false;
    same(of(s, {0.25F}, {}).token, {0});  // c = τ is not
    s.kind = objective_kind::eaft;
    s.alpha = 2;
    same(of(s, {0.5F, 0.5F}, {}, {1.5F, 0.0F}).token, {0.25, 0});
}

BOOST_AUTO_TEST_CASE(no_tokens_no_coefficients) {
    BOOST_TEST(of({}, {}, {}).token.empty());
    BOOST_TEST(of({}, {}, {}).weight == 1);
}

BOOST_AUTO_TEST_CASE(divisors) {
    BOOST_TEST(divisor(loss_norm::tokens, 10, 100, 4) == 100);
    BOOST_TEST(divisor(loss_norm::sum, 10, 100, 4) == 4);
    BOOST_TEST(divisor(loss_norm::sample, 10, 100, 4) == 40);
}

BOOST_AUTO_TEST_CASE(settings_of_a_step) {
    objective_settings s;
    const std::array norms{loss_norm::tokens, loss_norm::sum, loss_norm::sample};
    const std::array divisors{kernels::step_divisor::tokens, kernels::step_divisor::samples,
                              kernels::step_divisor::samples_and_length};
    for (std::size_t i = 0; i < norms.size(); ++i) {
        s.norm = norms[i];
        const kernels::region_settings region = region_settings_of(s, 100, 4);
        BOOST_TEST((region.divisor == divisors[i]));
        BOOST_TEST(region.step_tokens == 100);
        BOOST_TEST(region.step_samples == 4);
    }
}

BOOST_AUTO_TEST_CASE(objective_names) {
    for (const char* name : {"cuset", "sft", "dft", "eaft", "asft", "profit"})
        BOOST_TEST(name_of(objective_by_name(name).value()) == name);
    for (const char* name : {"tokens", "sum", "sample"})
        BOOST_TEST(name_of(norm_by_name(name).value()) == name);
    BOOST_TEST(!objective_by_name("SFT").has_value());
    for (const char* name : {"hard", "soft", "stubborn"})
        BOOST_TEST(name_of(mask_form_by_name(name).value()) == name);
}

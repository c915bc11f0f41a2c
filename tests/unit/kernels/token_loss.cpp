#include "cuset/kernels/token_loss.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "instruction_sets.h"

using namespace cuset::kernels;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

/// The plain reference, in double.
double reference(const std::vector<float>& logits, std::size_t target) {
    double maximum = -inf;
    for (const float logit : logits) maximum = std::max(maximum, double{logit});
    double sum = 0;
    for (const float logit : logits) sum += std::exp(double{logit} - maximum);
    return double{logits[target]} - maximum - std::log(sum);
}

/// The kernel over `strip` tokens at a time, from memory at an odd offset and stride.
float scored(instruction_set set, const std::vector<float>& logits, std::size_t target,
             std::size_t strip, std::size_t offset) {
    token_loss_state state = empty_token_loss;
    const auto token = static_cast<std::int32_t>(target);
    for (std::size_t begin = 0; begin < logits.size(); begin += strip) {
        const std::size_t width = std::min(strip, logits.size() - begin);
        std::vector<float> memory(offset + width, 1e30F);
        std::copy_n(logits.begin() + static_cast<std::ptrdiff_t>(begin), width,
                    memory.begin() + static_cast<std::ptrdiff_t>(offset));
        token_losses(set).strip(memory.data() + offset, 1, width, width,
                                static_cast<std::int32_t>(begin), &token, &state);
    }
    float result = 0;
    token_loss_finish(&state, 1, &result);
    return result;
}

std::vector<float> random_logits(std::size_t width, float spread, unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal(0.0F, spread);
    std::vector<float> logits(width);
    for (float& logit : logits) logit = normal(generator);
    return logits;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_widest_version_runs) {
    BOOST_TEST(is_available(active_instruction_set()));
    for (const auto set : available_sets()) BOOST_TEST((set <= active_instruction_set()));
}

BOOST_AUTO_TEST_CASE(matches_the_reference_at_any_width_strip_and_alignment) {
    for (const auto set : available_sets()) {
        BOOST_TEST_CONTEXT(name_of(set)) {
            for (const std::size_t width :
                 {1U, 2U, 7U, 15U, 16U, 17U, 31U, 33U, 100U, 1023U, 49153U}) {
                for (const float spread : {0.01F, 3.0F, 40.0F}) {
                    const auto logits = random_logits(width, spread, static_cast<unsigned>(width));
                    for (const std::size_t strip : {width, width / 3 + 1}) {
                        for (const std::size_t target : {std::size_t{0}, width / 2, width - 1}) {
                            const double expected = reference(logits, target);
                            const float actual = scored(set, logits, target, strip, width % 5);
                            BOOST_TEST(std::abs(actual - expected) <=
                                       2e-6 + 4e-7 * std::abs(expected));
                        }
                    }
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(rows_keep_their_own_state) {
    constexpr std::size_t rows = 3, width = 37, stride = 41;
    std::vector<float> logits(rows * stride, inf);  // what lies between rows must not be read
    const std::vector<std::int32_t> targets{5, 40, 30};
    std::vector<token_loss_state> states(rows, empty_token_loss);
    for (std::size_t row = 0; row < rows; ++row) {
        const auto values = random_logits(width, 2.0F, static_cast<unsigned>(row));
        std::copy(values.begin(), values.end(),
                  logits.begin() + static_cast<std::ptrdiff_t>(row * stride));
    }
    token_loss_strip(logits.data(), rows, width, stride, 10, targets.data(), states.data());
    BOOST_TEST(states[0].target_logit == -inf);  // token 5 is not in 10…46
    BOOST_TEST(states[1].target_logit == logits[stride + 30]);
    BOOST_TEST(states[2].target_logit == logits[2 * stride + 20]);
}

BOOST_AUTO_TEST_CASE(extreme_logits) {
    for (const auto set : available_sets()) {
        BOOST_TEST_CONTEXT(name_of(set)) {
            // One logit far above the others, in the first or the last strip.
            for (const std::size_t peak : {0U, 99U}) {
                std::vector<float> logits(100, -30000.0F);
                logits[peak] = 30000.0F;
                BOOST_TEST(scored(set, logits, peak, 17, 1) == 0.0F);
                BOOST_TEST(scored(set, logits, 50, 17, 1) == -60000.0F);
            }
            // Masked entries add nothing, even where they fill whole strips.
            std::vector<float> masked(64, -inf);
            masked[40] = 1.0F;
            masked[41] = 1.0F;
            BOOST_TEST(scored(set, masked, 40, 8, 0) == -std::log(2.0F),
                       boost::test_tools::tolerance(1e-6F));
            BOOST_TEST(scored(set, masked, 3, 8, 0) == -inf);
            // Nothing but masked entries, NaN and +inf are no distribution.
            BOOST_TEST(std::isnan(scored(set, std::vector<float>(20, -inf), 3, 7, 0)));
            for (const float bad : {inf, std::numeric_limits<float>::quiet_NaN()}) {
                for (const std::size_t at : {0U, 18U, 19U}) {
                    std::vector<float> logits(20, 0.5F);
                    logits[at] = bad;
                    BOOST_TEST(std::isnan(scored(set, logits, 3, 7, 0)));
                    BOOST_TEST(std::isnan(scored(set, logits, 3, 20, 0)));
                }
            }
            // Equal logits: log(1/n), and never above 0 for one token.
            BOOST_TEST(scored(set, std::vector<float>(1, 7.25F), 0, 1, 0) == 0.0F);
            BOOST_TEST(
                scored(set, std::vector<float>(49152, 7.25F), 9, 1024, 3) == -std::log(49152.0F),
                boost::test_tools::tolerance(1e-6F));
        }
    }
}

BOOST_AUTO_TEST_CASE(gradient_rows_match_the_reference_and_nothing_else_is_touched) {
    constexpr std::size_t rows = 3;
    for (const auto set : available_sets()) {
        for (const std::size_t width : {1U, 2U, 15U, 16U, 17U, 33U, 100U, 49153U}) {
            for (const float spread : {0.01F, 3.0F, 40.0F}) {
                BOOST_TEST_CONTEXT(name_of(set) << " width " << width << " spread " << spread) {
                    const std::size_t stride = width + 3;
                    std::vector<float> memory(rows * stride, 1e30F);
                    std::vector<std::int32_t> targets;
                    std::vector<std::vector<float>> values;
                    for (std::size_t row = 0; row < rows; ++row) {
                        values.push_back(random_logits(width, spread, static_cast<unsigned>(row)));
                        std::copy(values[row].begin(), values[row].end(),
                                  memory.begin() + static_cast<std::ptrdiff_t>(row * stride));
                        targets.push_back(static_cast<std::int32_t>(row * (width - 1) / 2));
                    }
                    std::vector<token_loss_state> states(rows);
                    std::vector<float> log_p(rows);
                    token_losses(set).gradient(memory.data(), rows, width, stride, targets.data(),
                                               states.data());
                    token_loss_finish(states.data(), rows, log_p.data());
                    for (std::size_t row = 0; row < rows; ++row) {
                        const auto target = static_cast<std::size_t>(targets[row]);
                        const double expected = reference(values[row], target);
                        BOOST_TEST(std::abs(log_p[row] - expected) <=
                                   2e-6 + 4e-7 * std::abs(expected));
                        double worst = 0;
                        for (std::size_t i = 0; i < width; ++i) {
                            const double p = std::exp(reference(values[row], i));
                            const double gradient = p - (i == target ? 1 : 0);
                            worst = std::max(
                                worst, std::abs(memory[row * stride + i] - gradient) - 2e-6 * p);
                            if (width > 1000 && i > 200 && i != target) i += 97;
                        }
                        BOOST_TEST(worst <= 1e-7);
                        for (std::size_t i = width; i < stride; ++i)
                            BOOST_TEST(memory[row * stride + i] == 1e30F);
                    }
                }
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(a_gradient_row_that_is_no_distribution_is_nan) {
    const float bad[] = {inf, std::numeric_limits<float>::quiet_NaN()};
    for (const auto set : available_sets()) {
        for (const float value : bad) {
            std::vector<float> logits(19, 0.5F);
            logits[18] = value;
            const std::int32_t target = 2;
            token_loss_state state;
            float log_p = 0;
            token_losses(set).gradient(logits.data(), 1, 19, 19, &target, &state);
            token_loss_finish(&state, 1, &log_p);
            BOOST_TEST(std::isnan(log_p));
            BOOST_TEST(std::isnan(logits[0]));
        }
    }
}

BOOST_AUTO_TEST_CASE(the_largest_logits_come_out_in_order) {
    for (const auto set : available_sets()) {
        for (const std::size_t width : {1U, 19U, 20U, 21U, 64U, 1000U, 49153U}) {
            BOOST_TEST_CONTEXT(name_of(set) << " width " << width) {
                auto logits = random_logits(width, 3.0F, static_cast<unsigned>(width));
                for (std::size_t i = 0; i < width; i += 3) logits[i] = logits[width - 1];  // ties
                float top[top_entropy_tokens];
                token_losses(set).top_tokens(logits.data(), 1, width, width, top);
                std::sort(logits.begin(), logits.end(), std::greater<>());
                logits.resize(top_entropy_tokens, -inf);
                BOOST_TEST(std::equal(logits.begin(), logits.end(), top));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(entropy_of_the_top_tokens) {
    const auto entropy_of = [](const std::vector<float>& logits) {
        float entropy = -1;
        top_entropy(logits.data(), 1, logits.size(), logits.size(), &entropy);
        return entropy;
    };
    BOOST_TEST(entropy_of(std::vector<float>(500, 3.0F)) == std::log(20.0F),
               boost::test_tools::tolerance(1e-6F));
    BOOST_TEST(entropy_of({7.0F}) == 0.0F);
    BOOST_TEST(entropy_of({7.0F, 7.0F, -inf}) == std::log(2.0F),
               boost::test_tools::tolerance(1e-6F));
    auto logits = random_logits(300, 4.0F, 5);
    auto sorted = logits;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    sorted.resize(20);
    double expected = 0;
    for (std::size_t i = 0; i < 20; ++i) {
        const double log_p = reference(sorted, i);
        expected -= std::exp(log_p) * log_p;
    }
    BOOST_TEST(double{entropy_of(logits)} == expected, boost::test_tools::tolerance(1e-6));
}

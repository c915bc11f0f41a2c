#include "cuset/kernels/token_loss.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
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
        token_loss_strip(set, memory.data() + offset, 1, width, width,
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

#include "token_blame.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <vector>

using namespace cuset;

namespace {

objective_settings settings(blamed_part part, std::size_t window = 4) {
    objective_settings s;
    s.kind = objective_kind::grpo;
    s.blame = part;
    s.window = window;
    return s;
}

const std::vector<bool> flags{true, false, true, false, false, false};
const std::vector<float> log_p{-0.1F, -0.1F, -0.1F, -3, -3, -0.1F};

using blame = std::vector<double>;

}  // namespace

BOOST_AUTO_TEST_SUITE(blamed_tokens_of_responses)

BOOST_AUTO_TEST_CASE(all_without_flags_or_probabilities) {
    BOOST_TEST((token_blame(settings(blamed_part::all), 3, nullptr, {}) == blame{1, 1, 1}));
    BOOST_TEST(blamed_tokens(settings(blamed_part::all), 3, &flags, log_p) == 3U);
}

BOOST_AUTO_TEST_CASE(code_by_its_flags) {
    const auto code = settings(blamed_part::code);
    BOOST_TEST((token_blame(code, 6, &flags, log_p) == blame{1, 0, 1, 0, 0, 0}));
    BOOST_TEST(blamed_tokens(code, 6, &flags, log_p) == 2U);
    BOOST_TEST(blamed_tokens(code, 6, nullptr, log_p) == 0U);
    const std::vector<bool> none;
    BOOST_TEST(blamed_tokens(code, 6, &none, log_p) == 0U);
}

BOOST_AUTO_TEST_CASE(confidence_above_tau) {
    // 0.0498, the confidence of the unsure tokens, is not above itself.
    auto confident = settings(blamed_part::confident);
    confident.tau = 0.5;
    BOOST_TEST((token_blame(confident, 6, &flags, log_p) == blame{1, 1, 1, 0, 0, 1}));
    confident.tau = std::exp(static_cast<double>(-3.F));
    BOOST_TEST(blamed_tokens(confident, 6, nullptr, log_p) == 4U);
    confident.tau = 0.049;
    BOOST_TEST(blamed_tokens(confident, 6, nullptr, log_p) == 6U);
    BOOST_TEST(blamed_tokens(confident, 0, nullptr, {}) == 0U);
}

BOOST_AUTO_TEST_CASE(what_cuset_keeps) {
    const std::vector<bool> unsure_code{false, false, false, true, false, false};
    auto kept = settings(blamed_part::cuset);
    BOOST_TEST((token_blame(kept, 6, &unsure_code, log_p) == blame{1, 1, 1, 1, 0, 1}));
    BOOST_TEST(blamed_tokens(kept, 6, nullptr, log_p) == 4U);
    kept.tau = 0.99;
    BOOST_TEST((token_blame(kept, 6, &unsure_code, log_p) == blame{0, 0, 0, 1, 0, 0}));
}

BOOST_AUTO_TEST_CASE(window_by_probabilities) {
    // A window of two at token t has t - 1 and t.
    BOOST_TEST((token_blame(settings(blamed_part::window, 2), 6, nullptr, log_p) ==
                blame{0, 0, 0, 1, 1, 0}));
    BOOST_TEST(blamed_tokens(settings(blamed_part::window, 2), 6, &flags, log_p) == 2U);
    BOOST_TEST(blamed_tokens(settings(blamed_part::window, 100), 6, nullptr, log_p) == 6U);
    BOOST_TEST(blamed_tokens(settings(blamed_part::window), 0, nullptr, {}) == 0U);
}

BOOST_AUTO_TEST_CASE(probabilities_above_one_by_rounding) {
    const std::vector<float> sure(6, 1e-6F);
    BOOST_TEST(blamed_tokens(settings(blamed_part::window, 2), 6, nullptr, sure) >= 1U);
}

BOOST_AUTO_TEST_SUITE_END()

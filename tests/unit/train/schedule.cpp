#include "cuset/train/schedule.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <numbers>

using namespace cuset;

BOOST_AUTO_TEST_CASE(warm_up_is_a_share_rounded_up_or_a_number) {
    BOOST_TEST(warmup_steps({.warmup = 0.1}, 100) == 10u);
    BOOST_TEST(warmup_steps({.warmup = 0.1}, 101) == 11u);
    BOOST_TEST(warmup_steps({.warmup = 0.1}, 1) == 1u);
    BOOST_TEST(warmup_steps({.warmup = 0}, 100) == 0u);
    BOOST_TEST(warmup_steps({.warmup = 7}, 100) == 7u);
}

// The numbers come from transformers with these arguments.
BOOST_AUTO_TEST_CASE(rates) {
    const schedule_settings cosine{schedule_kind::cosine, 1e-4, 0.1};
    const auto near = boost::test_tools::tolerance(1e-12);
    BOOST_TEST(learning_rate(cosine, 0, 100) == 0.0);
    BOOST_TEST(learning_rate(cosine, 5, 100) == 0.5e-4, near);
    BOOST_TEST(learning_rate(cosine, 10, 100) == 1e-4, near);
    BOOST_TEST(learning_rate(cosine, 55, 100) == 0.5e-4, near);
    BOOST_TEST(
        learning_rate(cosine, 99, 100) == 0.5e-4 * (1 + std::cos(std::numbers::pi * 89 / 90)),
        near);
    const schedule_settings linear{schedule_kind::linear, 2.0, 10};
    BOOST_TEST(learning_rate(linear, 9, 110) == 1.8, near);
    BOOST_TEST(learning_rate(linear, 60, 110) == 1.0, near);
    const schedule_settings constant{schedule_kind::constant, 2.0, 4};
    BOOST_TEST(learning_rate(constant, 1, 110) == 0.5, near);
    BOOST_TEST(learning_rate(constant, 100, 110) == 2.0, near);
    // A warm-up as long as the run, or longer, must not divide by zero.
    BOOST_TEST(learning_rate({schedule_kind::cosine, 1.0, 10}, 9, 10) == 0.9, near);
    BOOST_TEST(std::isfinite(learning_rate({schedule_kind::linear, 1.0, 0.5}, 0, 1)));
}

BOOST_AUTO_TEST_CASE(schedule_names) {
    for (const auto kind : {schedule_kind::cosine, schedule_kind::linear, schedule_kind::constant})
        BOOST_TEST((schedule_by_name(name_of(kind)) == kind));
    BOOST_TEST(!schedule_by_name("cosin").has_value());
}

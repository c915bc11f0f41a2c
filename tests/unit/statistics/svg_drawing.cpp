#include "cuset/statistics/svg_drawing.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace cuset;

BOOST_AUTO_TEST_SUITE(drawings)

BOOST_AUTO_TEST_CASE(ticks_that_lie_close_together_have_digits_of_their_own) {
    BOOST_TEST(tick_text(2.08706, 2e-5) == "2.08706");
    BOOST_TEST(tick_text(2.087062, 2e-6) == "2.087062");
    BOOST_TEST(tick_text(12345678, 1) == "12345678");
    BOOST_TEST(tick_text(0.1 + 0.2, 0.1) == "0.3");
    BOOST_TEST(tick_text(12000, 2000) == "12000");
    BOOST_TEST(tick_text(0.3 - 0.1 - 0.2, 0.1) == "0");
    BOOST_TEST(tick_text(-0.25, 0.05) == "-0.25");
}

BOOST_AUTO_TEST_SUITE_END()

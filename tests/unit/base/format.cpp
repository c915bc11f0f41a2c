#include "cuset/base/format.h"

#include <boost/test/unit_test.hpp>

BOOST_AUTO_TEST_CASE(formats_as_printf_does) {
    BOOST_TEST(cuset::format("%s %.3g", "x", 0.12345) == "x 0.123");
    BOOST_TEST(cuset::format("%s", "").empty());
    const std::string long_text(5000, 'x');
    BOOST_TEST(cuset::format("<%s>", long_text.c_str()) == '<' + long_text + '>');
}

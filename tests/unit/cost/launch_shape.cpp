#include "cuset/cost/launch_shape.h"

#include <boost/test/unit_test.hpp>

using namespace cuset;

BOOST_AUTO_TEST_SUITE(launch_shapes)

BOOST_AUTO_TEST_CASE(of_json) {
    BOOST_TEST((launch_shape_of("256") == launch_shape{256, 1, 1}));
    BOOST_TEST((launch_shape_of("[4, 2]") == launch_shape{4, 2, 1}));
    BOOST_TEST((launch_shape_of("[4,2,3]") == launch_shape{4, 2, 3}));
    for (const char* wrong : {"[]", "[1,2,3,4]", "0", "[4,0]", "-1", "1.5", "\"4\"", "[\"4\"]",
                              "[[4]]", "{}", "true", "null", "", "[4"})
        BOOST_TEST(!launch_shape_of(wrong).has_value(), wrong);
    BOOST_TEST(shown({4, 2, 1}) == "(4, 2, 1)");
}

BOOST_AUTO_TEST_SUITE_END()

#define BOOST_TEST_MODULE refine
#include <boost/test/unit_test.hpp>

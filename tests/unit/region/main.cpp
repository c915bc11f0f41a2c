#define BOOST_TEST_MODULE region
#include <boost/test/unit_test.hpp>

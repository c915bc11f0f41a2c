#define BOOST_TEST_MODULE judge
#include <boost/test/unit_test.hpp>

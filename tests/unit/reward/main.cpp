#define BOOST_TEST_MODULE reward
#include <boost/test/unit_test.hpp>

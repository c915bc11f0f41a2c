#define BOOST_TEST_MODULE cost
#include <boost/test/unit_test.hpp>

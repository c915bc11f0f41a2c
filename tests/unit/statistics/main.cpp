#define BOOST_TEST_MODULE statistics
#include <boost/test/unit_test.hpp>

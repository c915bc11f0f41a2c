#define BOOST_TEST_MODULE syntax
#include <boost/test/unit_test.hpp>

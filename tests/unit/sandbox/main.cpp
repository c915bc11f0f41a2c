#define BOOST_TEST_MODULE sandbox
#include <boost/test/unit_test.hpp>

#define BOOST_TEST_MODULE sample
#include <boost/test/unit_test.hpp>

#define BOOST_TEST_MODULE view
#include <boost/test/unit_test.hpp>

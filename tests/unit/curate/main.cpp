#define BOOST_TEST_MODULE curate
#include <boost/test/unit_test.hpp>

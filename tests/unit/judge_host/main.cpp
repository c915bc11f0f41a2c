#define BOOST_TEST_MODULE judge_host
#include <boost/test/unit_test.hpp>

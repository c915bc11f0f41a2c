#define BOOST_TEST_MODULE endpoint
#include <boost/test/unit_test.hpp>
#include <cstdlib>

// The server of these tests is on loopback, whatever proxy there is.
struct no_proxy {
    no_proxy() {
        ::setenv("no_proxy", "*", 1);
        ::setenv("NO_PROXY", "*", 1);
    }
};
BOOST_TEST_GLOBAL_CONFIGURATION(no_proxy);

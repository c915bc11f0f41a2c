#include "cuset/curate/twin_files.h"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace cuset;

BOOST_AUTO_TEST_SUITE(twins)

BOOST_AUTO_TEST_CASE(paths_of_twins_are_one) {
    const auto are_one = [](std::string_view one, std::string_view other) {
        return path_without_language(one) == path_without_language(other);
    };
    BOOST_TEST(are_one("src/scan-cuda/main.cu", "src/scan-hip/main.cu"));
    BOOST_TEST(are_one("src/scan-cuda/main.cu", "src/scan-hip/main.hip"));
    BOOST_TEST(are_one("scan.cu", "scan.hip"));
    BOOST_TEST(are_one("scan.cu", "scan.cu.hip"));
    BOOST_TEST(are_one("scan.cuh", "scan.cuh.hip"));
    BOOST_TEST(are_one("scan.v2.cu", "scan.v2.hip"));
    BOOST_TEST(are_one("CUDA/scan.cu", "HIP/scan.cu"));
    BOOST_TEST(are_one("scan_cuda.h", "scan_hip.h"));
    BOOST_TEST(!are_one("scan-cuda/main.cu", "sort-hip/main.cu"));
    BOOST_TEST(!are_one("scan-cuda/main.cu", "scan-hip/main.cuh"));
    BOOST_TEST(!are_one("cudascan/main.cu", "hipscan/main.cu"));
    BOOST_TEST(!are_one("ship/main.cu", "scuda/main.cu"));
    BOOST_TEST(!are_one("été-cuda/main.cu", "ét-hip/main.cu"));
}

BOOST_AUTO_TEST_SUITE_END()

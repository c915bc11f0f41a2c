// What counts as a launch if nobody counts launches.
#include "trial/launches_in_source.h"

#include <boost/test/unit_test.hpp>
#include <string>

using cuset::call_about_peers;
using cuset::can_launch;
using cuset::error_after_fault;

BOOST_AUTO_TEST_SUITE(launches_in_source)

BOOST_AUTO_TEST_CASE(launches) {
    BOOST_TEST(can_launch("__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n"));
    BOOST_TEST(can_launch("int main() { cudaLaunchKernel((void*)k, 1, 1, a, 0, 0); }\n"));
    BOOST_TEST(!can_launch("__global__ void k() {}\nint main() { k(); }\n"));
    BOOST_TEST(!can_launch("int main() { /* k<<<1, 1>>>() */ puts(\"k<<<1, 1>>>()\"); }\n"));
    BOOST_TEST(!can_launch("#if 0\nint main() { k<<<1, 1>>>(); }\n#endif\n"));
    BOOST_TEST(!can_launch(""));
}

BOOST_AUTO_TEST_CASE(macros_that_are_used) {
    const std::string run = "#define RUN(k, ...) k<<<1, 1>>>(__VA_ARGS__)\n";
    BOOST_TEST(!can_launch(run + "int main() {}\n"));
    BOOST_TEST(can_launch(run + "int main() { RUN(k, 1); }\n"));
    // Through another; and one that only another unused one uses.
    BOOST_TEST(can_launch(run + "#define GO RUN(k, 1)\nint main() { GO; }\n"));
    BOOST_TEST(!can_launch(run + "#define GO RUN(k, 1)\nint main() {}\n"));
}

BOOST_AUTO_TEST_CASE(libraries) {
    for (const char* line :
         {"#include <cub/cub.cuh>", "#include \"cublas_v2.h\"", "# include <thrust/sort.h>",
          "#include <cufft.h>", "#include <cutlass/gemm/device/gemm.h>", "#include <nppi.h>",
          "auto x = thrust::reduce(a, b);", "using namespace cub;", "namespace c = cutlass::gemm;"})
        BOOST_TEST(can_launch(std::string(line) + '\n'), line);
    for (const char* line :
         {"int npp = 3;", "float cub = 1, thrust = 2;", "// #include <cub/cub.cuh>",
          "#include \"mycub/x.h\"", "#include <cuda_runtime.h>", "struct cutlass {};",
          "#if 0\n#include <cub/cub.cuh>\n#endif"})
        BOOST_TEST(!can_launch(std::string(line) + '\n'), line);
}

BOOST_AUTO_TEST_CASE(calls_about_peers) {
    BOOST_TEST(call_about_peers("int main() { int c; cudaDeviceCanAccessPeer(&c, 0, 1); }") ==
               "cudaDeviceCanAccessPeer");
    BOOST_TEST(call_about_peers("// cudaDeviceEnablePeerAccess\nconst char* s = "
                                "\"cudaDeviceEnablePeerAccess\";") == "");
    BOOST_TEST(call_about_peers("") == "");
}

BOOST_AUTO_TEST_CASE(errors_after_faults) {
    using cuset::failure;
    const auto met = [](std::string_view source, failure why, std::string told) {
        return error_after_fault(source, {why, std::move(told)});
    };
    const std::string asserted =
        "kernel k, block (0,0,0): Assertion failed (710, device-side assert triggered)";
    const std::string trapped = "kernel k, block (0,0,0), thread (0,0,0): calls __trap";
    const char* const meets_assert = "int main() { return cudaGetLastError() == cudaErrorAssert; }";
    BOOST_TEST(met(meets_assert, failure::launch_error, asserted) == "cudaErrorAssert");
    // Another fault, a launch that a device refuses, and tables of errors.
    BOOST_TEST(met(meets_assert, failure::launch_error, trapped) == "");
    BOOST_TEST(met(meets_assert, failure::illegal_address, "kernel k: reads") == "");
    BOOST_TEST(
        met(meets_assert, failure::launch_error, "kernel k: invalid configuration argument") == "");
    BOOST_TEST(met("switch (e) { case cudaErrorAssert: return 1; }", failure::launch_error,
                   asserted) == "");
    BOOST_TEST(met("bool b = r == CUDA_ERROR_LAUNCH_FAILED;", failure::launch_error, trapped) ==
               "CUDA_ERROR_LAUNCH_FAILED");
    BOOST_TEST(met("EXPECT(cudaErrorIllegalAddress, e);", failure::illegal_address,
                   "kernel k: reads") == "cudaErrorIllegalAddress");
    const std::string misaligned = "kernel k, block (0,0,0): misaligned address: float4 needs";
    BOOST_TEST(met("e == cudaErrorMisalignedAddress;", failure::illegal_address, misaligned) ==
               "cudaErrorMisalignedAddress");
    BOOST_TEST(met("e == cudaErrorIllegalAddress;", failure::illegal_address, misaligned) == "");
    BOOST_TEST(met("// cudaErrorAssert\nconst char* s = \"cudaErrorAssert\";",
                   failure::launch_error, asserted) == "");
}

BOOST_AUTO_TEST_SUITE_END()

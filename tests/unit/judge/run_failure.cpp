// What a failing program said of CUDA.
#include "trial/run_failure.h"

#include <boost/test/unit_test.hpp>

using namespace cuset;

BOOST_AUTO_TEST_SUITE(run_failures)

BOOST_AUTO_TEST_CASE(phrases) {
    run_report report;
    report.code = 1;
    BOOST_TEST(!printed_cuda_error(report));
    report.out = "x\nCUDA error: an illegal memory access was encountered (700)\n";
    const auto address = printed_cuda_error(report);
    BOOST_REQUIRE(address.has_value());
    BOOST_TEST((address->why == failure::illegal_address));
    BOOST_TEST(address->diagnostic == "CUDA error: an illegal memory access was encountered (700)");
    // What it says of devices can be left out, for one that lies.
    report.err = "no CUDA-capable device is detected\n";
    BOOST_TEST((printed_cuda_error(report)->why == failure::evaluator));
    BOOST_TEST((printed_cuda_error(report, false)->why == failure::illegal_address));
    report.out.clear();
    BOOST_TEST(!printed_cuda_error(report, false));
}

BOOST_AUTO_TEST_CASE(an_end_is_what_it_is) {
    run_report report;
    report.code = 1;
    report.err = "no CUDA-capable device is detected\n";
    const program_fault exit = failure_of_run(report, {});
    BOOST_TEST((exit.why == failure::wrong_exit));
    BOOST_TEST(exit.diagnostic == "exit code 1: no CUDA-capable device is detected");
    // The program's own words, wherever they are, and not those of the runtime that it ran on.
    report.err = "cuset-host: note: 3 allocations of 12 bytes never freed\n";
    report.out = "\n  sums differ\n";
    BOOST_TEST(failure_of_run(report, {}).diagnostic == "exit code 1:   sums differ");
    report.err += "row 3 is wrong\n";
    BOOST_TEST(failure_of_run(report, {}).diagnostic == "exit code 1: row 3 is wrong");
    report.end = run_end::signalled;
    report.code = 6;
    BOOST_TEST((failure_of_run(report, {}).why == failure::crash));
}

BOOST_AUTO_TEST_SUITE_END()

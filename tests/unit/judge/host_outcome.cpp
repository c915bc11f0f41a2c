// The host runtime's reports about a program.
#include "trial/host_outcome.h"

#include <boost/test/unit_test.hpp>

using namespace cuset;

namespace {

void tells(const std::string& lines, failure why, const std::string& diagnostic) {
    const auto fault = host_outcome_of(lines).fault;
    BOOST_REQUIRE(fault.has_value());
    BOOST_TEST((fault->why == why), lines);
    BOOST_TEST(fault->diagnostic == diagnostic);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(host_outcomes)

BOOST_AUTO_TEST_CASE(notes) {
    BOOST_TEST(host_outcome_of("runtime\nnote: 2 allocations\nnote: more\n").note ==
               "2 allocations");
    BOOST_TEST(host_outcome_of("fault race: note: no\n").note.empty());
    BOOST_TEST(host_outcome_of("note: cut").note.empty());
    BOOST_TEST(host_outcome_of("").note.empty());
}

BOOST_AUTO_TEST_CASE(failed_calls) {
    const std::string lines =
        "runtime\ncall cudaFree in line 3 returned invalid argument\ncall b in line 4 returned c\n";
    BOOST_TEST(host_outcome_of(lines).failed_call ==
               "cudaFree in line 3 returned invalid argument");
    BOOST_TEST(host_outcome_of("note: call x\ncall cut").failed_call.empty());
}

BOOST_AUTO_TEST_CASE(faults) {
    tells("runtime\nnote: 3 allocations are left\nfault out_of_bounds: kernel k\n",
          failure::out_of_bounds, "kernel k");
    tells("fault unsupported: cudaGraphLaunch\n", failure::unsupported, "cudaGraphLaunch");
    tells("fault race: a: b\n\n", failure::race, "a: b");
    tells("fault illegal_address: x\n", failure::illegal_address, "x");
    tells("fault uninitialised_read: x\n", failure::uninitialised_read, "x");
    tells("fault use_after_free: x\n", failure::use_after_free, "x");
    tells("fault barrier_divergence: x\n", failure::barrier_divergence, "x");
    tells("fault crash: host code, line 3: stack-overflow\n", failure::crash,
          "host code, line 3: stack-overflow");
    // Kinds that the runtime does not have, above all those of the evaluator.
    tells("fault evaluator: x\n", failure::crash, "evaluator: x");
    tells("fault none: x\n", failure::crash, "none: x");
    // A fault has a beginning and a conclusion; the conclusion counts if there is one.
    tells("fault race\nfault race: x\nfault race: y\n", failure::race, "x");
    tells("fault race\n", failure::race, "the program ended before the runtime could say where");
    BOOST_TEST(!host_outcome_of("").fault);
    BOOST_TEST(!host_outcome_of("note: x\n").fault);
    BOOST_TEST(!host_outcome_of("fault race: cut").fault);
}

BOOST_AUTO_TEST_CASE(all_findings) {
    const std::vector<finding> found =
        host_outcome_of(
            "runtime\nnote: n\nfault race\nfault race: a, line 3: x\nfault race: a, line 4\n"
            "fault race: b, line 3: y\nfault uninitialised_read: a, line 3\nnote: n\n"
            "fault out_of_bounds: k\nfault unsupported: u\n")
            .findings;
    const std::vector<finding> wanted{{failure::race, "a, line 3: x"},
                                      {failure::race, "a, line 4"},
                                      {failure::uninitialised_read, "a, line 3"},
                                      {failure::out_of_bounds, "k"},
                                      {failure::none, "n"}};
    BOOST_TEST((found == wanted));
    BOOST_TEST(host_outcome_of("runtime\nnote: n\n").findings.empty());
    BOOST_TEST(host_outcome_of("fault unsupported: u\nnote: n\n").findings.empty());
    std::string many;
    for (int i = 1; i < 50; ++i) many += "fault race: line " + std::to_string(i) + "\n";
    BOOST_TEST(host_outcome_of(many + "note: n\n").findings.size() == most_findings);
}

BOOST_AUTO_TEST_CASE(refusals_of_launches) {
    const auto refused =
        host_outcome_of("runtime\nrefused k<a, b> 12: invalid configuration argument\n").cuda_error;
    BOOST_REQUIRE(refused.has_value());
    BOOST_TEST((refused->why == failure::launch_error));
    BOOST_TEST(refused->diagnostic ==
               "kernel k<a, b>, launched in line 12: invalid configuration argument");
    for (const char* text : {"", "refused\n", "refused \n", "refused : \n", "refused k\n"})
        BOOST_TEST(!host_outcome_of(text).cuda_error, text);
}

BOOST_AUTO_TEST_CASE(what_ran_when_the_time_ended) {
    BOOST_TEST(host_outcome_of("runtime\nrunning k<a, b> 12\nrunning q 3\nending\n").running ==
               "kernel k<a, b>, launched in line 12");
    for (const char* text : {"", "ending\n", "running \n", "running k\n", "running k \n"})
        BOOST_TEST(host_outcome_of(text).running.empty(), text);
}

BOOST_AUTO_TEST_CASE(kernels) {
    BOOST_TEST(!host_outcome_of("").kernels);
    const auto none = host_outcome_of("runtime\n").kernels;
    BOOST_REQUIRE(none.has_value());
    BOOST_TEST((none->launches == 0U && none->bytes_read == 0U));
    const auto some =
        host_outcome_of("runtime\nlaunches 1\nfrom-kernels 4\nlaunches 2\nfrom-kernels 64\n")
            .kernels;
    BOOST_TEST((some->launches == 2U && some->bytes_read == 64U));
}

BOOST_AUTO_TEST_CASE(digests) {
    BOOST_TEST(
        host_outcome_of("runtime\ndigest 1 k 3 aa\nlaunches 1\ndigest 2 k 4 bb\n").launches ==
        "1 k 3 aa\n2 k 4 bb\n");
    BOOST_TEST(host_outcome_of("digest 1 k 3 aa\ndigests void\n").launches.empty());
}

BOOST_AUTO_TEST_SUITE_END()

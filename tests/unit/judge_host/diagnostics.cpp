// What g++, the runtime and AddressSanitizer say, as verdicts.
#include <boost/test/unit_test.hpp>

#include "cuset/judge/host/host_backend.h"
#include "host_diagnostics.h"
#include "host_fault.h"

using namespace cuset;

namespace {

run_report ended(int code, const std::string& err) {
    run_report report;
    report.code = code;
    report.err = err;
    return report;
}

void tells(const std::string& err, failure why, const std::string& diagnostic) {
    const auto told = told_by_runtime(ended(97, err));
    BOOST_REQUIRE(told.has_value());
    BOOST_TEST((told->why == why), err);
    BOOST_TEST(told->diagnostic == diagnostic);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(host_diagnostics)

BOOST_AUTO_TEST_CASE(lines_of_the_program) {
    const std::vector<std::size_t> expected{3, 31, 12};
    BOOST_TEST(program_lines("In file included from program.cu:3:\n"
                             "/c/include/execution.h:9:1: error: no\n"
                             "program.cu:31:7:   required from here\n"
                             "program.cu:(.text+0x5): x\n/job/program.cu:12:5: note: y") ==
               expected);
    BOOST_TEST(program_lines("").empty());
}

BOOST_AUTO_TEST_CASE(errors_in_nvccs_form) {
    BOOST_TEST(first_gxx_error("program.cu: In function 'int main()':\n"
                               "program.cu:12:5: error: 'x' was not declared in this scope\n"
                               "program.cu:13:5: error: another\n") ==
               "program.cu(12): error: 'x' was not declared in this scope");
    BOOST_TEST(first_gxx_error("In file included from program.cu:3:\n"
                               "/c/include/execution.h:9:1: error: static assertion failed\n") ==
               "program.cu(3): error: static assertion failed");
    BOOST_TEST(first_gxx_error("/c/include/execution.h: In instantiation of 'f':\n"
                               "program.cu:31:7:   required from here\n"
                               "/c/include/execution.h:9:1: error: no match\n") ==
               "program.cu(31): error: no match");
    BOOST_TEST(first_gxx_error("program.cu:1:10: fatal error: x.h: No such file or directory\n") ==
               "program.cu(1): error: x.h: No such file or directory");
    BOOST_TEST(first_gxx_error("/usr/bin/ld: /tmp/a.o: in function `main':\n"
                               "program.cu:(.text+0x5): undefined reference to `f()'\n"
                               "collect2: error: ld returned 1 exit status\n") ==
               "program.cu:(.text+0x5): undefined reference to `f()'");
    BOOST_TEST(first_gxx_error("").empty());
}

BOOST_AUTO_TEST_CASE(notes) {
    BOOST_TEST(noted_by_runtime(ended(0,
                                      "mine\ncuset-host: note: 2 allocations\n"
                                      "cuset-host: note: more\n")) == "2 allocations");
    BOOST_TEST(noted_by_runtime(ended(0, "said cuset-host: note: no\n")).empty());
    BOOST_TEST(noted_by_runtime(ended(0, "cuset-host: note: cut")) == "cut");
    BOOST_TEST(noted_by_runtime(ended(0, "")).empty());
}

BOOST_AUTO_TEST_CASE(uninitialised) {
    BOOST_TEST(
        uninitialised_use("/c/a.h:3:1: warning: 'y' is used uninitialized [-Wuninitialized]\n"
                          "program.cu: In function 'f':\n"
                          "program.cu:9:14: warning: overflow in 'int' [-Woverflow]\n"
                          "program.cu:29:19: warning: \u2018k\u2019 may be used uninitialized "
                          "[-Wmaybe-uninitialized]\n"
                          "program.cu:31:1: warning: 'z' is used uninitialized "
                          "[-Wuninitialized]\n") == "line 29: 'k' may be used uninitialised");
    BOOST_TEST(uninitialised_use("program.cu:3:1: warning: 'z' is used uninitialized "
                                 "[-Wuninitialized]") == "line 3: 'z' is used uninitialised");
    BOOST_TEST(uninitialised_use("program.cu:3:1: error: 'z'\n").empty());
    BOOST_TEST(uninitialised_use("").empty());
}

BOOST_AUTO_TEST_CASE(names_of_cuda) {
    const auto name = [](const std::string& message) {
        return missing_of_cuda("program.cu:4:5: error: " + message + "\n");
    };
    const std::string unknown = " was not declared in this scope";
    for (const std::string known : {"cudaGraphCreate", "cuInit", "__nv_fast", "__vadd2", "tex2DLod",
                                    "atomicFoo_system", "cublasSgemm"})
        BOOST_TEST(name("'" + known + "'" + unknown) == known);
    BOOST_TEST(name("\u2018cudaGraph_t\u2019 does not name a type") == "cudaGraph_t");
    BOOST_TEST(name("\u2018cub\u2019 has not been declared") == "cub");
    BOOST_TEST(name("'memcpy_async' is not a member of 'cooperative_groups'") ==
               "cooperative_groups::memcpy_async");
    BOOST_TEST(name("'struct cudaDeviceProp' has no member named 'luid'") ==
               "cudaDeviceProp::luid");
    BOOST_TEST(name("'named_launch' is not a member of 'cuset_host'") ==
               "cuset_host::named_launch");
    for (const std::string own : {"thrice", "cut", "custom", "cudart", "x", "Cuda"})
        BOOST_TEST(name("'" + own + "'" + unknown) == "");
    BOOST_TEST(name("expected ';' before 'cudaMalloc'") == "");
    BOOST_TEST(name("cannot convert 'cudaError_t' to 'float*'") == "");
    BOOST_TEST(missing_of_cuda("program.cu:1:10: fatal error: cublas_v2.h: No such file or "
                               "directory\n") == "<cublas_v2.h>");
    BOOST_TEST(missing_of_cuda("program.cu:1:10: fatal error: mine.h: No such file or "
                               "directory\n") == "");
    BOOST_TEST(missing_of_cuda("a.o: undefined reference to `f()'\n"
                               "a.o: undefined reference to `cudaGraphLaunch'\n"
                               "collect2: error: ld returned 1 exit status\n") ==
               "cudaGraphLaunch");
    BOOST_TEST(missing_of_cuda("a.o: undefined reference to `main'\ncollect2: error: ld\n") == "");
}

BOOST_AUTO_TEST_CASE(faults) {
    tells("hello\ncuset-host: note: 3 allocations are left\ncuset-host: out_of_bounds: kernel k\n",
          failure::out_of_bounds, "kernel k");
    tells("cuset-host: unsupported: cudaGraphLaunch\n", failure::unsupported, "cudaGraphLaunch");
    tells("cuset-host: race: a: b\n\n", failure::race, "a: b");
    tells("cuset-host: illegal_address: x", failure::illegal_address, "x");
    tells("cuset-host: uninitialised_read: x", failure::uninitialised_read, "x");
    tells("cuset-host: use_after_free: x", failure::use_after_free, "x");
    tells("cuset-host: barrier_divergence: x", failure::barrier_divergence, "x");
    // Kinds that the runtime does not have, above all those of the evaluator.
    tells("cuset-host: evaluator: x", failure::crash, "evaluator: x");
    tells("cuset-host: none: x", failure::crash, "none: x");
    const std::string line = "cuset-host: race: x\n";
    BOOST_TEST(!told_by_runtime(ended(96, line)));
    BOOST_TEST(!told_by_runtime(ended(0, line)));
    BOOST_TEST(!told_by_runtime(ended(97, line + "and more\n")));
    BOOST_TEST(!told_by_runtime(ended(97, "")));
    BOOST_TEST(!told_by_runtime(ended(97, "cuset-host: note: x\n")));
    BOOST_TEST(!told_by_runtime(ended(97, "cuset-host: race\n")));
    run_report killed = ended(97, line);
    killed.end = run_end::signalled;
    BOOST_TEST(!told_by_runtime(killed));
}

BOOST_AUTO_TEST_CASE(sanitizer) {
    const auto told = told_by_sanitizer(
        ended(1,
              "=================\n==2==ERROR: AddressSanitizer: heap-buffer-overflow on address "
              "0x1 at pc 0x2\nWRITE of size 4 at 0x1 thread T0\n"
              "    #0 0x40 in main program.cu:21\n"));
    BOOST_REQUIRE(told.has_value());
    BOOST_TEST((told->why == failure::out_of_bounds));
    BOOST_TEST(told->diagnostic == "host code, line 21: heap-buffer-overflow");
    const auto freed =
        told_by_sanitizer(ended(1, "==2==ERROR: AddressSanitizer: heap-use-after-free on x\n"));
    BOOST_TEST((freed && freed->why == failure::use_after_free));
    const auto twice = told_by_sanitizer(
        ended(1,
              "==2==ERROR: AddressSanitizer: attempting double-free on 0x1 in thread T0:\n"
              "    #1 0x40 in main program.cu:9\n"));
    BOOST_TEST((twice && twice->diagnostic == "host code, line 9: attempting double-free"));
    BOOST_TEST(!told_by_sanitizer(ended(0, "ERROR: AddressSanitizer: x on y")));
    BOOST_TEST(!told_by_sanitizer(ended(1, "")));
}

BOOST_AUTO_TEST_CASE(flags) {
    const auto taken = host_flags_of({"-DN=4", "-U", "M", "-O3", "-std=c++20", "-lineinfo", "-I/x",
                                      "--use_fast_math", "-std=c++14", "-D"});
    BOOST_TEST((taken.flags == std::vector<std::string>{"-DN=4", "-UM", "-I/x", "-D"}));
    BOOST_TEST(taken.standard == "gnu++20");
    BOOST_TEST((taken.ignored ==
                std::vector<std::string>{"-O3", "-lineinfo", "--use_fast_math", "-std=c++14"}));
    BOOST_TEST(host_flags_of({}).standard == "gnu++17");
    // What nvcc takes more, by any of the names that it has.
    BOOST_TEST(!host_flags_of({"-O3"}).dialect.extended_lambda);
    BOOST_TEST(!host_flags_of({"-O3"}).dialect.relaxed_constexpr);
    for (const char* flag : {"--extended-lambda", "-extended-lambda", "--expt-extended-lambda"}) {
        BOOST_TEST(host_flags_of({flag}).dialect.extended_lambda);
        BOOST_TEST(host_flags_of({flag}).ignored.empty());
    }
    BOOST_TEST(host_flags_of({"--expt-relaxed-constexpr"}).dialect.relaxed_constexpr);
}

BOOST_AUTO_TEST_SUITE_END()

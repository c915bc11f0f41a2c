// Flags of nvcc that a task's own program needs, with a compiler that asks for them.
#include "trial/task_flags.h"

#include <boost/test/unit_test.hpp>

#include "trial/asked_flags.h"

using namespace cuset;

namespace {

/// Refuses a program for each flag whose letter it holds and that is not given: L for lambdas, C
/// for constexpr; and each that holds X. What holds l or c is refused by the stricter compiler
/// alone, and so is what holds S or B without cuSOLVER or cuBLAS.
class asking_backend final : public program_backend {
public:
    mutable int compiled = 0;

    backend_description description() const override {
        return {.name = "host", .toolchain = "scripted"};
    }
    status check() const override { return {}; }
    static compilation asked(std::string_view source, const flag_list& flags, char lambda,
                             char constant) {
        const auto lacks = [&](char letter, const char* flag) {
            return source.find(letter) != source.npos &&
                   std::find(flags.begin(), flags.end(), flag) == flags.end();
        };
        compilation done;
        if (lacks(lambda, "--extended-lambda"))
            done.diagnostic = "annotation on lambda requires --extended-lambda nvcc flag";
        else if (lacks(constant, "--expt-relaxed-constexpr"))
            done.messages =
                "The experimental flag '--expt-relaxed-constexpr' can be used to allow this.";
        else if (source.find('X') != source.npos)
            done.diagnostic = "expected ';'";
        else
            return done;
        done.end = compile_end::error;
        return done;
    }
    result<compilation> compile(const program_source& program, program_form) const override {
        ++compiled;
        return asked(program.files.front().content, program.flags, 'L', 'C');
    }
    result<compilation> confirm(const program_source& program) const override {
        const std::string& source = program.files.front().content;
        const flag_list& flags = program.flags;
        compilation done = asked(source, flags, 'l', 'c');
        const auto misses = [&](char letter, const char* flag, const char* call) {
            if (source.find(letter) == source.npos || done.end == compile_end::error ||
                std::find(flags.begin(), flags.end(), flag) != flags.end())
                return;
            done.end = compile_end::link_error;
            done.diagnostic += std::string("a.o: undefined reference to `") + call + "'\n";
        };
        misses('S', "-lcusolver", "cusolverDnCreate");
        misses('B', "-lcublasLt", "cublasLtCreate");
        misses('D', "-lcuda", "cuMemAlloc_v2");
        misses('O', "-lcudaother", "cudaMallocOther");
        misses('P', "-lcusparse", "cusparseCreate");
        if (source.find('P') != source.npos && done.end == compile_end::compiled) {
            done.end = compile_end::link_error;
            done.diagnostic = "/usr/bin/ld: cannot find -lcusparse: No such file or directory";
        }
        return done;
    }
    result<run_report> run(const std::filesystem::path&, sandbox_request, run_order,
                           const std::filesystem::path&) const override {
        return run_report{};
    }
};

struct answered {
    compile_end end;
    flag_list flags;
};

answered compiled(const char* own, const char* answer, bool are_fixed = false) {
    const asking_backend backend;
    task_flags flags_of(backend, are_fixed);
    task of;
    of.program = own;
    answered got{};
    auto made = flags_of.compile(of, answer, got.flags);
    BOOST_REQUIRE(made);
    if (made->end == compile_end::compiled) made = flags_of.confirm(of, answer, got.flags);
    BOOST_REQUIRE(made);
    got.end = made->end;
    return got;
}

const std::string lambda = "--extended-lambda", constant = "--expt-relaxed-constexpr";

}  // namespace

BOOST_AUTO_TEST_SUITE(flags_of_tasks)

BOOST_AUTO_TEST_CASE(the_tasks_own_program_decides) {
    BOOST_CHECK(compiled("L", "L").end == compile_end::compiled);
    BOOST_CHECK(compiled("L", "L").flags == flag_list{lambda});
    BOOST_CHECK(compiled("LC", "L").flags == (flag_list{lambda, constant}));
    BOOST_CHECK(compiled("LC", "C").end == compile_end::compiled);
    BOOST_CHECK(compiled("c", "c").end == compile_end::compiled);
    BOOST_CHECK(compiled("lC", "l").end == compile_end::compiled);
    // The answer alone needs one.
    BOOST_CHECK(compiled("", "L").end == compile_end::error);
    BOOST_CHECK(compiled("plain", "c").end == compile_end::error);
    BOOST_CHECK(compiled("L", "C").end == compile_end::error);
    BOOST_CHECK(compiled("SB", "S").flags == (flag_list{"-lcusolver", "-lcublasLt"}));
    BOOST_CHECK(compiled("SB", "BS").end == compile_end::compiled);
    BOOST_CHECK(compiled("D", "D").flags == flag_list{"-lcuda"});
    BOOST_CHECK(compiled("S", "B").end == compile_end::link_error);
    // The library is not there: all but the link has been seen.
    BOOST_CHECK(compiled("P", "P").end == compile_end::compiled);
    BOOST_CHECK(compiled("P", "P").flags == flag_list{"-lcusparse"});
    BOOST_CHECK(compiled("P", "PX").end == compile_end::error);
    BOOST_CHECK(compiled("P", "PO").end == compile_end::link_error);
    BOOST_CHECK(compiled("O", "O").end == compile_end::link_error);
    // A task's own program that fails in another way too says nothing.
    BOOST_CHECK(compiled("LX", "L").end == compile_end::error);
    // Nor does an answer that does.
    BOOST_CHECK(compiled("L", "LX").end == compile_end::error);
}

BOOST_AUTO_TEST_CASE(a_protocol_may_fix_them) {
    BOOST_CHECK(compiled("L", "L", true).end == compile_end::error);
    BOOST_CHECK(compiled("L", "L", true).flags.empty());
}

BOOST_AUTO_TEST_CASE(a_task_is_asked_once) {
    const asking_backend backend;
    task_flags flags_of(backend, false);
    task of;
    of.program = "L";
    for (int i = 0; i < 3; ++i) {
        flag_list flags;
        BOOST_REQUIRE(flags_of.compile(of, "L too", flags));
        BOOST_CHECK(flags == flag_list{lambda});
    }
    BOOST_TEST(backend.compiled == 3 * 2 + 2);
    flag_list none;
    BOOST_REQUIRE(flags_of.compile(of, "plain", none));
    BOOST_TEST(backend.compiled == 3 * 2 + 2 + 1);
}

BOOST_AUTO_TEST_CASE(a_program_without_a_task_has_the_libraries_that_it_calls) {
    const asking_backend backend;
    const auto confirmed = [&](const char* program) {
        answered got{};
        const auto made = with_asked_libraries(
            single_file(program, {"-O3"}), got.flags,
            [&](const program_source& source) { return backend.confirm(source); });
        BOOST_REQUIRE(made);
        got.end = made->end;
        return got;
    };
    BOOST_CHECK(confirmed("SB").end == compile_end::compiled);
    BOOST_CHECK(confirmed("SB").flags == (flag_list{"-lcusolver", "-lcublasLt"}));
    BOOST_CHECK(confirmed("plain").flags.empty());
    BOOST_CHECK(confirmed("P").end == compile_end::link_error);  // nvcc has no such library
    BOOST_CHECK(confirmed("P").flags == flag_list{"-lcusparse"});
    // What nobody defines stays an error, and so does what another flag would allow: it is wrong
    // without.
    BOOST_CHECK(confirmed("BO").end == compile_end::link_error);
    BOOST_CHECK(confirmed("BO").flags.empty());
    BOOST_CHECK(confirmed("c").end == compile_end::error);
    BOOST_CHECK(confirmed("l").end == compile_end::error);
}

BOOST_AUTO_TEST_CASE(only_libraries_of_the_toolkit_may_lack) {
    compilation tried;
    tried.end = compile_end::link_error;
    tried.diagnostic = "ld: cannot find -lcublas: No such file\nld: cannot find -lcuda\n";
    BOOST_CHECK(lacks_library(tried));
    tried.diagnostic += "ld: cannot find -lcublass: No such file\n";
    BOOST_CHECK(!lacks_library(tried));
}

BOOST_AUTO_TEST_CASE(what_is_told) {
    BOOST_TEST(flags_note({}) == "");
    BOOST_TEST(flags_note({lambda}) ==
               "compiled with --extended-lambda, as the task's own program needs");
    BOOST_TEST(flags_note({lambda, constant}) ==
               "compiled with --extended-lambda and --expt-relaxed-constexpr, as the task's own "
               "program needs");
}

BOOST_AUTO_TEST_SUITE_END()

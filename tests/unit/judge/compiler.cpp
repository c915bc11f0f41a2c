#include "cuset/judge/compiler.h"

#include <thread>

#include "sandbox/room.h"

using namespace cuset;
using namespace cuset::sandbox_test;

namespace {

bool can_compile(boost::unit_test::test_unit_id id) {
    static const bool can = [&] {
        const auto kit = toolkit::find();
        if (!kit) BOOST_TEST_MESSAGE("skipped: " << kit.error().message());
        return kit.is_ok() && can_sandbox(id);
    }();
    return can;
}

const std::string kernel = "#include <cstdio>\n__global__ void k(int* x) { *x = 1; }\n";
const std::string program = kernel + "int main() { k<<<1, 1>>>(nullptr); std::puts(\"ran\"); }\n";

struct bench : own_folder {
    bench() {
        options.flags = {"-O1"};
        options.limits.seconds = 120;
        options.limits.memory_bytes = std::uint64_t{4} << 30;
    }
    compilation compile(const std::string& source) {
        const compiler nvcc(box.value(), kit.value(), options, folder / "cache", folder);
        auto done = nvcc.compile(single_file(source));
        BOOST_REQUIRE(done.is_ok());
        return std::move(done).value();
    }
    std::size_t entries() {
        std::size_t count = 0;
        for (const auto& at : fs::recursive_directory_iterator(folder / "cache"))
            count += at.path().filename() == "result.json";
        return count;
    }

    result<sandbox> box = sandbox::open(false);
    result<toolkit> kit = toolkit::find();
    compile_options options;
};

void fails(const compilation& done, compile_end end, const std::string& words) {
    BOOST_TEST((done.end == end && done.program.empty()), static_cast<int>(done.end));
    BOOST_TEST(done.diagnostic.find(words) != std::string::npos, done.diagnostic);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(compiling, *boost::unit_test::precondition(can_compile))

BOOST_FIXTURE_TEST_CASE(once, bench) {
    BOOST_TEST(kit->version.find_first_not_of("0123456789.") == std::string::npos);
    const compilation first = compile(program);
    BOOST_REQUIRE(first.end == compile_end::compiled);
    BOOST_TEST((!first.cached && first.seconds > 0 && first.diagnostic.empty()));
    sandbox_request request;
    request.work = folder / "run";
    fs::create_directories(request.work);
    request.mounts = {{first.program, "/job/program"}};
    request.command = {"./program"};
    BOOST_TEST(box->run(request)->out == "ran\n");
    const compilation second = compile(program);
    BOOST_TEST((second.cached && second.program == first.program));
    BOOST_TEST(entries() == 1U);
    // What is missing of an entry is made again.
    fs::remove(first.program);
    BOOST_TEST(!compile(program).cached);
    BOOST_TEST(compile(program).cached);
    std::ofstream(first.program.parent_path() / "key") << "another";
    BOOST_TEST(!compile(program).cached);
    BOOST_TEST(compile(program).cached);
    options.flags = {"-O2"};
    BOOST_TEST(!compile(program).cached);
    BOOST_TEST(entries() == 2U);
    kit->version += ".1";
    BOOST_TEST(!compile(program).cached);
}

BOOST_FIXTURE_TEST_CASE(what_is_wrong, bench) {
    fails(compile(program + "}"), compile_end::error, "error");
    fails(compile(kernel + "int main() { return unknown; }\n"), compile_end::error,
          "identifier \"unknown\" is undefined");
    BOOST_TEST(compile(kernel + "int main() { return unknown; }\n").cached);
    fails(compile(kernel), compile_end::link_error, "undefined reference to `main'");
    fails(compile(kernel + "int f();\nint main() { return f(); }\n"), compile_end::link_error,
          "undefined reference to `f()'");
    fails(compile(kernel + "__device__ int g();\n__global__ void h(int* x) { *x = g(); }\n"
                           "int main() { h<<<1, 1>>>(nullptr); }\n"),
          compile_end::error, "Unresolved extern function");
    fails(compile("template <int N> struct r { static const int v = r<N + 1>::v; };\n"
                  "int main() { return r<0>::v; }\n"),
          compile_end::error, "excessive recursion");
    fails(compile("#include \"/etc/passwd\"\nint main() {}\n"), compile_end::error, "/etc/passwd");
    fails(compile("#include \"program.cu\"\n"), compile_end::error, "error");
    fails(compile(""), compile_end::link_error, "main");
}

BOOST_FIXTURE_TEST_CASE(bombs, bench) {
    options.limits.memory_bytes = std::uint64_t{1} << 30;
    options.limits.seconds = 20;
    const compilation endless = compile("#include \"/dev/urandom\"\nint main() {}\n");
    BOOST_TEST((endless.end != compile_end::compiled));
    options.limits.memory_bytes = std::uint64_t{1} << 20;
    options.limits.seconds = 120;
    BOOST_TEST((compile(program).end == compile_end::too_large));
    options.limits.memory_bytes = std::uint64_t{4} << 30;
    options.limits.seconds = 0.2;
    BOOST_TEST((compile(program).end == compile_end::too_long));
    options.limits.seconds = 120;
    BOOST_TEST((compile(program).end == compile_end::compiled));  // what limits made is not kept
}

BOOST_FIXTURE_TEST_CASE(several_share_a_cache, bench) {
    std::vector<std::thread> threads;
    std::vector<fs::path> made(4);
    for (auto& path : made)
        threads.emplace_back([&] {
            const compiler nvcc(box.value(), kit.value(), options, folder / "cache", folder);
            const auto done = nvcc.compile(single_file(program));
            if (done) path = done->program;
        });
    for (auto& thread : threads) thread.join();
    for (const auto& path : made)
        BOOST_TEST((!path.empty() && path == made[0] && fs::exists(path)));
    BOOST_TEST(entries() == 1U);
    for (const auto& at : fs::directory_iterator(folder / "cache/compile"))
        BOOST_TEST(!at.path().filename().string().starts_with('.'), at.path());
}

BOOST_FIXTURE_TEST_CASE(no_place_for_the_cache, bench) {
    std::ofstream(folder / "cache") << "a file";
    const compiler nvcc(box.value(), kit.value(), options, folder / "cache", folder);
    const auto done = nvcc.compile(single_file(program));
    BOOST_REQUIRE(!done.is_ok());
    BOOST_TEST((done.error().kind() == error_kind::io));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(no_toolkit) {
    const auto kit = toolkit::find("/nowhere/nvcc");
    BOOST_REQUIRE(!kit.is_ok());
    BOOST_TEST((kit.error().kind() == error_kind::unsupported));
}

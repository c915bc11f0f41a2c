// A program from its source to its end, without a launcher; g++ stands for nvcc.
#include "cuset/judge/gpu_backend.h"
#include "sandbox/room.h"

using namespace cuset;
using namespace cuset::sandbox_test;

namespace {

constexpr const char* compiler_script =
    "#!/bin/sh\n"
    "case $1 in --version) echo 'release 0.1, V0.1.2'; exit ;; esac\n"
    "output=$2 source=$3\n"
    "shift 3\n"
    "exec g++ -x c++ -o \"$output\" \"$source\" \"$@\"\n";

struct with_compiler : own_folder {
    with_compiler() {
        const fs::path nvcc = folder / "toolkit/bin/nvcc";
        fs::create_directories(nvcc.parent_path());
        fs::create_directories(folder / "work");
        std::ofstream(nvcc) << compiler_script;
        fs::permissions(nvcc, fs::perms(0755));
    }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_program_is_compiled_and_run, with_compiler,
                        *boost::unit_test::precondition(can_sandbox)) {
    const auto box = sandbox::open(false);
    auto kit = toolkit::find((folder / "toolkit/bin/nvcc").string());
    BOOST_REQUIRE(kit.is_ok());
    ::setenv("CUDA_VISIBLE_DEVICES", "3,1", 1);
    for (const bool launched : {false, true}) {
        std::vector<std::string> launcher;
        if (launched) launcher = {"nice", "-n", "1"};
        const gpu_backend backend(*box, *kit, {.flags = {"-O1"}, .limits = {}}, folder / "cache",
                                  folder / "scratch", launcher);
        BOOST_TEST(backend.description().toolchain == "nvcc 0.1.2 -O1");
        BOOST_TEST(backend.check().is_ok());
        const auto compiled = backend.compile(
            single_file("#include <cstdio>\n#include <cstdlib>\n"
                        "int main() { std::fputs(std::getenv(\"CUDA_VISIBLE_DEVICES\"), stdout);"
                        " return std::getenv(\"SECRET\") ? 1 : 7; }\n"));
        BOOST_REQUIRE(compiled.is_ok());
        ::setenv("SECRET", "x", 1);
        sandbox_request request;
        request.work = folder / ("work" + std::to_string(launched));
        fs::create_directories(request.work);
        const auto report = backend.run(compiled->program, request, 0);
        BOOST_REQUIRE(report.is_ok());
        BOOST_TEST((report->end == run_end::exited));
        BOOST_TEST(report->code == 7);
        BOOST_TEST(report->out == "3,1");
    }
    ::unsetenv("CUDA_VISIBLE_DEVICES");
}

// As in containers where the driver lies in a folder of its own.
BOOST_FIXTURE_TEST_CASE(a_driver_that_only_a_variable_leads_to_is_found, with_compiler,
                        *boost::unit_test::precondition(can_sandbox)) {
    const auto box = sandbox::open(false);
    auto kit = toolkit::find((folder / "toolkit/bin/nvcc").string());
    BOOST_REQUIRE(kit.is_ok());
    const fs::path driver = folder / "driver";
    fs::create_directories(driver);
    fs::create_directories(folder / "empty");
    std::ofstream(driver / "libcuda.so.1") << "driver";
    const gpu_backend backend(*box, *kit, {.flags = {"-O1"}, .limits = {}}, folder / "cache",
                              folder / "scratch", {});
    const auto compiled = backend.compile(single_file(
        "#include <cstdio>\n#include <cstdlib>\n#include <string>\n"
        "int main() { const char* at = std::getenv(\"LD_LIBRARY_PATH\"); if (!at) return 3;"
        " char text[8] = {}; std::FILE* file = std::fopen((at + "
        "std::string(\"/libcuda.so.1\")).c_str(),"
        " \"r\"); return file && std::fgets(text, 8, file) && text == std::string(\"driver\") ? 7 "
        ": 1; }\n"));
    BOOST_REQUIRE(compiled.is_ok());
    for (const auto& [path, code] :
         {std::pair{(folder / "empty").string() + ":relative::" + driver.string(), 7},
          std::pair{(folder / "empty").string(), 3}}) {
        ::setenv("LD_LIBRARY_PATH", path.c_str(), 1);
        sandbox_request request;
        request.work = folder / ("work" + std::to_string(code));
        fs::create_directories(request.work);
        const auto report = backend.run(compiled->program, request, 0);
        ::unsetenv("LD_LIBRARY_PATH");
        BOOST_REQUIRE(report.is_ok());
        BOOST_TEST(report->code == code, path << ": " << report->code << report->err);
    }
}

BOOST_FIXTURE_TEST_CASE(flags_that_nothing_compiles_with_are_told, with_compiler,
                        *boost::unit_test::precondition(can_sandbox)) {
    const auto box = sandbox::open(false);
    auto kit = toolkit::find((folder / "toolkit/bin/nvcc").string());
    BOOST_REQUIRE(kit.is_ok());
    const gpu_backend backend(*box, *kit, {.flags = {"--no-such-flag"}, .limits = {}},
                              folder / "cache", folder / "scratch", {});
    const status checked = backend.check();
    BOOST_TEST((checked.kind() == error_kind::unsupported));
    BOOST_TEST(checked.message().find("no-such-flag") != std::string::npos);
}

// Programs that name a way to the records of their own run, or out of their process.
#include "trial/untimed_source.h"

#include <boost/test/unit_test.hpp>

using namespace cuset;

BOOST_AUTO_TEST_SUITE(untimed_sources)

BOOST_AUTO_TEST_CASE(names) {
    const auto found = [](const char* source, const flag_list& flags = {}) {
        return name_that_hinders_timing(source, flags);
    };
    BOOST_TEST(found("int main() { cuptiActivityDisable(kind); }") == "cuptiActivityDisable");
    BOOST_TEST(found("int main() { if (fork() == 0) work(); }") == "fork");
    BOOST_TEST(found("auto f = &posix_spawn;") == "posix_spawn");
    BOOST_TEST(found("int main() { dlsym(RTLD_DEFAULT, \"x\"); }") == "dlsym");
    BOOST_TEST(found("#define RUN system(\"./other\")\nint main() { RUN; }") != "");
    BOOST_TEST(found("int main() { unsetenv(\"CUDA_INJECTION64_PATH\"); }") == "CUDA_INJECTION");
    BOOST_TEST(found("FILE* f = fopen(\"/proc/self/fd/7\", \"w\");") == "/proc/");
    BOOST_TEST(found("asm(\"syscall\");") == "syscall");
    BOOST_TEST(found("int main() {}", {"-O3", "-rdc=true"}) == "-rdc=true");
    BOOST_TEST(found("int main() {}", {"-dc"}) == "-dc");
}

BOOST_AUTO_TEST_CASE(others_are_timed) {
    for (const char* source :
         {"// fork(), system() and cupti\nint main() {}",
          "__global__ void k() {}\nint main() { k<<<1, 1>>>(); puts(\"system\"); }",
          "thrust::system::cuda::par;", "int forked, systems; std::chrono::system_clock::now();",
          "float cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t) { return 0; }"})
        BOOST_TEST(name_that_hinders_timing(source, {"-O3", "-arch=sm_90"}) == "", source);
}

BOOST_AUTO_TEST_CASE(profiling) {
    const char* const lists = "int main() { opendir(\".\"); }";
    BOOST_TEST(name_that_hinders_timing(lists, {}) == "");
    BOOST_TEST(name_that_hinders_profiling(lists, {}) == "opendir");
    BOOST_TEST(name_that_hinders_profiling("std::filesystem::directory_iterator i;", {}) ==
               "directory_iterator");
    BOOST_TEST(name_that_hinders_profiling("int main() { fork(); }", {}) == "fork");
    BOOST_TEST(name_that_hinders_profiling("int main() { fopen(\"data/x.bin\", \"r\"); }", {}) ==
               "");
}

BOOST_AUTO_TEST_SUITE_END()

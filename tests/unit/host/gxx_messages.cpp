// The messages of g++, the runtime and AddressSanitizer as verdicts.
#include "cuset/host/build/gxx_messages.h"

#include <boost/test/unit_test.hpp>

#include "cuset/host/build/gxx_flags.h"

using namespace cuset;

BOOST_AUTO_TEST_SUITE(gxx_messages)

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
    // What g++ says of the runtime's own classes is about the program's launches.
    BOOST_TEST(first_gxx_error("program.cu:7:24: error: no matching function for call to "
                               "'cuset_host::configuration::configuration(int)'\n") ==
               "program.cu(7): error: a launch needs a grid size and a block size, dim3 or "
               "integers");
    BOOST_TEST(first_gxx_error("program.cu:8:30: error: no match for call to "
                               "'(cuset_host::plain_launch<main()::<lambda(auto:1& ...)>, float*, "
                               "int>) (float*&)'\n") ==
               "program.cu(8): error: the arguments of a launch do not fit the kernel's "
               "parameters");
    BOOST_TEST(first_gxx_error("program.cu:9:3: error: no match for call to "
                               "'(const cuset_host::named_launch::cudaLaunchKernelEx<int*>(…)::"
                               "<lambda(auto:5&& ...)>) (int*&)'\n") ==
               "program.cu(9): error: the arguments of cudaLaunchKernelEx() do not fit the "
               "kernel's parameters");
    BOOST_TEST(
        first_gxx_error("program.cu:9:3: error: no matching function for call to "
                        "'cuset_host::launch::plain(int&, main()::<lambda(auto:4& ...)>)'\n") ==
        "program.cu(9): error: what is launched is no kernel");
    BOOST_TEST(
        first_gxx_error("program.cu:9:3: error: no match for 'operator!=' (operand types are "
                        "'cuset_host::launch' and 'cudaError_t')\n") ==
        "program.cu(9): error: a launch has no value");
    // The second error names the type.
    BOOST_TEST(first_gxx_error("program.cu:2:17: error: variable or field 'k' declared void\n"
                               "program.cu:2:19: error: 'half' was not declared in this scope\n") ==
               "program.cu(2): error: 'half' was not declared in this scope");
    BOOST_TEST(first_gxx_error("program.cu:2:17: error: variable or field 'k' declared void\n") ==
               "program.cu(2): error: variable or field 'k' declared void");
    BOOST_TEST(first_gxx_error("").empty());
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

// What nvcc says of a header decides, but a library that is not installed is no fault of a program.
BOOST_AUTO_TEST_CASE(libraries_that_are_not_there) {
    const auto name = [](const std::string& header) {
        return missing_library("lib/a.cu:12:10: fatal error: " + header +
                               ": No such file or directory");
    };
    for (const std::string known : {"mpi.h", "nccl.h", "boost/any.hpp", "cudnn.h", "helper_cuda.h"})
        BOOST_TEST(name(known) == '<' + known + '>');
    for (const std::string other : {"my.h", "cuda_magic.h", "cub/block/block_magic.cuh"})
        BOOST_TEST(name(other) == "");
    BOOST_TEST(missing_library("a.cu(3): error: identifier \"mpi.h\" is undefined") == "");
}

BOOST_AUTO_TEST_CASE(names_of_cuda) {
    BOOST_TEST(
        missing_of_cuda("program.cu:9:20: error: 'Traits' in namespace 'cub' does not name a "
                        "template type\n") == "cub::Traits");
    BOOST_TEST(
        missing_of_cuda("program.cu:9:20: error: 'Traits' in namespace 'mine' does not name a "
                        "template type\n") == "");
    BOOST_TEST(
        missing_of_cuda("program.cu:1:10: fatal error: mpi.h: No such file or directory\n") ==
        "<mpi.h>");
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
    BOOST_TEST(name("no matching function for call to 'cub::DeviceScan::Some(void*&, int)'") ==
               "cub::DeviceScan::Some");
    BOOST_TEST(name("no matching function for call to 'mine::scan(int)'") == "");
    BOOST_TEST(name("'struct cudaDeviceProp' has no member named 'luid'") ==
               "cudaDeviceProp::luid");
    BOOST_TEST(name("'struct cudaDeviceProp' has no member named 'luid'; did you mean 'uuid'?") ==
               "cudaDeviceProp::luid");
    BOOST_TEST(name("'using reduce = class cub::WarpReduce<int, 32, 0>' {aka 'class "
                    "cub::WarpReduce<int, 32, 0>'} has no member named 'Product'") ==
               "cub::WarpReduce::Product");
    BOOST_TEST(name("'using box = struct mine' {aka 'struct mine'} has no member named 'x'") == "");
    BOOST_TEST(name("'named_launch' is not a member of 'cuset_host'") ==
               "cuset_host::named_launch");
    for (const std::string own : {"thrice", "cut", "custom", "cudart", "x", "Cuda"})
        BOOST_TEST(name("'" + own + "'" + unknown) == "");
    BOOST_TEST(name("expected ';' before 'cudaMalloc'") == "");
    BOOST_TEST(name("cannot convert 'cudaError_t' to 'float*'") == "");
    BOOST_TEST(missing_of_cuda("program.cu:1:10: fatal error: cublas_v2.h: No such file or "
                               "directory\n") == "<cublas_v2.h>");
    for (const std::string own : {"mine.h", "cuda_utils.h", "custom.h", "vector_add.h", "nvidia.h",
                                  "device_code.h", "sm_utils.h", "surface_mesh.hpp"})
        BOOST_TEST(missing_of_cuda("program.cu:1:10: fatal error: " + own +
                                   ": No such file or directory\n") == "");
    for (const std::string known : {"cuda_fp16.hpp", "cub/cub.cuh", "nvtx3/nvToolsExt.h",
                                    "sm_61_intrinsics.h", "cusparseLt.h", "vector_types.h"})
        BOOST_TEST(missing_of_cuda("program.cu:1:10: fatal error: " + known +
                                   ": No such file or directory\n") == "<" + known + ">");
    BOOST_TEST(missing_of_cuda("program.cu:1:1: error: 'vote_uni' is not a member of "
                               "'cuset_host::ptx'\n") == "inline PTX: vote.uni");
    BOOST_TEST(missing_of_cuda("program.cu:1:1: error: no matching function for call to "
                               "'atom_add<>(unsigned char*, cuset_host::ptx::word&)'\n") ==
               "inline PTX: atom.add of this type");
    // Headers of the runtime say what they need; a program may not say so itself.
    const std::string refusal = "#error \"cuset-host: unsupported: <cuda_fp16.h> needs more\"\n";
    BOOST_TEST(missing_of_cuda("In file included from program.cu:2:\n/r/cuda_fp16.h:9:2: error: " +
                               refusal) == "<cuda_fp16.h> needs more");
    BOOST_TEST(missing_of_cuda("program.cu:9:2: error: " + refusal) == "");
    BOOST_TEST(name("ambiguous overload for 'operator=' (operand types are 'half2' and 'int')") ==
               "an ambiguous half2");
    BOOST_TEST(name("ambiguous overload for 'operator=' (operand types are 'mine' and 'int')") ==
               "");
    BOOST_TEST(missing_of_cuda("a.o: undefined reference to `f()'\n"
                               "a.o: undefined reference to `cudaGraphLaunch'\n"
                               "collect2: error: ld returned 1 exit status\n") ==
               "cudaGraphLaunch");
    BOOST_TEST(missing_of_cuda("a.o: undefined reference to `main'\ncollect2: error: ld\n") == "");
}

BOOST_AUTO_TEST_CASE(names_of_hip) {
    const auto line = [](const std::string& message) {
        return "program.cu:3:2: error: " + message + "\n";
    };
    const std::string unknown =
        line("'cudaMalloc_is_no_name_of_HIP' was not declared in this scope");
    BOOST_TEST(missing_of_hip(unknown) == "");
    BOOST_TEST(first_gxx_error(unknown) == "program.cu(3): error: cudaMalloc is no name of HIP");
    BOOST_TEST(in_names_of_hip(unknown) == line("'cudaMalloc' was not declared in this scope"));
    const auto header = [](const std::string& name) {
        return "program.cu:3:2: fatal error: " + name + ": No such file or directory\n";
    };
    BOOST_TEST(missing_of_hip(header("cuda.h_is_no_name_of_HIP")) == "");
    BOOST_TEST(first_gxx_error(header("cuda.h_is_no_name_of_HIP")) ==
               "program.cu(3): error: cuda.h is no header of HIP");
    BOOST_TEST(missing_of_hip(header("rocprim/rocprim.hpp")) == "<rocprim/rocprim.hpp>");
    BOOST_TEST(missing_of_hip(header("mine.h")) == "");
    // In CUDA, a library that is not installed, which nvcc may be asked about.
    BOOST_TEST(missing_of_cuda(header("hip/hip_runtime.h")) == "<hip/hip_runtime.h>");
    BOOST_TEST(missing_of_cuda(header("rocprim/rocprim.hpp")) == "");
    for (const char* tells : {"' was not declared in this scope", "' does not name a type"}) {
        BOOST_TEST(missing_of_hip(line(std::string("'__dp4a_is_not_modelled") + tells)) ==
                   "__dp4a");
        BOOST_TEST(missing_of_hip(line(std::string("'hipCtxCreate") + tells)) == "hipCtxCreate");
        BOOST_TEST(missing_of_hip(line(std::string("'HIPBLAS_GEMM_DEFAULT") + tells)) ==
                   "HIPBLAS_GEMM_DEFAULT");
        for (const char* own : {"'hipCheck", "'HIP_CHECK", "'hipster", "'mine"})
            BOOST_TEST(missing_of_hip(line(own + std::string(tells))) == "");
        BOOST_TEST(missing_of_cuda(line(std::string("'hipMalloc") + tells)) == "");
    }
    BOOST_TEST(missing_of_hip(line("'struct hipDeviceProp_t' has no member named 'luidHigh'")) ==
               "hipDeviceProp_t::luidHigh");
    BOOST_TEST(
        missing_of_hip(line("no matching function for call to 'float4::float4(int, int)'")) ==
        "float4::float4");
    BOOST_TEST(missing_of_hip(line("no match for 'operator[]' (operand types are 'float4' and "
                                   "'int')")) == "operators of float4");
    BOOST_TEST(missing_of_hip(
                   line("no match for 'operator+' (operand types are 'mine' and 'int')")) == "");
}

BOOST_AUTO_TEST_CASE(flags) {
    const auto taken = host_flags_of({"-DN=4", "-U", "M", "-O3", "-std=c++20", "-lineinfo", "-I/x",
                                      "--use_fast_math", "-std=c++14", "-D"});
    BOOST_TEST((taken.flags == std::vector<std::string>{"-DN=4", "-UM", "-I/x", "-D"}));
    BOOST_TEST(taken.standard == "gnu++20");
    BOOST_TEST((taken.ignored ==
                std::vector<std::string>{"-O3", "-lineinfo", "--use_fast_math", "-std=c++14"}));
    for (const char* name : {"-std", "--std"})
        BOOST_TEST(host_flags_of({name, "c++20"}).standard == "gnu++20");
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

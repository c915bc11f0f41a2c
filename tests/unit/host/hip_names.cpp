// Programs in HIP: which are, and the CUDA that they stand for.
#include <boost/test/unit_test.hpp>
#include <set>
#include <string>

#include "cuset/host/hip.h"
#include "cuset/host/runtime_files.h"
#include "cuset/host/translation.h"
#include "translate/hip_table.h"

using cuset::is_hip_source;
using cuset::with_cuda_names;

BOOST_AUTO_TEST_SUITE(hip)

BOOST_AUTO_TEST_CASE(sources) {
    const std::string include = "#include <hip/hip_runtime.h>\n";
    BOOST_TEST(is_hip_source(include));
    BOOST_TEST(is_hip_source("#include \"hip/hip_runtime_api.h\"\n"));
    BOOST_TEST(is_hip_source("#ifndef MINE_H\n#define MINE_H\n" + include + "#endif\n"));
    BOOST_TEST(is_hip_source("#ifndef MY_HIP_UTILS_H_\n" + include + "#endif\n"));
    BOOST_TEST(is_hip_source("#ifdef X\n#endif\n" + include));
    BOOST_TEST(!is_hip_source("#include <cuda_runtime.h>\n// #include <hip/hip_runtime.h>\n"));
    BOOST_TEST(!is_hip_source("#if 0\n" + include + "#endif\n"));
    for (const char* condition : {"#ifdef __HIPCC__\n", "#if defined(__HIP_PLATFORM_AMD__)\n",
                                  "#ifdef __CUDACC__\n#include <cuda.h>\n#else\n",
                                  "#if A\n#elif USE_ROCM\n", "#if USE_HIP\n#if B\n"})
        BOOST_TEST(!is_hip_source(condition + include + "#endif\n#endif\n"), condition);
    BOOST_TEST(!is_hip_source("#include \"my/hip/runtime.h\"\n#include <whip/whip.h>\n"));
}

BOOST_AUTO_TEST_CASE(words) {
    BOOST_TEST(with_cuda_names("hipError_t e = hipMalloc(&p, 4); // hipMalloc\n\"hipFree\";") ==
               "cudaError_t e = cudaMalloc(&p, 4); // hipMalloc\n\"hipFree\";");
    BOOST_TEST(with_cuda_names("x = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;") ==
               "x = blockIdx.x * blockDim.x + threadIdx.x;");
    BOOST_TEST(with_cuda_names("hipErrorOutOfMemory") == "cudaErrorMemoryAllocation");
    // Functions of the runtime's headers keep their names.
    BOOST_TEST(with_cuda_names("hipHostMalloc(&p, n); hipGetErrorName(e);") ==
               "hipHostMalloc(&p, n); hipGetErrorName(e);");
    BOOST_TEST(
        with_cuda_names("#ifdef __HIP_DEVICE_COMPILE__\n#elif defined(__CUDA_ARCH__)\n#endif") ==
        "#ifdef __CUDA_ARCH__\n#elif defined(__CUDA_ARCH___is_no_name_of_HIP)\n#endif");
    BOOST_TEST(with_cuda_names(
                   "#if __HIP_DEVICE_COMPILE__ == 1 && defined (__HIP_DEVICE_COMPILE__)\n"
                   "#endif") == "#if (__CUDA_ARCH__ > 0) == 1 && defined (__CUDA_ARCH__)\n#endif");
    BOOST_TEST(with_cuda_names("cudaFree(p); cudaDeviceProp d; cudaThing x;") ==
               "cudaFree_is_no_name_of_HIP(p); cudaDeviceProp_is_no_name_of_HIP d; cudaThing x;");
    BOOST_TEST(
        with_cuda_names(
            "#include <cuda_runtime.h>\n#include <thrust/sort.h>\n#include \"cuda_utils.h\"") ==
        "#include <cuda_runtime.h_is_no_name_of_HIP>\n#include <thrust/sort.h>\n#include "
        "\"cuda_utils.h\"");
    BOOST_TEST(with_cuda_names("hipCtxCreate(&c);") == "hipCtxCreate_is_not_modelled(&c);");
    BOOST_TEST(with_cuda_names("__shfl_sync(m, x, 0); __shfl(x, 0);") ==
               "__shfl_sync_of_hip(m, x, 0); __shfl(x, 0);");
    // Names of the program's own.
    BOOST_TEST(with_cuda_names(
                   "#define cudaFree hipFree\nvoid hipCheck(int);\nf(cudaFree); hipCheck(1);") ==
               "#define cudaFree cudaFree\nvoid hipCheck(int);\nf(cudaFree); hipCheck(1);");
}

BOOST_AUTO_TEST_CASE(libraries) {
    BOOST_TEST(with_cuda_names("#include <hipblas/hipblas.h>\nhipblasCreate(&h, HIPBLAS_OP_N);") ==
               "#include <cublas_v2.h>\ncublasCreate(&h, CUBLAS_OP_N);");
    BOOST_TEST(with_cuda_names("#include \"hipcub/hipcub.hpp\"\nhipcub::DeviceReduce::Sum(p);") ==
               "#include \"cub/cub.cuh\"\ncub::DeviceReduce::Sum(p);");
    BOOST_TEST(with_cuda_names("hiprandState s; hiprand_init(1, 2, 3, &s); hipfftHandle f;") ==
               "curandState s; curand_init(1, 2, 3, &s); cufftHandle f;");
    BOOST_TEST(with_cuda_names("#include <cub/cub.cuh>") ==
               "#include <cub/cub.cuh_is_no_name_of_HIP>");
}

BOOST_AUTO_TEST_CASE(shown_names) {
    const std::string macro = "#define CHECK(call) check(call, #call)\n";
    BOOST_TEST(with_cuda_names(macro + "CHECK(hipFree(p)); hipFree(p);") ==
               macro + "CHECK(hipFree(p)); cudaFree(p);");
    BOOST_TEST(with_cuda_names(macro + "CHECK(hipMemcpyToSymbol(HIP_SYMBOL(c), p, 4));") ==
               macro + "CHECK(cudaMemcpyToSymbol(HIP_SYMBOL(c), p, 4));");
    BOOST_TEST(with_cuda_names(macro + "CHECK(hipCtxCreate(&c));") ==
               macro + "CHECK(hipCtxCreate_is_not_modelled(&c));");
}

BOOST_AUTO_TEST_CASE(launches) {
    BOOST_TEST(with_cuda_names("hipLaunchKernelGGL(k, dim3(1, 2), b, 0, s, x, f(1, 2));") ==
               "k<<< dim3(1, 2), b, 0, s>>>( x, f(1, 2));");
    BOOST_TEST(with_cuda_names("hipLaunchKernelGGL(k, 1, 2, 0, 0);") == "k<<< 1, 2, 0, 0>>>();");
    BOOST_TEST(with_cuda_names("hipLaunchKernelGGL((k<float, 4>), 1, 2, 0, 0, x);") ==
               "k<float, 4><<< 1, 2, 0, 0>>>( x);");
    BOOST_TEST(with_cuda_names("hipLaunchKernelGGL(HIP_KERNEL_NAME(k<A, B>), 1, 2, 0, 0, x);") ==
               "k<A, B><<< 1, 2, 0, 0>>>( x);");
    BOOST_TEST(with_cuda_names("hipLaunchKernelGGL(k,\n  g,\n  b, 0, 0,\n  x);") ==
               "k<<<\n  g,\n  b, 0, 0>>>(\n  x);");
    BOOST_TEST(with_cuda_names("hipLaunchKernelGGL(k, LAUNCH);") ==
               "hipLaunchKernelGGL(k, LAUNCH);");
    const auto made = cuset::translate_for_host(
        "#include <hip/hip_runtime.h>\nint main() { hipLaunchKernelGGL(k, LAUNCH); }");
    BOOST_TEST(made.unsupported.value_or("") == "hipLaunchKernelGGL");
    BOOST_TEST(with_cuda_names("HIP_DYNAMIC_SHARED(float, s)\nx;") ==
               "extern __shared__ float  s[];\nx;");
    BOOST_TEST(with_cuda_names("HIP_DYNAMIC_SHARED(T,s);") == "extern __shared__ T s[];");
}

BOOST_AUTO_TEST_CASE(translations) {
    const std::string program = "#include <hip/hip_runtime.h>\nint main() { hipFree(0); }\n";
    const auto made = cuset::translate_for_host(program);
    BOOST_TEST((!made.error && !made.unsupported));
    BOOST_TEST(made.text.find("unchecked_call(\"hipFree\"), cudaFree(0)") != made.text.npos);
    BOOST_TEST(made.headers.back() == "cuset_host/hip/language.h");
    BOOST_TEST(cuset::translate_for_host("int main() {}\n").headers.empty());
    cuset::nvcc_dialect hipcc;
    hipcc.is_hip = true;
    BOOST_TEST(!cuset::translate_for_host(program, hipcc).error);
    BOOST_TEST(cuset::translate_for_host("int main() { hipFree(0); }", hipcc).error->line == 1);
}

// What the table gives is one name, or the parts of one, and no name stands in it twice.
BOOST_AUTO_TEST_CASE(table) {
    std::set<std::string> names;
    for (const auto& file : cuset::runtime_files()) {
        if (!file.path.starts_with("include/cuset_host/hip/names_of_")) continue;
        for (std::size_t at = 0; (at = file.text.find("\n#define ", at)) != file.text.npos;) {
            at += 9;
            const std::string name(file.text.substr(at, file.text.find(' ', at) - at));
            BOOST_TEST(names.insert(name).second, name);
            const std::string meant = cuset::hip_names::cuda_name_of(name);
            BOOST_TEST((!meant.empty() && cuset::hip_names::cuda_name_of(meant).empty()), name);
        }
    }
    BOOST_TEST(names.size() > 600);
}

BOOST_AUTO_TEST_SUITE_END()

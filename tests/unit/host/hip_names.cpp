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
    const std::string guard = "#ifndef MY_HIP_H_\n#define MY_HIP_H_\n";
    BOOST_TEST(is_hip_source(guard + include + "#endif\n"));
    BOOST_TEST(is_hip_source("#ifdef X\n#endif\n" + include));
    BOOST_TEST(!is_hip_source("#include <cuda_runtime.h>\n// #include <hip/hip_runtime.h>\n"));
    // Whatever a condition asks for, the program may be one in CUDA.
    for (const char* condition :
         {"#if 0\n", "#ifdef __HIPCC__\n", "#if defined(__HIP_PLATFORM_AMD__)\n", "#ifdef X\n",
          "#ifdef __CUDACC__\n#include <cuda.h>\n#else\n", "#if A\n#elif USE_ROCM\n",
          "#ifndef __CUDACC__\n", "#if USE_HIP\n#ifndef B_H\n#define B_H\n#endif\n",
          "#if __has_include(<hip/hip_runtime.h>)\n", "#ifndef NO_GPU_H\n#define A_GPU\n"})
        BOOST_TEST(!is_hip_source(condition + include + "#endif\n"), condition);
    BOOST_TEST(!is_hip_source(guard + "#else\n" + include + "#endif\n"));
    // A guard is around the whole file, and no name of a compiler.
    BOOST_TEST(!is_hip_source("#define MY_HIP_H_\n" + guard + include + "#endif\n"));
    BOOST_TEST(!is_hip_source("#include <cstdio>\n" + guard + include + "#endif\n"));
    BOOST_TEST(!is_hip_source(guard + include + "#endif\n#if A\n#endif\n"));
    BOOST_TEST(!is_hip_source(guard + include + "#endif\nint main() {}\n"));
    BOOST_TEST(!is_hip_source(guard + "#if A\n" + include + "#endif\n#endif\n"));
    BOOST_TEST(is_hip_source(guard + "#if A\n#else\n#endif\n" + include + "#endif // H\n"));
    BOOST_TEST(!is_hip_source("#ifndef __CUDACC__\n#define __CUDACC__\n" + include + "#endif\n"));
    const auto taken = [](const std::string& name) { return name != "MY_HIP_H_"; };
    BOOST_TEST(cuset::unconditional_includes(guard + include + "#endif\n", taken).empty());
    BOOST_TEST(cuset::names_that_are_defined("#define B 1\n#define A(x) x\n#define B 2\n") ==
                   (std::vector<std::string>{"A", "B"}),
               boost::test_tools::per_element());
    // In time linear in the length.
    std::string guards, ends;
    for (int i = 0; i < 100000; ++i) {
        const std::string name = 'A' + std::to_string(i);
        guards += "#ifndef " + name + "\n#define " + name + '\n';
        guards += include;
        ends += "#endif\n";
    }
    BOOST_TEST(is_hip_source(guards + ends));
    BOOST_TEST(!is_hip_source("int x;\n" + guards + ends));
    BOOST_TEST(!is_hip_source("#include \"my/hip/runtime.h\"\n#include <whip/whip.h>\n"));
}

BOOST_AUTO_TEST_CASE(words) {
    BOOST_TEST(with_cuda_names("hipError_t e = hipMalloc(&p, 4); // hipMalloc\n\"hipFree\";") ==
               "cudaError_t e = cudaMalloc(&p, 4); // hipMalloc\n\"hipFree\";");
    BOOST_TEST(with_cuda_names("x = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;") ==
               "x = blockIdx.x * blockDim.x + threadIdx.x;");
    BOOST_TEST(with_cuda_names("hipErrorOutOfMemory") == "cudaErrorMemoryAllocation");
    // abort() of the device alone; a function of both sides may run on the host.
    BOOST_TEST(with_cuda_names("__global__ void k() { abort(); }\nvoid f() { abort(); }") ==
               "__global__ void k() { __trap(); }\nvoid f() { abort(); }");
    BOOST_TEST(with_cuda_names("__host__ __device__ void f() { abort(); }") ==
               "__host__ __device__ void f() { abort(); }");
    BOOST_TEST(with_cuda_names("auto a = thrust::hip::par; auto b = my::hip::par;") ==
               "auto a = thrust::cuda::par; auto b = my::hip::par;");
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
               "cudaFree_is_no_name_of_HIP(p); cudaDeviceProp_is_no_name_of_HIP d; "
               "cudaThing_is_no_name_of_HIP x;");
    BOOST_TEST(
        with_cuda_names(
            "#include <cuda_runtime.h>\n#include <thrust/sort.h>\n#include \"cuda_utils.h\"") ==
        "#include <cuda_runtime.h_is_no_name_of_HIP>\n#include <thrust/sort.h>\n#include "
        "\"cuda_utils.h\"");
    for (const char* name : {"cuComplex z", "CUdevice d", "curand(&s)", "CUDA_R_32F", "CUDART_PI_F",
                             "cublasHandle_t h", "__nv_bfloat16 b", "CUBLAS_OP_N", "cuInit(0)"}) {
        const std::string text(name), plain = text.substr(0, text.find_first_of(" ("));
        const std::string wanted = plain + "_is_no_name_of_HIP" + text.substr(plain.size());
        BOOST_TEST(with_cuda_names(text) == wanted);
    }
    BOOST_TEST(with_cuda_names("cuda::atomic<int> a; x.cuda(); bool cuda;") ==
               "cuda_is_no_name_of_HIP::atomic<int> a; x.cuda(); bool cuda;");
    for (const char* name : {"__dp4a", "__vadd4", "__vabsdiffu2", "__ldcg", "__reduce_add_sync"})
        BOOST_TEST(with_cuda_names(name) == std::string(name) + "_is_not_modelled");
    BOOST_TEST(with_cuda_names("__global__ void k() { asm(\"mov.u32 %0, 1;\" : \"=r\"(x)); }") ==
               "__global__ void k() { inline_assembly_is_not_modelled(\"mov.u32 %0, 1;\" : "
               "\"=r\"(x)); }");
    BOOST_TEST(with_cuda_names("__global__ void k() { asm volatile(\"\" ::: \"memory\"); }") ==
               "__global__ void k() { asm volatile(\"\" ::: \"memory\"); }");
    // Names that look like HIP's are the program's own where HIP has none.
    for (const char* own : {"hipCtxCreate(&c);", "int hipData = HIP_BLOCK;", "hipCheck(x);"})
        BOOST_TEST(with_cuda_names(own) == own);
    BOOST_TEST(with_cuda_names("__shfl_sync(m, x, 0); __shfl(x, 0);") ==
               "__shfl_sync_of_hip(m, x, 0); __shfl(x, 0);");
    BOOST_TEST(with_cuda_names("__activemask() + __lane_id()") ==
               "__activemask_of_hip() + __lane_id_of_hip()");
}

BOOST_AUTO_TEST_CASE(own_names) {
    // An alias means the same in CUDA's names.
    BOOST_TEST(with_cuda_names("#define cudaFree hipFree\ncudaFree(p);") ==
               "#define cudaFree cudaFree\ncudaFree(p);");
    // What has another meaning gets another name, since HIP's call has CUDA's here.
    BOOST_TEST(with_cuda_names("void cudaFree(void* p) { hipFree(p); }\nint n = cudaFree(q);") ==
               "void cudaFree_of_the_program(void* p) { cudaFree(p); }\n"
               "int n = cudaFree_of_the_program(q);");
    BOOST_TEST(
        with_cuda_names("#define cudaFree(p) count(hipFree(p))\nf(cudaFree(p), hipFree(q));") ==
        "#define cudaFree_of_the_program(p) count(cudaFree(p))\n"
        "f(cudaFree_of_the_program(p), cudaFree(q));");
    for (const char* own :
         {"void cudaCheck(int);\nvoid f() { cudaCheck(1); }", "struct cudaTimer {};\ncudaTimer t;",
          "#define CUDA_CHECK(x) x\nCUDA_CHECK(1);", "using cuValue = int;\ncuValue v;",
          "namespace cuda { int n; }\nint m = cuda::n;", "int __lane_id();\nint n = __lane_id();"})
        BOOST_TEST(with_cuda_names(own) == own);
    // So is whatever it declares by a name that looks like CUDA's.
    for (const char* own :
         {"int cuCount = 3, CUs = cuCount;\nf(cuCount, CUs);", "enum mode { CUmode, cuOther = 2 };",
          "enum class mode : int { CUmode };\nmode::CUmode;", "typedef int CUint;\nCUint i;",
          "void f(float* cuPointer, int n, const CUs& x);\nstruct CUs;", "float* cuPointer = p;",
          "auto cuLambda = [] { return 1; };", "struct s { int cuMember; };\nx.cuMember;",
          "std::vector<int> cuValues(3);", "template <int cuTile> int f() { return cuTile; }",
          "template <class CUtype> CUtype f();", "namespace cuThings {}", "int (*cuCall)(int);",
          "curandValue curandNone;\nstruct curandValue {};", "unsigned cuFlags[4];"})
        BOOST_TEST(with_cuda_names(own) == own);
    // What is used and not declared is CUDA's.
    for (const char* text :
         {"x = a * cuThing;", "f(a, cuThing);", "return cuThing;", "f(cuThing);",
          "#define N cuThing\n", "int x[] = {1, cuThing};", "a = b, c = cuThing;",
          "else cuThing(0);", "int a = 2 * cuThing;", "using namespace cuThing;"}) {
        const std::string cuda = with_cuda_names(std::string("void f() {\n") + text + "\n}\n");
        BOOST_TEST(cuda.find("cuThing_is_no_name_of_HIP") != cuda.npos, text);
    }
    BOOST_TEST(with_cuda_names("int curandValue = hiprandValue;") ==
               "int curandValue_of_the_program = curandValue;");
    BOOST_TEST(with_cuda_names("int n = CUDA_BLOCK + CUDA_OTHER;", {"-O2", "-DCUDA_BLOCK=4"}) ==
               "int n = CUDA_BLOCK + CUDA_OTHER_is_no_name_of_HIP;");
}

BOOST_AUTO_TEST_CASE(libraries) {
    BOOST_TEST(with_cuda_names("#include <hipblas/hipblas.h>\nhipblasCreate(&h, HIPBLAS_OP_N);") ==
               "#include <cublas_v2.h>\ncublasCreate(&h, CUBLAS_OP_N);");
    BOOST_TEST(with_cuda_names("#include \"hipcub/hipcub.hpp\"\nhipcub::DeviceReduce::Sum(p);") ==
               "#include \"cub/cub.cuh\"\ncub::DeviceReduce::Sum(p);");
    BOOST_TEST(with_cuda_names("hiprandState s; hiprand_init(1, 2, 3, &s); hipfftHandle f;") ==
               "curandState s; curand_init(1, 2, 3, &s); cufftHandle f;");
    BOOST_TEST(with_cuda_names("unsigned n = hiprand(&s);") == "unsigned n = curand(&s);");
    BOOST_TEST(with_cuda_names("#include <cub/cub.cuh>") ==
               "#include <cub/cub.cuh_is_no_name_of_HIP>");
}

BOOST_AUTO_TEST_CASE(shown_names) {
    const std::string macro = "#define CHECK(call) check(call, #call)\n";
    BOOST_TEST(with_cuda_names(macro + "CHECK(hipFree(p)); hipFree(p);") ==
               macro + "CHECK(hipFree(p)); cudaFree(p);");
    BOOST_TEST(with_cuda_names(macro + "CHECK(hipMemcpyToSymbol(HIP_SYMBOL(c), p, 4));") ==
               macro + "CHECK(cudaMemcpyToSymbol(HIP_SYMBOL(c), p, 4));");
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
    cuset::nvcc_dialect hipcc;
    hipcc.is_hip = true;
    const auto made = cuset::translate_for_host(
        "#include <hip/hip_runtime.h>\nint main() { hipLaunchKernelGGL(k, LAUNCH); }", hipcc);
    BOOST_TEST(made.unsupported.value_or("") == "hipLaunchKernelGGL");
    BOOST_TEST(with_cuda_names("HIP_DYNAMIC_SHARED(float, s)\nx;") ==
               "extern __shared__ float  s[];\nx;");
    BOOST_TEST(with_cuda_names("HIP_DYNAMIC_SHARED(T,s);") == "extern __shared__ T s[];");
}

BOOST_AUTO_TEST_CASE(translations) {
    const std::string program = "#include <hip/hip_runtime.h>\nint main() { hipFree(0); }\n";
    cuset::nvcc_dialect hipcc;
    hipcc.is_hip = true;
    const auto made = cuset::translate_for_host(program, hipcc);
    BOOST_TEST((!made.error && !made.unsupported));
    BOOST_TEST(made.text.find("unchecked_call(\"hipFree\"), cudaFree(0)") != made.text.npos);
    BOOST_TEST(made.headers.back() == "cuset_host/hip/language.h");
    BOOST_TEST(cuset::translate_for_host("int main() { hipFree(0); }", hipcc).error->line == 1);
    const auto twice = cuset::translate_for_host(
        "#include <hip/hip_runtime.h>\nint main() { hipFree(0); hipDeviceReset(); own(); }", hipcc);
    BOOST_TEST(twice.text.find("\"hipFree\"), cudaFree(0)") != twice.text.npos);
    BOOST_TEST(twice.text.find("\"hipDeviceReset\"), cudaDeviceReset(); own(); }") !=
               twice.text.npos);
    // What clang reads in another way is told by name; a header of CUDA's is the program's error.
    const auto missing = [&](const std::string& text) {
        const auto done = cuset::translate_for_host("#include <hip/hip_runtime.h>\n" + text, hipcc);
        return done.unsupported.value_or("");
    };
    BOOST_TEST(missing("typedef float f4 __attribute__((aligned(16), ext_vector_type(4)));") ==
               "the attribute ext_vector_type");
    BOOST_TEST(missing("__attribute__((shared)) int x;") == "the attribute shared");
    BOOST_TEST(missing("__attribute__((aligned(16))) int x; int ext_vector_type;") == "");
    BOOST_TEST(missing("int f() { return 1; }\n__device__ int f() { return 2; }") ==
               "f() for the host and the device");
    BOOST_TEST(missing("int f(int) { return 1; }\n__device__ int f(long) { return 2; }") == "");
    BOOST_TEST(missing("#ifdef A\nint f() { return 1; }\n#else\n__device__ int f() { return 2; }\n"
                       "#endif\nint main() {}") == "");
    BOOST_TEST(missing("__device__ int f();\n__device__ int f() { return 2; }") == "");
    BOOST_TEST(missing("int2 operator+(int2 a, int2 b) { return a; }\n"
                       "__device__ int2 operator-(int2 a, int2 b) { return b; }") == "");
    BOOST_TEST(missing("#include <cub/cub.cuh>") == "");
    BOOST_TEST(missing("#include <cub/cub.cuh>\nint main() { dlopen(0, 0); }") == "dlopen");
    // Plain C++ needs no header of HIP.
    for (const char* plain :
         {"int main() {}\n", "#include <vector>\nint f() { return sizeof(int); }\n"})
        BOOST_TEST(!cuset::translate_for_host(plain, hipcc).error);
    BOOST_TEST(!cuset::translate_for_host("#include <hipblas/hipblas.h>\nhipblasHandle_t h;", hipcc)
                    .error);
}

BOOST_AUTO_TEST_CASE(cuda_stays_as_it_is) {
    // Whatever it includes where nobody reads it, and whatever its own names are.
    const std::string program =
        "#ifdef __HIP_PLATFORM_AMD__\n#include <hip/hip_runtime.h>\n#include <hipcub/hipcub.hpp>\n"
        "#include <hiprand/hiprand.h>\n#include <rccl/rccl.h>\n#include <rocprim/rocprim.hpp>\n"
        "#endif\n__device__ int __lane_id() { return threadIdx.x % 32; }\n"
        "__global__ void k(int* x) { x[threadIdx.x] = __lane_id(); __syncthreads(); }\n"
        "int main() { hipMallocOwn(); }\n";
    const auto made = cuset::translate_for_host(program, {}, cuset::barrier_form::split);
    BOOST_TEST((!made.error && !made.unsupported && made.headers.empty()));
    BOOST_REQUIRE(made.kernels.size() == 1);
    BOOST_TEST(made.kernels[0].obstacle == "");
    BOOST_TEST(made.text.find("hipMallocOwn()") != made.text.npos);
}

BOOST_AUTO_TEST_CASE(lanes) {
    const std::string include = "#include <hip/hip_runtime.h>\n";
    cuset::nvcc_dialect hipcc;
    hipcc.is_hip = hipcc.has_wide_warps = true;
    const auto missing = [&](const std::string& statement) {
        const std::string text = include + "__global__ void k(int* x) { " + statement + " }\n";
        return cuset::translate_for_host(text, hipcc).unsupported.value_or("");
    };
    for (const char* dependent :
         {"*x = __shfl_down(*x, 1);", "*x = warpSize;", "*x = __ballot(*x) != 0;",
          "*x = __shfl_sync(~0ull, *x, 1);", "volatile int* y = x; *y = *(y + 32);"})
        BOOST_TEST(missing(dependent) == "warps of 64 lanes");
    BOOST_TEST(missing("atomicAdd(x, 1); __syncthreads();") == "");
    hipcc.has_wide_warps = false;
    BOOST_TEST(missing("*x = __shfl_down(*x, 1);") == "");
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

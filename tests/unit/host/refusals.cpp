// The answers are nvcc 13.0's, which was asked once about each of these programs.
#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>

#include "cuset/host/translation.h"

using cuset::translate_for_host;

namespace {

std::string unsupported(std::string_view program) {
    const auto t = translate_for_host(program);
    return t.unsupported.value_or("");
}

std::string error(std::string_view program) {
    const auto t = translate_for_host(program);
    return t.error ? std::to_string(t.error->line) + ": " + t.error->message : "";
}

std::string in_kernel(std::string_view statement) {
    return error("__global__ void k(float* x, int n) {\n" + std::string(statement) + "\n}\n");
}

std::string with_host_function(std::string_view function, std::string_view statement) {
    return error(std::string(function) + "\n__global__ void k(float* x, int n) { " +
                 std::string(statement) + " }\n");
}

constexpr std::string_view relaxed =
    ". The experimental flag '--expt-relaxed-constexpr' can be used to allow this.";

}  // namespace

BOOST_AUTO_TEST_SUITE(unmodelled)

BOOST_AUTO_TEST_CASE(headers) {
    BOOST_TEST(unsupported("#include <cub/device/device_topk.cuh>\n") ==
               "<cub/device/device_topk.cuh>");
    BOOST_TEST(unsupported("# include \"cublasXt.h\" // dense\n") == "<cublasXt.h>");
    BOOST_TEST(unsupported("#include <cusparseLt.h>\n") == "<cusparseLt.h>");
    for (const char* header :
         {"cuda.h", "curand_kernel.h", "curand.h", "cublas_v2.h", "cub/cub.cuh", "mma.h", "cufft.h",
          "cublasLt.h", "cusolverDn.h", "cusolver_common.h", "cusparse.h", "nvtx3/nvToolsExt.h",
          "nvToolsExt.h", "thrust/sort.h", "cuda/std/array", "nv/target"})
        BOOST_TEST(unsupported("#include <" + std::string(header) + ">\n") == "", header);
    for (const char* header : {"cusolverSp.h", "cusolverMg.h", "cusolverRf.h"})
        BOOST_TEST(unsupported("#include <" + std::string(header) + ">\n") ==
                   "<" + std::string(header) + ">");
    BOOST_TEST(unsupported("#include <cudnn.h>\n#include <nccl.h>") == "<cudnn.h>");
    for (const char* header :
         {"cuda_runtime.h", "cuda_fp16.h", "cuda_bf16.h", "cooperative_groups.h", "vector",
          "cooperative_groups/reduce.h", "helper_cuda.h", "math_constants.h", "cudaProfiler.h"}) {
        BOOST_TEST(unsupported("#include <" + std::string(header) + ">\n") == "");
    }
    BOOST_TEST(unsupported("#if 0\n#include <nccl.h>\n#endif\n// #include <nccl.h>\n") == "");
}

BOOST_AUTO_TEST_CASE(attributes_of_macros) {
    for (const char* text :
         {"#define A(x) __attribute__((x))\n",
          "#define S section(\"x\")\n"
          "__attribute__((S)) int i;\n",
          "#define L ((x))\n"
          "__attribute__ L int i;\n",
          "#define A __attribute__\n", "#define S section\n[[gnu::S(\"x\")]] int i;\n"})
        BOOST_TEST(unsupported(text) == "an attribute of a macro", text);
    for (const char* text : {"#define A(n) __attribute__((aligned(n)))\nA(8) int i;\n",
                             "__attribute__((packed, aligned(8))) struct s {};\n",
                             "#define i 1\nauto f(int* a) { return a[[] { return i; }()]; }\n"})
        BOOST_TEST(unsupported(text) == "", text);
    BOOST_TEST(unsupported("void* p = dlsym(nullptr, x);") == "dlsym");
}

BOOST_AUTO_TEST_CASE(device_code) {
    BOOST_TEST(unsupported("__device__ void f() { asm volatile(\"nop;\"); }") == "inline PTX: nop");
    BOOST_TEST(unsupported("#define NOP asm(\"nop;\")") == "inline PTX: nop");
    BOOST_TEST(unsupported("void f() { asm volatile(\"nop\"); }") == "");
    for (const char* harmless :
         {"asm volatile(\"\" ::: \"memory\");", "asm volatile(\"\" : \"+r\"(x));",
          "__asm__ __volatile__(\"lfence\\n\\trdtsc\" : \"=a\"(lo), \"=d\"(hi));",
          "asm(\"rep; nop\");"})
        BOOST_TEST(unsupported("void f() { " + std::string(harmless) + " }") == "", harmless);
    for (const char* opaque :
         {"asm(\"syscall\");", "asm(\".pushsection .init\");", "asm(TEXT);",
          "extern int y asm(\"z\");", "asm(\"nop\\x3b syscall\");", "asm goto(\"\" :::: l);"})
        BOOST_TEST(unsupported("void f() { " + std::string(opaque) + " }") ==
                       "inline assembly in host code",
                   opaque);
    BOOST_TEST(unsupported("struct S { __device__ void f() { __asm__(\"\"); } };") == "");
    for (const char* modelled :
         {"__device__ void f(volatile float* s) {}",
          "__global__ void f() { __shared__ volatile int s[3]; }",
          "__global__ void k() { k<<<1, 1>>>(); }",
          "__device__ void f(int* x) { asm(\"add.s32 %0, %0, 1;\" : \"+r\"(*x)); }"})
        BOOST_TEST(unsupported(modelled) == "", modelled);
    BOOST_TEST(unsupported("__global__ void __cluster_dims__(2) k() {}") == "");
    BOOST_TEST(unsupported("template <int N> __global__ void __cluster_dims__(2) k() {}") == "");
    BOOST_TEST(unsupported("template <int N> __global__ void __cluster_dims__(N) k() {}") ==
               "cluster dimensions of a template");
    BOOST_TEST(unsupported("__global__ void __block_size__((8), (2)) k() {}") == "__block_size__");
    BOOST_TEST(unsupported("int main() { hipLaunchKernelGGL(f, 1); }") == "hipLaunchKernelGGL");
    BOOST_TEST(
        unsupported("__global__ void k() { __shared__ float\n#ifdef A\na;\n#else\nb;\n#endif\n}") !=
        "");
    // A cut-off program, which nobody compiles.
    BOOST_TEST(unsupported("__global__ void k() { __shared__ float a[") == "");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(refusals)

BOOST_AUTO_TEST_CASE(host_functions) {
    const std::string f =
        "2: calling a __host__ function(\"f\") from a __global__ function(\"k\") "
        "is not allowed";
    BOOST_TEST(with_host_function("float f(float a) { return a; }", "x[0] = f(x[1]);") == f);
    BOOST_TEST(with_host_function("static inline float f(float a) { return a; }", "f(1);") == f);
    BOOST_TEST(with_host_function("float f(float);", "if (false) f(1);") == f);
    BOOST_TEST(with_host_function("template <class T> T f(T a) { return a; }", "f(1);") == f);
    BOOST_TEST(with_host_function("namespace n { float f(float a) { return a; } }", "n::f(1);") ==
               f);
    BOOST_TEST(
        with_host_function("constexpr int f(int a) { return a; }", "int b[f(1)];") ==
        "2: calling a constexpr __host__ function(\"f\") from a __global__ function(\"k\") is "
        "not allowed" +
            std::string(relaxed));
    for (const char* function :
         {"__device__ float f(float a) { return a; }", "__host__ __device__ float f(float a);",
          "#define f(x) x", "float f(float a, float b) { return a; }",
          "float f(float a, float b, float c = 1) { return a; }",
          "float f(float a) { return a; }\n__device__ int f(int);",
          "#ifdef HOST\nfloat f(float a) { return a; }\n#endif",
          "struct f { float a; __device__ f(float); };",
          "#define D __device__\nD float f(float a) { return a; }"}) {
        BOOST_TEST(with_host_function(function, "x[0] = f(x[1]);") == "");
    }
    BOOST_TEST(with_host_function("float f(float a, float b = 1) { return a; }", "f(1);") == f);
    BOOST_TEST(with_host_function("float f(float a = 1, float b = 1) { return a; }", "f(1);") == f);
    const std::string_view host = "float f(float a) { return a; }";
    for (const char* statement :
         {"auto f = [](float a) { return a; }; f(1);", "x[0] = sizeof(f(1));", "s.f(1);",
          "if constexpr (false) f(1);", "\n#ifndef __CUDA_ARCH__\nf(1);\n#endif\n", "// f(1)"}) {
        BOOST_TEST(with_host_function(host, statement) == "");
    }
    BOOST_TEST(error("float fminf(float a, float b); __global__ void k() { fminf(1, 2); }") == "");
}

BOOST_AUTO_TEST_CASE(reached) {
    const std::string host = "float f(float a) { return a; }\n";
    const std::string f =
        ": calling a __host__ function(\"f\") from a __device__ function(\"d\") is "
        "not allowed";
    BOOST_TEST(error(host + "__device__ float d() { return f(1); }") == "2" + f);
    BOOST_TEST(error(host + "static __device__ float d() { return f(1); }") == "");
    BOOST_TEST(
        error(host +
              "static __device__ float d() { return f(1); }\n__global__ void k() { d(); }") ==
        "2" + f);
    BOOST_TEST(error(host + "__host__ __device__ float d() { return f(1); }") == "");
    const std::string kernel = host + "template <class T> __global__ void k(T a) { f(1); }\n";
    BOOST_TEST(error(kernel) == "");
    BOOST_TEST(
        error(kernel + "int main() { k<<<1, 1>>>(1); }") ==
        "2: calling a __host__ function(\"f\") from a __global__ function(\"k\") is not allowed");
}

BOOST_AUTO_TEST_CASE(library) {
    const auto strict = [](std::string_view name) {
        return "2: calling a constexpr __host__ function(\"" + std::string(name) +
               "\") from a __global__ function(\"k\") is not allowed" + std::string(relaxed);
    };
    const auto plain = [](std::string_view name) {
        return "2: calling a __host__ function(\"" + std::string(name) +
               "\") from a __global__ function(\"k\") is not allowed";
    };
    BOOST_TEST(in_kernel("x[0] = std::max(x[0], x[1]);") == strict("max"));
    BOOST_TEST(in_kernel("x[0] = std::min<float>(x[0], 1);") == strict("min"));
    BOOST_TEST(in_kernel("x[0] = std::numeric_limits<float>::infinity();") == strict("infinity"));
    BOOST_TEST(in_kernel("std::swap(x[0], x[1]);") == plain("std::swap"));
    BOOST_TEST(in_kernel("std::sort(x, x + n);") == plain("std::sort"));
    BOOST_TEST(in_kernel("std::vector<float> v;") == plain("std::vector"));
    BOOST_TEST(in_kernel("std::cout << n;") == plain("std::cout"));
    BOOST_TEST(in_kernel("x[0] = rand();") == plain("rand"));
    BOOST_TEST(in_kernel("char b[9]; snprintf(b, 9, \"%d\", n);") == plain("snprintf"));
    BOOST_TEST(in_kernel("std::map<int, std::pair<int, int>> m;") == plain("std::map"));
    BOOST_TEST(in_kernel("std::pair<int, int> p(1, 2);") == strict("pair"));
    BOOST_TEST(in_kernel("std::complex<float> c{1, 2};") == strict("complex"));
    BOOST_TEST(in_kernel("std::tuple<int, int> t; x[0] = 1;") == strict("tuple"));
    BOOST_TEST(in_kernel("std::array<float, 3> a; x[0] = a[1];") == strict("operator[]"));
    BOOST_TEST(in_kernel("for (float v : {1.f, 2.f}) x[0] = v; auto e = std::size(x);") ==
               strict("size"));
    for (const char* statement :
         {"std::pair<int, int> q(p), r = p, *s;", "std::array<float, 3> a = {1, 2}; s.a[0] = 1;",
          "{ std::array<float, 3> a; } float a[3]; a[0] = 1;", "x[0] = strlen(\"abc\");",
          "std::complex<float>* c = nullptr;",
          "x[0] = std::abs(x[0]) + std::sqrt(x[1]) + std::pow(x[0], 2.f);", "max(x[0], x[1]);",
          "x[0] = std::fma(x[0], x[1], 2.f);", "x[0] = std::isnan(x[0]) || std::isinf(x[0]);",
          "x[0] = std::move(x[1]);", "x[0] = std::numeric_limits<float>::digits;", "std::size_t i;",
          "x[0] = std::is_same<int, int>::value;", "printf(\"%d\", n);", "free(malloc(3));",
          "delete new int;", "memcpy(x, x, 4);"}) {
        BOOST_TEST(in_kernel(statement) == "");
    }
}

BOOST_AUTO_TEST_CASE(declarations) {
    BOOST_TEST(error("\n__global__ int k() { return 1; }") ==
               "2: a __global__ function must have a void return type");
    BOOST_TEST(in_kernel("__shared__ int s = 0;") ==
               "2: initializer not allowed for __shared__ variable");
    BOOST_TEST(in_kernel("__shared__ int a, s[2] = {1, 2};") ==
               "2: initializer not allowed for __shared__ variable");
    BOOST_TEST(error("struct S { static __global__ void k() {} };") ==
               "1: A __global__ function or function template cannot be a member function");
    BOOST_TEST(error("struct S { friend __global__ void k(S); };") == "");
    BOOST_TEST(in_kernel("float s[n];") == "2: expression must have a constant value");
    for (const char* array :
         {"float s[2 * n];", "float s[4][n + 1];", "const int m = n / 2; double s[m];",
          "int a = 1, m = 4; float4 s[m];", "char s[blockDim.x];", "int s[warpSize];",
          "for (unsigned i = 1; i < 3; ++i) { bool s[i]; }", "auto m = 4; int s[m];"})
        BOOST_TEST(in_kernel(array) == "2: expression must have a constant value");
    for (const char* array :
         {"const int m = 2; float s[m];", "constexpr int m = 3, k = m; float s[m * k];",
          "float s[sizeof(n)];", "{ constexpr int n = 4; float s[n]; }", "int* s = new int[n];",
          "const int m = f(2); float s[m];", "float s[S::n];", "enum { m = 3 }; int s[m];",
          "static constexpr auto m = 3u; int s[m];", "const int m = sizeof(n) * 2; int s[m];"})
        BOOST_TEST(in_kernel(array) == "");
    BOOST_TEST(in_kernel("throw 1;") == "2: device code does not support exception handling");
    BOOST_TEST(error("__global__ void k(int) {}\nint main() { k(1); }") ==
               "2: a __global__ function call must be configured");
    BOOST_TEST(error("__global__ void k(int) {}\nint main() { auto k = [](int) {}; k(1); }") == "");
}

BOOST_AUTO_TEST_CASE(references_to_textures) {
    const std::string since =
        " (CUDA 12 removed texture and surface references; cudaCreateTextureObject and "
        "cudaCreateSurfaceObject have taken their place)";
    BOOST_TEST(error("texture<float, 1, cudaReadModeElementType> t;\n"
                     "__global__ void k(float* x) { *x = tex1Dfetch(t, 0); }") ==
               "1: texture is not a template" + since);
    BOOST_TEST(error("int n;\nstatic surface<void, cudaSurfaceType2D> s;") ==
               "2: surface is not a template" + since);
    BOOST_TEST(error("int main() { cudaUnbindTexture(t); }") ==
               "1: identifier \"cudaUnbindTexture\" is undefined" + since);
    for (const char* text :
         {"template <class T> struct texture {};\ntexture<float> t;",
          "int texture = 1, n = texture < 3;", "using gl::surface;\nsurface<int> s;",
          "gl::texture<float> t;", "#define texture f\ntexture<3>(1);",
          "#if CUDART_VERSION < 12000\ntexture<float> t;\n#endif", "void f() { v.texture<3>(); }"})
        BOOST_TEST(error(text) == "");
}

BOOST_AUTO_TEST_CASE(members_of_the_host) {
    const auto check = [](std::string_view member) {
        return with_host_function("struct V { float x; " + std::string(member) + " };",
                                  "V v; x[0] = v.dot(v);");
    };
    const std::string refused =
        "2: calling a __host__ function(\"dot\") from a __global__ function(\"k\") is not allowed";
    BOOST_TEST(check("float dot(V o) const { return x * o.x; }") == refused);
    BOOST_TEST(check("inline float dot(const V& o) { return x * o.x; }") == refused);
    BOOST_TEST(check("__device__ float dot(V o) const { return x * o.x; }") == "");
    BOOST_TEST(check("__host__ __device__ float dot(V o) const { return x * o.x; }") == "");
    BOOST_TEST(error("#define HD __host__ __device__\nstruct V { HD int f() { return 1; } };\n"
                     "__global__ void k(int* x) { V v; x[0] = v.f(); }") == "");
    BOOST_TEST(error("struct A { int f() { return 1; } };\n"
                     "struct B { __device__ int f() { return 2; } };\n"
                     "__global__ void k(int* x) { B b; x[0] = b.f(); }") == "");
}

BOOST_AUTO_TEST_CASE(static_members_of_the_host) {
    const auto check = [](std::string_view member, std::string_view statement = "S::f(1);") {
        return with_host_function("struct S { " + std::string(member) + " };", statement);
    };
    const std::string refused =
        "2: calling a __host__ function(\"f\") from a __global__ function(\"k\") is not allowed";
    BOOST_TEST(check("static float f(float a) { return a; }") == refused);
    BOOST_TEST(check("static __device__ float f(float a) { return a; }") == "");
    BOOST_TEST(check("static float f(float a) { return a; }", "std::f(1); n::S::f(1);") == "");
}

BOOST_AUTO_TEST_CASE(constructors_of_the_host) {
    const auto check = [](std::string_view members, std::string_view statement,
                          std::string_view head = "struct S") {
        return with_host_function(std::string(head) + " { float a; " + std::string(members) + " };",
                                  statement);
    };
    const std::string refused =
        "2: calling a __host__ function(\"S::S\") from a __global__ function(\"k\") is not "
        "allowed";
    BOOST_TEST(check("S() { a = 1; }", "S s;") == refused);
    BOOST_TEST(check("S() : a(1) {}", "n = 1; S s[3];") == refused);
    BOOST_TEST(check("S(float b = 1) : a(b) {}", "S s;") == refused);
    BOOST_TEST(check("S(float b) : a(b) {}", "S s(3);") == refused);
    BOOST_TEST(check("explicit S(float b) : a(b) {}", "x[0] = S{3}.a;") == refused);
    BOOST_TEST(check("S(float b, float c) { a = b + c; }", "const S s(x[0], x[1]);") == refused);
    BOOST_TEST(check("S(float b, float c) { a = b + c; }", "S s{x[0], x[1]};") == refused);
    BOOST_TEST(check("public: S() {} S(int n) : a(n) {}", "S s(1);", "class S") == refused);
    BOOST_TEST(check("constexpr S(int n) : a(n) {}", "S s(1);") ==
               "2: calling a constexpr __host__ function(\"S::S\") from a __global__ "
               "function(\"k\") is not allowed" +
                   std::string(relaxed));
    for (const char* members :
         {"", "S() = default;", "__device__ S() {}", "__host__ __device__ S() {}", "float b = 1;",
          "S(float b, float c) {} S() = default;", "S() {} __device__ S(int n) {}", "S();",
          "template <class T> S(T) {} S() {}", "HD S() {}", "S(const S& o) : a(o.a) {}",
          "~S() {}"}) {
        BOOST_TEST(check(members, "S s;") == "");
    }
    // The compiler itself makes copies.
    for (const char* statement :
         {"S s(p[0]);", "S s = p[0];", "S s{p[0]};", "S& s = p[0];", "S* s = p;", "f(S(p[0]));",
          "int S;", "sizeof(S(1, 2));", "auto f = [](S a, S b) {};", "S s(x[0]);"}) {
        BOOST_TEST(check("S() {} S(float b) : a(b) {} S(float b, float c) : a(b) {}", statement) ==
                   "");
    }
    const std::string_view made = "S() {}";
    BOOST_TEST(check(made, "S s;", "template <class T> struct S") == "");
    BOOST_TEST(check(made, "S s;", "struct B {};\nstruct S : B") == "");
    BOOST_TEST(check(made, "S s;", "struct S { S(); };\nnamespace n { struct S") == "");
    BOOST_TEST(error("#define HD __host__ __device__\nstruct S { HD S() {} };\n"
                     "__global__ void k() { S s; }") == "");
    BOOST_TEST(error("struct S {\n#ifdef A\n__device__\n#endif\nS() {} };\n"
                     "__global__ void k() { S s; }") == "");
}

BOOST_AUTO_TEST_CASE(closures) {
    const std::string annotated =
        "__host__ or __device__ annotation on lambda requires --extended-lambda nvcc flag";
    for (const char* lambda : {"[=] __device__ (int i) { return i; }", "[] __device__ { }",
                               "[] __host__ __device__ (int i) { return i; }"}) {
        const std::string text = std::string(lambda) + ";";
        BOOST_TEST(error("void f() {\nauto g = " + text + "}") == "2: " + annotated);
        BOOST_TEST(error("__global__ void k() { auto g = " + text + "}") == "1: " + annotated);
        BOOST_TEST(error("#define L " + text + "\n") == "");
        BOOST_TEST(error("void f() {\n#ifdef A\nauto g = " + text + "\n#endif\n}") == "");
        BOOST_TEST(!translate_for_host("void f() { auto g = " + text + "}",
                                       {.extended_lambda = true, .relaxed_constexpr = false})
                        .error);
    }
    const std::string_view global = "auto f = [](float a) { return a; };";
    BOOST_TEST(with_host_function(global, "x[0] = f(1);") ==
               "2: calling a constexpr __host__ function(\"operator()\") from a __global__ "
               "function(\"k\") is not allowed" +
                   std::string(relaxed));
    BOOST_TEST(!translate_for_host(std::string(global) + "__global__ void k() { f(1); }",
                                   {.extended_lambda = false, .relaxed_constexpr = true})
                    .error);
    BOOST_TEST(with_host_function(global, "auto f = [](float a) { return a; }; f(1);") == "");
    BOOST_TEST(in_kernel("auto f = [=](float a) { return a + n; }; x[0] = f(1);") == "");
}

BOOST_AUTO_TEST_CASE(arguments_of_kernels) {
    BOOST_TEST(error("__global__ void k(std::vector<int> v) {}\n") ==
               "1: calling a __host__ function(\"std::vector\") from a __global__ function(\"k\") "
               "is not allowed");
    BOOST_TEST(error("__global__ void k(std::vector<int>* v, std::size_t n) {}\n") == "");
    const auto launched = [&](std::string_view argument, std::string_view before = "",
                              std::string_view kernel =
                                  "template <class F> __global__ void k(F f)") {
        return error(std::string(kernel) + " {}\nint main() { " + std::string(before) +
                     "k<<<1, 1>>>(" + std::string(argument) + "); }");
    };
    const std::string_view closure = "2: The closure type for a lambda";
    BOOST_TEST(launched("[](int i) { return i; }").starts_with(closure));
    BOOST_TEST(launched("f", "auto f = [=](int i) { return i; };").starts_with(closure));
    BOOST_TEST(
        launched("f", "auto f = [&] { };", "template <typename T> __global__ void k(const T f)")
            .starts_with(closure));
    BOOST_TEST(launched("[&] { return 3; }()") == "");
    BOOST_TEST(launched("f(3)", "auto f = [=](int i) { return i; };") == "");
    BOOST_TEST(launched("+f", "auto f = [](int i) { return i; };") == "");
    BOOST_TEST(launched("f", "auto f = [] { return 1; }();") == "");
    // nvcc accepts a pointer to a host function.
    for (const char* kernel : {"__global__ void k(int (*f)(int))", "__global__ void k(call f)",
                               "template <class T> __global__ void k(call f, T* x = nullptr)"}) {
        BOOST_TEST(launched("f", "auto f = [](int i) { return i; };", kernel) == "");
    }
}

BOOST_AUTO_TEST_CASE(device_functions_in_host_code) {
    const auto called = [](std::string_view head, std::string_view statement = "g(1);") {
        return error(std::string(head) + " float g(float a) { return a; }\nint main() { " +
                     std::string(statement) + " }\n");
    };
    const std::string refused =
        "2: calling a __device__ function(\"g\") from a __host__ function(\"main\") is not allowed";
    BOOST_TEST(called("__device__") == refused);
    BOOST_TEST(called("static __device__ __forceinline__", "return g(2);") == refused);
    BOOST_TEST(called("__device__ __host__") == "");
    BOOST_TEST(called("__device__ float g(float);\n__host__") == "");
    BOOST_TEST(called("__device__", "auto g = [](int) {}; g(1);") == "");
    BOOST_TEST(called("__device__", "x.g(1); ns::g(2); sizeof(int);") == "");
    BOOST_TEST(called("#ifdef A\n__device__\n#endif\n") == "");
}

BOOST_AUTO_TEST_CASE(device_variables_in_host_code) {
    const std::string_view name = "a variable of the device in host code";
    const auto used = [](std::string_view variable, std::string_view statement) {
        return unsupported(std::string(variable) + "\nvoid f() { " + std::string(statement) + " }");
    };
    for (const char* statement : {"G = 0;", "G[3] = 1;", "++G;", "int n = G;", "return G;",
                                  "printf(\"%d\", G);", "if (G > 3) n();"}) {
        BOOST_TEST(used("struct S { static __device__ int G; };", statement) == name);
        BOOST_TEST(used("__device__ int G;", statement) == "");  // the host has one of its own
    }
    BOOST_TEST(used("struct S { static __constant__ float G[9]; };", "G[0] = 2;") == name);
    for (const char* variable :
         {"__managed__ __device__ int G;", "__constant__ const int G = 3;", "int G;",
          "__device__ int H;", "__device__ int G(int);", "__device__ constexpr int G = 3;",
          "__device__ struct { int H; } G;"}) {
        BOOST_TEST(used(variable, "int n = G;") == "");
    }
    for (const char* statement :
         {"cudaMemcpyToSymbol(G, &x, 4);", "CK(cudaGetSymbolAddress(&p, G));", "upload(G, 3);",
          "int n = sizeof(G) / sizeof(G[0]);", "int G = 0; G++;", "s.G = 1;", "S::G = 2;"}) {
        BOOST_TEST(used("__device__ int G;", statement) == "");
    }
    // A member function's declaration declares no variable, least of all one by the name of const.
    for (const char* member : {"virtual int f() const = 0;", "int f() const;", "int f() noexcept;"})
        BOOST_TEST(
            unsupported("struct S { __device__ " + std::string(member) +
                        " };\nvoid g() { int n = 1; const int m = n; S* s; int const o = m; }") ==
            "");
    BOOST_TEST(unsupported("__device__ int G;\n__global__ void k() { G = 1; }") == "");
    BOOST_TEST(unsupported("__device__ int G;\n__host__ __device__ int k() { return G; }") == "");
}

BOOST_AUTO_TEST_CASE(initializers) {
    const auto made = [](std::string_view declaration) {
        return error("float f() { return 1; }\nconstexpr float g() { return 1; }\n" +
                     std::string(declaration));
    };
    const auto refused = [](std::string_view qualifier) {
        return "3: dynamic initialization is not supported for a " + std::string(qualifier) +
               " variable";
    };
    BOOST_TEST(made("__constant__ float a[2] = {1, 2 * sqrtf(2)};") == refused("__constant__"));
    for (const char* declaration :
         {"__device__ float a = f();", "static const __device__ double a = 1, b = sin(1);"}) {
        BOOST_TEST(made(declaration) == refused("__device__"));
    }
    for (const char* declaration :
         {"__device__ float a = g();", "__device__ float a = 1, b[2] = {1, float(3)};",
          "float a = f();", "__device__ float a = sizeof(f());\n#define f(x) x",
          "__device__ float k() { float a = sinf(1); return a; }",
          "__device__ float k(float a = 1);\nfloat b = f();", "#define D __device__ float a = f();",
          "__global__ void k() { float a = sqrtf(2); }"}) {
        BOOST_TEST(made(declaration) == "");
    }
}

BOOST_AUTO_TEST_CASE(host_variables) {
    const auto check = [](std::string_view variable, std::string_view statement) {
        return with_host_function(variable, statement);
    };
    const std::string g = "2: identifier \"G\" is undefined in device code";
    BOOST_TEST(check("int G = 3;", "x[0] = G;") == g);
    BOOST_TEST(check("float G[4];", "G[n] = 1;") == g);
    BOOST_TEST(check("const float G[2] = {1, 2};", "x[0] = G[n];") == g);
    BOOST_TEST(check("static float* G;", "x[0] = G[n];") == g);
    for (const char* variable :
         {"const int G = 3;", "constexpr float G = 3;", "__device__ int G;",
          "__constant__ int G[3];", "__managed__ int G;", "#define G 3", "enum { G };",
          "#define C __constant__\nC int G[3];", "extern __device__ int G;",
          "template <int N> constexpr int G = N;"}) {
        BOOST_TEST(check(variable, "x[0] = G;") == "");
    }
    // Every variable of a declaration counts.
    for (const char* variable : {"int F = 3, G = 4;", "float F[4], G[4];", "int F = f(1, 2), *G;",
                                 "#define N 4\nfloat F[N] = {1, 2}, G[3];"})
        BOOST_TEST(check(variable, "x[0] = G[n];").find("identifier \"G\"") != std::string::npos,
                   variable);
    for (const char* variable : {"const int F = 3, G = 4;", "int F[2] = {1, G};",
                                 "#define C __constant__\nC int F[2], G[3];",
                                 "int F = 1; enum { G };", "__device__ float F[2], G[2];"})
        BOOST_TEST(check(variable, "x[0] = G;") == "", variable);
    for (const char* statement : {"int G = 1; x[0] = G;", "int a, G; G = 1;", "x[0] = sizeof(G);",
                                  "x[0] = s.G;", "for (int i = 0, G = 3; i < G; ++i) {}"}) {
        BOOST_TEST(check("int G = 3;", statement) == "");
    }
}

BOOST_AUTO_TEST_SUITE_END()

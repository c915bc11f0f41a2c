// A CUDA program as C++ that g++ compiles against the host runtime (../../../runtime).
//
// Only code that C++ cannot express is rewritten, in place, so that every line keeps its number:
//
//   k<T><<<g, b, s, st>>>(x, n)
//     ::cuset_host::launch({"k", 12}, ::cuset_host::configuration(g, b, s, st))
//         .plain(+k, [&](auto&... cuset_a) { k(cuset_a...); })(x, n)
//     if the callee is no template, is not overloaded and has no default arguments, or is an
//     expression: arguments are converted to the kernel's parameters once, on the host. With
//     default arguments .first<2>(+k, …)(x, n), where two are given. Else
//         .deduced([&](auto&... cuset_a) { k<T>(cuset_a...); })(x, n)
//     with a closure before it, which finds the function that k<T> names, if it names one; then
//     all is as for a kernel that is no template. The number: the launch's line.
//   cudaLaunchKernel((void*)k, …), cudaLaunchCooperativeKernel, cudaLaunchKernelEx, …ExC
//     ::cuset_host::named_launch("k", 12).cudaLaunchKernel(k, …)
//     The cast of the kernel's name to void* is dropped: the name's type tells how to call it.
//   __shared__ float a[N][17], b;                            (in a function)
//     struct cuset_shared_9_1 { float a[N][17], b; };
//     auto& a = ::cuset_host::shared<decltype(cuset_shared_9_1::a), cuset_shared_9_1, 0>("a");
//     auto& b = ::cuset_host::shared<decltype(cuset_shared_9_1::b), cuset_shared_9_1, 1>("b");
//     The numbers count such variables through the program. After variables that the function
//     reads: static_assert(sizeof(cuset_shared_9_1) <= 48 * 1024, "uses too much shared data");
//   extern __shared__ T s[];                                 (in a function)
//     struct cuset_shared_9_2 { char cuset_head; T s[]; };
//     auto& s = ::cuset_host::dynamic_shared<decltype(cuset_shared_9_2::s)>();
//   extern __shared__ T s[];                                 (at namespace scope)
//     static ::cuset_host::dynamic_shared_array<T> s;
//   __shared__ T x;                                          (at namespace scope)
//     static thread_local T x;
//   __constant__ float a[N], b;                              (in a namespace)
//     … static_assert(sizeof(a) + sizeof(b) <= 64 * 1024, "uses too much global constant data");
//   __CUDA_ARCH__ inside the bodies of __global__ and __device__ functions, also in directives
//     900 for sm_90, and defined there. What differs by it outside them, or in a function of both
//     sides, is written twice, with #line behind it: see translate/sides.h
//   a variable x of the device in host code, but for calls that take symbols
//     cuset_shadow_x, which is declared behind x
//   std::sort(p, …) and other algorithms in host code, also of Thrust
//     std::sort(::cuset_host::of_host(p, "std::sort"), …), which a pointer to device memory ends
//   printf in such a function, if its value is used
//     ::cuset_host::device_printing{printf}, which gives the number of arguments on a device
//   x = {};                                                 (if the program names half precision)
//     x = ::std::decay_t<decltype(x)>{};
//   after the body of a kernel that is no template and not overloaded
//     static const ::cuset_host::registration cuset_kernel_7(&k, "k");
//   after the body of one that is not overloaded, a template or not
//     static const ::cuset_host::kernel_needs cuset_needs_7("k", 256, {0, 3});
//     Its __launch_bounds__, or 0, and the static shared variables that it reads, by number.
//   at the beginning of a kernel whose bounds depend on the template, or that is overloaded
//     if (::cuset_host::exceeds_bounds<&k<n>, static_cast<unsigned>(n)>()) return;
//
//   float a[N];                       (in a function of the device, if the program is to be counted)
//     float a[N]; CUSET_HOST_LOCAL_ARRAY(a)
//   a kernel that waits only at `__syncthreads();` statements of its own body, if the caller asks
//   for it (barrier_form::split)
//     runs all threads of a block in one call, without a stack for each; see split_kernels.h
//   a kernel that does not wait, likewise
//     runs all threads of a block in one call; see row_kernels.h
//
// A program in HIP is read as the CUDA program that its names stand for: see hip.h.
//
// The runtime's headers provide the qualifiers (__global__, __device__, __constant__,
// __launch_bounds__, …), built-in variables and functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/host/architectures.h"

namespace cuset {

/// An error that nvcc reports and g++ may not: a line of the program, from 1, and the reason.
struct translation_error {
    std::size_t line = 0;
    std::string message;
    bool is_ours = false;  ///< whatever nvcc says: a name of the evaluator's own
};

/// A kernel with barriers, and why its threads need their own stacks; empty if they do not.
struct kernel_form {
    std::string name;
    std::size_t line = 0, last_line = 0;  ///< of its body
    std::string obstacle;
};

struct translation {
    std::string text;  ///< as many lines as the program, or #line says which is which
    /// barrier_form::split: the kernels that call __syncthreads(), in order. If all have an
    /// obstacle and `rows` is empty, the text is that of barrier_form::fibers.
    std::vector<kernel_form> kernels;
    /// barrier_form::split: the kernels without barriers that became loops over their threads.
    std::vector<kernel_form> rows;
    /// The first thing in live code that the host model does not know, by name: "inline PTX",
    /// "<cublas_v2.h>", "wmma", "a launch in device code". If it is set, do not compile the text.
    std::optional<std::string> unsupported;
    /// A call of a host function from device code and the like; if it is set, do not compile the
    /// text. One of the evaluator's own names is always reported here, whatever else the program
    /// has.
    std::optional<translation_error> error;
    /// Headers to read before the program, as translate/library_headers.h says.
    std::vector<std::string> headers;
    /// May access memory at addresses that are not aligned for what it reads: compile it so that
    /// each access is checked (-fsanitize=alignment).
    bool may_misalign = false;
    bool calls_libraries = false;  ///< may call cuBLAS, cuFFT, cuSOLVER or cuSPARSE
    std::uint32_t shared = 0;      ///< the number of the next shared variable
};

/// What nvcc accepts beyond its default, and the macros that it knows before the program.
struct nvcc_dialect {
    bool extended_lambda = false;    ///< --extended-lambda
    bool relaxed_constexpr = false;  ///< --expt-relaxed-constexpr
    /// "-DNAME", "-DNAME=VALUE" and "-UNAME"; other flags may stand between them.
    std::vector<std::string> definitions = {};
    std::string cuda_version = "13.0";  ///< of the headers
    bool is_host_source = false;        ///< a .cpp file, which nvcc leaves to the host compiler
    bool is_counted = false;            ///< no part of the dialect: it is to run counted
    bool is_hip = false;                ///< hipcc reads it
    bool has_wide_warps = false;        ///< hipcc's GPUs all have warps of 64 lanes
};

/// How the threads of a block wait for each other.
enum class barrier_form : unsigned char {
    fibers,  ///< each on a stack of its own
    split,   ///< without, if a kernel's text allows it: g++ may still refuse the outcome
    steps,   ///< as fibers, and the threads of a warp wait for each other at each store
};

/// Ends for any program, in time linear in its length. cuda_arch_of() must know `architecture`. The
/// text may be one of several that make a program: `first_shared` is then the number of its first
/// shared variable, which no two of them share.
translation translate_for_host(std::string_view program, const nvcc_dialect& dialect = {},
                               barrier_form form = barrier_form::fibers,
                               std::string_view architecture = default_host_architecture(),
                               std::uint32_t first_shared = 0);

}  // namespace cuset

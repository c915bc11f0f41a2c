// Kernel and launch spans of CUDA and HIP code, as byte offsets into the tagged text.
//
// The tagger finds every live `__global__` head with a body (also if a macro of the same text
// stands for `__global__`, as in `#define KERNEL __global__ void`), every live `<<<…>>>`, and every
// live call, not declaration, of cudaLaunchKernel, cudaLaunchKernelEx, cudaLaunchKernelExC,
// cudaLaunchCooperativeKernel, cuLaunchKernel, cuLaunchKernelEx, hipLaunchKernel,
// hipLaunchKernelGGL, hipLaunchCooperativeKernel and hipModuleLaunchKernel. Dead text is comments,
// strings, the branch of `#if 0` and `#if false`, and the `#else` of `#if 1`; every other branch is
// live. Text inside a #define is tagged in place; an #include, #pragma or #error line is no code.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/syntax/roles.h"

namespace cuset {

enum class span_kind : unsigned char { kernel, launch };

/// Bytes [begin, end) of the tagged text.
struct code_span {
    span_kind kind = span_kind::kernel;
    /// The last identifier, without namespace or template arguments:
    ///   ns::k<T><<<…>>>, this->k<<<…>>>, kernels[i]<<<…>>>, (*fp)<<<…>>>   k, k, kernels, fp
    ///   cudaLaunchKernel((void*)ns::k<T>, …), cudaLaunchKernelEx(&cfg, k<T>, …)       k, k
    ///   make_kernel(n)<<<…>>>, static_cast<fn>(k)<<<…>>>                   make_kernel, k
    ///   KERNEL(add)<<<…>>>, __global__ void KERNEL(add)(float* x) {…}      add (a macro's
    ///   argument)
    ///   __global__ void name##_kernel(float* x) {…}                        name##_kernel (one
    ///   word)
    /// In a Python f-string a replacement field stands for its expression: f"k_{dtype}" is k_dtype.
    /// Empty if there is no identifier.
    std::string name;
    std::size_t begin = 0;
    std::size_t end = 0;

    bool operator==(const code_span&) const = default;
};

/// The part of a kernel that its span covers.
enum class kernel_extent : unsigned char {
    body,        ///< the compound statement with braces (the first of a function-try-block)
    definition,  ///< from `template`, `extern "C"`, attributes or specifiers to the closing brace
};

/// The part of a launch that its span covers.
enum class launch_extent : unsigned char {
    /// `<<<` to `>>>` inclusive, or the callee's name to the closing parenthesis of a call.
    configuration,
    /// The innermost statement around it, with its semicolon. For a launch inside the parentheses
    /// of `if`, `for`, `while` or `switch`, the span is that head: `if (cudaLaunchKernel(…) !=
    /// cudaSuccess)`.
    statement,
    /// The statement, and a further span of kind launch, under the launch's name, for each
    /// declaration that the configuration's arguments depend on, directly or through another such
    /// declaration. It must declare a dim3, an integer or a launch configuration, and be in scope.
    /// A declaration that several launches use has one span, under the name of the first.
    setup,
};

/// The kind of text: the values of --lang.
enum class source_language : unsigned char {
    /// Markdown if it has a code fence outside the comments and strings of code; else Python or
    /// CUDA by its first lines, but always CUDA if it has a live kernel or launch.
    automatic,
    cuda,       ///< all of it is CUDA C++; the tagging's lang is "cuda"
    hip,        ///< all of it is HIP C++; the tagging's lang is "hip"
    python,     ///< all of it is Python: the code is in its string literals
    markdown,   ///< the code is in its fences; each is CUDA or Python by info string and content
};

struct tag_options {
    kernel_extent kernel = kernel_extent::body;
    launch_extent launch = launch_extent::configuration;
    source_language lang = source_language::automatic;
    bool roles = false;  ///< whether tagging::roles is wanted: it takes a parse of the device code
};

struct tagging {
    /// Sorted by begin, then end. Spans may nest. If heads in several branches of a conditional
    /// share one body, spans may overlap or coincide: every head has its own span.
    std::vector<code_span> spans;
    /// The dialect of the device code: "hip" if there are HIP names (hipMalloc, #include <hip/…>)
    /// and no CUDA ones, else "cuda". Also set for code in Markdown or Python. It is a literal and
    /// never dangles.
    std::string_view lang = "cuda";
    /// In order of position, if they were asked for. Text around code (outside Markdown's fences and
    /// Python's strings) has no role. Inside code that Python or a block quote spells differently, a
    /// run covers the source bytes between its ends.
    std::vector<role_run> roles;
    /// Bytes of device code that the grammar could not read. Their roles are by words, brackets and
    /// statements alone.
    std::size_t recovered = 0;
};

/// Finds spans. Keeps its buffers between calls, so each thread needs its own.
///
/// Any bytes are accepted (invalid UTF-8, NUL, text cut anywhere). Time is linear in the length;
/// with roles, tree-sitter's on the device code is added. If a kernel body, a call or a configuration is still open at the end of its code (the
/// text, the fence, the string literal or the #define), its span ends there. If conditionals split
/// braces, a span ends where all configurations end, or at the last end if they differ.
class tagger {
public:
    explicit tagger(tag_options options = {});
    ~tagger();
    tagger(tagger&&) noexcept;
    tagger& operator=(tagger&&) noexcept;

    /// The result depends only on the options and the text.
    tagging tag(std::string_view text);

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace cuset

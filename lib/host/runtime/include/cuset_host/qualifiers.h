// The macros that nvcc defines for a program, and CUDA's qualifiers as nothing. Included after the
// toolkit's headers, which define some of them too and are read as host C++: __CUDACC__ is for the
// program only.
#pragma once

#undef __CUDACC__
#undef __NVCC__
#define __CUDACC__ 1
#define __NVCC__ 1
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ (CUDART_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (CUDART_VERSION % 1000 / 10)
#define __CUDACC_VER_BUILD__ 0
#endif

#undef __global__
#undef __device__
#undef __host__
#undef __constant__
#undef __managed__
#undef __grid_constant__
#undef __launch_bounds__
#undef __maxnreg__
#undef __cluster_dims__
#undef __block_size__
#undef __nv_pure__
#undef __align__
#undef __forceinline__
#undef __inline_hint__
#undef __shared__

#define __global__
#define __device__
#define __host__
#define __constant__
// The runtime knows these variables by their section (device_memory.cpp).
#define __managed__ __attribute__((section("cuset_managed")))
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __nv_pure__
#define __align__(n) __attribute__((aligned(n)))

// A function of CUDA's that stands for arithmetic of a GPU. Counted programs call it, so that the
// call can be seen (costs/assembler/instrumentation.h).
#ifdef CUSET_HOST_COUNT
#define CUSET_HOST_ARITHMETIC __attribute__((noinline)) inline
#else
#define CUSET_HOST_ARITHMETIC inline
#endif

// Not always_inline: g++ takes it as an order, and recursive functions would not compile.
#define __forceinline__ inline
#define __inline_hint__

// Nothing instead of an attribute: the system's headers write __attribute__((__noinline__)), and
// this works there too.
#undef __noinline__
#define __noinline__

// The translator replaces every __shared__. If one is left, it is no private variable, and must not
// compile.
#define __shared__ cuset_host_untranslated_shared

#include "cuset/host/headers.h"

#include <algorithm>

#include "cuset/host/runtime_files.h"

namespace cuset {

namespace {

constexpr unsigned toolkit = 1;     // of the CUDA toolkit, or was
constexpr unsigned library = 2;     // of a library that need not be installed
constexpr unsigned unmodelled = 4;  // a program that includes it is unsupported
constexpr unsigned in_part = 8;     // so is one that includes a header which the runtime lacks
constexpr unsigned plain = 16;      // plain C++ to a host compiler
constexpr unsigned launches = 32;   // of a library that launches kernels

/// Names, or prefixes of names ending in `*`. What the runtime models stands in runtime/include; it
/// is here too where something else is asked of it. Several entries may fit a name.
constexpr struct {
    std::string_view name;
    unsigned properties;
} known[] = {
    {"arrow/*", library},
    {"ATen/*", unmodelled | launches},
    {"benchmark/benchmark.h", library},
    {"boost/*", library},
    {"builtin_types.h", toolkit},
    {"c10/*", unmodelled},
    {"cblas.h", library},
    {"channel_descriptor.h", toolkit},
    {"CL/*", library},
    {"common_functions.h", toolkit},
    {"cooperative_groups.h", toolkit},
    {"cooperative_groups/*", toolkit},
    {"crt/*", toolkit},
    {"crt/mma*", unmodelled},
    {"cub/*", toolkit | in_part | launches},
    {"cublas*", toolkit | launches},
    {"cublasXt.h", unmodelled},
    {"cuco/*", library},
    {"cuComplex.h", toolkit},
    {"cuda.h", toolkit},
    {"cuda/*", toolkit | plain},
    {"cuda_awbarrier*", unmodelled},
    {"cuda_awbarrier.h", toolkit},
    {"cuda_awbarrier_primitives.h", toolkit},
    {"cuda_bf16.h", toolkit},
    {"cuda_device_runtime_api.h", toolkit},
    {"cuda_egl_interop.h", toolkit},
    {"cuda_fp16.h", toolkit},
    {"cuda_fp4.h", toolkit},
    {"cuda_fp6.h", toolkit},
    {"cuda_fp8.h", toolkit},
    {"cuda_gl_interop.h", toolkit | unmodelled},
    {"cuda_occupancy.h", toolkit},
    {"cuda_pipeline.h", toolkit},
    {"cuda_pipeline_primitives.h", toolkit},
    {"cuda_profiler_api.h", toolkit},
    {"cuda_runtime.h", toolkit},
    {"cuda_runtime_api.h", toolkit},
    {"cuda_stdint.h", toolkit},
    {"cuda_surface_types.h", toolkit},
    {"cuda_texture_types.h", toolkit},
    {"cuda_vdpau_interop.h", toolkit},
    {"cudaEGL.h", toolkit},
    {"cudaGL.h", toolkit | unmodelled},
    {"cudaProfiler.h", toolkit},
    {"cudaTypedefs.h", toolkit},
    {"cudaVDPAU.h", toolkit},
    {"cudf/*", library},
    {"cudnn*", library | unmodelled | launches},
    {"cudss.h", library},
    {"cufft*", toolkit | launches},
    {"cufftw.h", unmodelled},
    {"cufftXt.h", unmodelled},
    {"cufile.h*", toolkit | unmodelled},
    {"cugraph/*", library},
    {"cupti*", toolkit},
    {"curand*", toolkit | launches},
    {"cusolver*", toolkit | launches},
    {"cusolverMg.h", unmodelled},
    {"cusolverRf.h", unmodelled},
    {"cusolverSp*", unmodelled},
    {"cusparse*", toolkit | launches},
    {"cusparseLt.h", library | unmodelled},
    {"cute/*", library | unmodelled | launches},
    {"cutensor*", library | unmodelled | launches},
    {"cutlass/*", library | unmodelled | launches},
    {"device_atomic_functions.h", toolkit},
    {"device_double_functions.h", toolkit},
    {"device_functions.h", toolkit},
    {"device_launch_parameters.h", toolkit},
    {"device_types.h", toolkit},
    {"driver_functions.h", toolkit},
    {"driver_types.h", toolkit},
    {"Eigen/*", library},
    {"eigen3/*", library},
    {"fftw3.h", library},
    {"fmt/*", library},
    {"GL/*", library},
    {"GLFW/*", library},
    {"gmock/*", library},
    {"gsl/*", library},
    {"gtest/*", library},
    {"hdf5.h", library},
    {"helper_cuda*", library},
    {"helper_functions.h*", library},
    {"helper_image.h*", library},
    {"helper_string.h*", library},
    {"helper_timer.h*", library},
    {"host_config.h", toolkit},
    {"host_defines.h", toolkit},
    {"jpeglib.h", library},
    {"Kokkos*", library},
    {"lapacke.h", library},
    {"library_types.h", toolkit},
    {"math_constants.h", toolkit},
    {"math_functions.h", toolkit},
    {"mma.h", toolkit},
    {"mpi.h", library},
    {"nccl*", unmodelled | launches},
    {"nccl.h", toolkit | library},
    {"npp*", toolkit | unmodelled | launches},
    {"nv/*", toolkit | plain},
    {"nvblas.h", toolkit},
    {"nvcomp*", library},
    {"nvJitLink.h", toolkit},
    {"nvjpeg*", unmodelled},
    {"nvjpeg.h", toolkit},
    {"nvjpeg2k.h", library},
    {"nvml.h", toolkit | unmodelled},
    {"nvrtc*", unmodelled},
    {"nvrtc.h", toolkit},
    {"nvshmem*", library | unmodelled},
    {"nvtiff.h", library},
    {"nvToolsExt*", toolkit},
    {"nvtx3/*", toolkit},
    {"nvvm.h", toolkit},
    {"omp.h", library},
    {"opencv*", library},
    {"optix*", unmodelled},
    {"png.h", library},
    {"raft/*", library | unmodelled | launches},
    {"RAJA/*", library},
    {"rmm/*", library | unmodelled},
    {"sm_20_*", toolkit},
    {"sm_30_*", toolkit},
    {"sm_32_*", toolkit},
    {"sm_35_*", toolkit},
    {"sm_60_*", toolkit},
    {"sm_61_*", toolkit},
    {"surface_functions.h", toolkit},
    {"surface_indirect_functions.h", toolkit},
    {"surface_types.h", toolkit},
    {"sycl/*", library},
    {"tbb.h", library},
    {"tbb/*", library},
    {"texture_fetch_functions.h", toolkit},
    {"texture_indirect_functions.h", toolkit},
    {"texture_types.h", toolkit},
    {"thrust/*", toolkit | plain | launches},
    {"torch/*", library | unmodelled | launches},
    {"vector_functions.h", toolkit},
    {"vector_types.h", toolkit},
    {"zlib.h", library},
};

bool has(std::string_view header, unsigned property) {
    return std::ranges::any_of(known, [&](const auto& entry) {
        if ((entry.properties & property) == 0) return false;
        if (!entry.name.ends_with('*')) return header == entry.name;
        return header.starts_with(entry.name.substr(0, entry.name.size() - 1));
    });
}

}  // namespace

bool is_modelled_header(std::string_view name) {
    constexpr std::string_view folder = "include/";
    return std::ranges::any_of(runtime_files(), [&](const runtime_file& file) {
        return file.path.starts_with(folder) && file.path.substr(folder.size()) == name;
    });
}

bool is_unmodelled_header(std::string_view name) {
    return has(name, unmodelled) || (has(name, in_part) && !is_modelled_header(name));
}

bool is_plain_cpp_header(std::string_view name) { return has(name, plain); }

bool is_toolkit_header(std::string_view name) {
    if (name.ends_with(".hpp")) name.remove_suffix(2);  // what some of these include
    return has(name, toolkit);
}

bool is_library_header(std::string_view name) { return has(name, library); }

bool is_launching_header(std::string_view name) { return has(name, launches); }

}  // namespace cuset

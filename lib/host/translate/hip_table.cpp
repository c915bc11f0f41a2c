#include "translate/hip_table.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "cuset/host/headers.h"
#include "cuset/host/runtime_files.h"
#include "cuset/syntax/lexer.h"

namespace cuset::hip_names {

namespace {

bool has_beginning(std::string_view name, std::string_view beginning) {
    return name.starts_with(beginning) && name.size() > beginning.size() &&
           std::isupper(static_cast<unsigned char>(name[beginning.size()])) != 0;
}

/// Of the libraries that have CUDA's calls with other names.
constexpr std::pair<std::string_view, std::string_view> library_beginnings[] = {
    {"hipblas", "cublas"},     {"HIPBLAS_", "CUBLAS_"},    {"hiprand", "curand"},
    {"HIPRAND_", "CURAND_"},   {"hipfft", "cufft"},        {"HIPFFT_", "CUFFT_"},
    {"hipsparse", "cusparse"}, {"HIPSPARSE_", "CUSPARSE_"}};
constexpr std::pair<std::string_view, std::string_view> library_headers[] = {
    {"hipblas.h", "cublas_v2.h"},
    {"hipblas/hipblas.h", "cublas_v2.h"},
    {"hipcub/hipcub.hpp", "cub/cub.cuh"},
    {"hipfft.h", "cufft.h"},
    {"hipfft/hipfft.h", "cufft.h"},
    {"hiprand.h", "curand.h"},
    {"hiprand/hiprand.h", "curand.h"},
    {"hiprand/hiprand_kernel.h", "curand_kernel.h"},
    {"hiprand_kernel.h", "curand_kernel.h"},
    {"hipsparse.h", "cusparse.h"},
    {"hipsparse/hipsparse.h", "cusparse.h"},
    {"thrust/system/hip/execution_policy.h", "thrust/system/cuda/execution_policy.h"},
    {"thrust/system/hip/vector.h", "thrust/system/cuda/vector.h"}};

struct names {
    std::unordered_map<std::string, std::string> to_cuda;
    std::unordered_set<std::string> of_cuda;
};

void add_lines(std::string_view text, names& all) {
    constexpr std::string_view begin = "#define ";
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = text.substr(at, end - at);
        at = end + 1;
        if (!line.starts_with(begin)) continue;
        line.remove_prefix(begin.size());
        const std::size_t blank = line.find(' ');
        if (blank == line.npos) continue;
        const std::string_view meant = line.substr(blank + 1);
        all.to_cuda.emplace(line.substr(0, blank), meant);
        if (has_beginning(meant, "cuda") || has_beginning(meant, "make_cuda"))
            all.of_cuda.emplace(meant);
    }
}

/// Calls that are functions in the runtime's headers for HIP: CUDA has them by names of its own.
void add_words(std::string_view text, names& all) {
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && syntax::is_word_byte(text[end])) ++end;
        const std::string_view w = text.substr(i, end - i);
        if (has_beginning(w, "hip")) all.of_cuda.insert("cuda" + std::string(w.substr(3)));
        i = std::max(end, i + 1);
    }
}

names read_names() {
    names all;
    for (const runtime_file& file : runtime_files()) {
        if (file.path.starts_with("include/cuset_host/hip/names_of_"))
            add_lines(file.text, all);
        else if (file.path.starts_with("include/cuset_host/hip/") ||
                 file.path.starts_with("hip_include/"))
            add_words(file.text, all);
    }
    // What differs by more than its beginning.
    for (const char* name : {"cudaDeviceProp", "cudaThreadSynchronize", "cudaThreadExit"})
        all.of_cuda.emplace(name);
    // Device code alone has it, as it has __CUDA_ARCH__ in CUDA.
    all.to_cuda.emplace("__HIP_DEVICE_COMPILE__", "__CUDA_ARCH__");
    all.to_cuda.emplace("hipcub", "cub");
    all.to_cuda.emplace("hiprand", "curand");
    // What has 64 bits in HIP, or is HIP's alone (cuset_host/hip/warp.h).
    for (const char* name :
         {"__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync", "__ballot_sync",
          "__any_sync", "__all_sync", "__match_any_sync", "__match_all_sync", "__syncwarp",
          "__activemask", "__lane_id", "__lanemask_lt", "__lanemask_eq", "__lanemask_gt"})
        all.to_cuda.emplace(name, name + std::string("_of_hip"));
    return all;
}

const names& table() {
    static const names all = read_names();
    return all;
}

}  // namespace

std::string cuda_name_of(const std::string& name) {
    const auto found = table().to_cuda.find(name);
    if (found != table().to_cuda.end()) return found->second;
    for (const auto& [hip, cuda] : library_beginnings)
        if (name.size() > hip.size() && name.starts_with(hip))
            return std::string(cuda) + name.substr(hip.size());
    return {};
}

bool is_in_table(std::string_view name) { return table().of_cuda.contains(std::string(name)); }

bool is_of_cuda(std::string_view name) {
    return is_in_table(name) || std::ranges::any_of(library_beginnings, [&](const auto& names) {
               return name.size() > names.second.size() && name.starts_with(names.second);
           });
}

bool looks_like_cuda(std::string_view name) {
    for (const std::string_view beginning : {"cuda", "cu", "make_cuda", "make_cu"})
        if (has_beginning(name, beginning)) return true;
    constexpr std::string_view driver = "CU";
    if (name.size() > driver.size() && name.starts_with(driver) &&
        std::islower(static_cast<unsigned char>(name[driver.size()])) != 0)
        return true;
    constexpr std::string_view beginnings[] = {
        "cublas",  "curand",      "cufft",     "cusparse",   "cusolver", "cudnn",
        "nvrtc",   "nvml",        "nvtx",      "CUDA_",      "CUDART_",  "CUBLAS_",
        "CURAND_", "CUFFT_",      "CUSPARSE_", "CUSOLVER_",  "CUDNN_",   "__CUDA",
        "__NVCC",  "__nv_",       "nv_bfloat", "__cudart_",  "nvcuda",   "__nvcc",
        "CU_MEM",  "CU_POINTER_", "CU_DEVICE", "CU_STREAM_", "CU_EVENT", "CU_CTX_"};
    return std::ranges::any_of(beginnings,
                               [&](std::string_view each) { return name.starts_with(each); });
}

bool is_only_of_cuda_devices(std::string_view name) {
    constexpr std::string_view names[] = {"__nanosleep",
                                          "__dp4a",
                                          "__dp2a_lo",
                                          "__dp2a_hi",
                                          "__ldca",
                                          "__ldcg",
                                          "__ldcs",
                                          "__ldcv",
                                          "__ldlu",
                                          "__stcg",
                                          "__stcs",
                                          "__stwb",
                                          "__stwt",
                                          "__brkpt",
                                          "__pm0",
                                          "__pm1",
                                          "__pm2",
                                          "__pm3",
                                          "__isGlobal",
                                          "__isConstant",
                                          "__isLocal",
                                          "__isShared",
                                          "__prof_trigger",
                                          "__grid_constant__",
                                          "__cluster_dims__",
                                          "__maxnreg__",
                                          "__block_size__"};
    constexpr std::string_view beginnings[] = {"__reduce_", "__pipeline_", "__cvta_", "__mbarrier_",
                                               "__cluster"};
    if (std::ranges::find(names, name) != std::end(names)) return true;
    for (const std::string_view each : beginnings)
        if (name.starts_with(each)) return true;
    // Four bytes or two halves in a word: __vadd4, __vabsdiffu2.
    constexpr std::string_view lanes = "__v";
    constexpr std::size_t shortest = 7;
    return name.size() >= shortest && name.starts_with(lanes) &&
           (name.ends_with('2') || name.ends_with('4')) &&
           std::all_of(name.begin() + lanes.size(), name.end() - 1,
                       [](unsigned char c) { return std::islower(c) != 0; });
}

bool depends_on_lanes(std::string_view name) {
    constexpr std::string_view beginnings[] = {"__shfl",  "__ballot", "__any",       "__all",
                                               "__match", "__lane",   "__activemask"};
    constexpr std::string_view names[] = {"warpSize",
                                          "hipDeviceAttributeWarpSize",
                                          "coalesced_threads",
                                          "coalesced_group",
                                          "tiled_partition",
                                          "thread_block_tile",
                                          "binary_partition",
                                          "labeled_partition",
                                          "WarpReduce",
                                          "WarpScan",
                                          "WarpExchange",
                                          "WarpLoad",
                                          "WarpStore",
                                          "WarpMergeSort",
                                          "__syncwarp",
                                          "__AMDGCN_WAVEFRONT_SIZE",
                                          "__AMDGCN_WAVEFRONT_SIZE__"};
    return std::ranges::find(names, name) != std::end(names) ||
           std::ranges::any_of(beginnings,
                               [&](std::string_view each) { return name.starts_with(each); });
}

bool is_library_header(std::string_view name) {
    constexpr std::string_view beginnings[] = {
        "hip/",      "hipblas",    "hipcub",  "hipdnn",      "hipfft",  "hiprand",    "hipsolver",
        "hipsparse", "hiptensor",  "miopen/", "migraphx/",   "rccl",    "rocalution", "rocblas",
        "rocfft",    "rocm_smi/",  "rocprim", "rocprofiler", "rocrand", "rocsolver",  "rocsparse",
        "rocthrust", "roctracer/", "roctx",   "rocwmma/",    "hsa/",    "amd_smi/"};
    return std::ranges::any_of(beginnings,
                               [&](std::string_view each) { return name.starts_with(each); });
}

bool looks_like_hip(std::string_view name) {
    // What programs call their own.
    for (const std::string_view part : {"heck", "CHECK", "ssert", "ASSERT", "Safe", "SAFE"})
        if (name.find(part) != name.npos) return false;
    constexpr std::string_view calls[] = {
        "Access",    "Address", "Api",         "Arr",      "Array",   "Bind",     "Channel",
        "Compute",   "Config",  "Cooperative", "Create",   "Ctx",     "Destroy",  "Device",
        "Driver",    "Drv",     "Error",       "Event",    "Ext",     "External", "Filter",
        "Fp",        "Free",    "Func",        "Function", "Get",     "Graph",    "Graphics",
        "GL",        "Host",    "Import",      "Init",     "Ipc",     "Jit",      "Kernel",
        "Launch",    "Library", "Limit",       "Link",     "Malloc",  "Managed",  "Mem",
        "Mipmapped", "Module",  "Occupancy",   "Peek",     "Pitched", "Pointer",  "Pos",
        "Profiler",  "Read",    "Resource",    "Runtime",  "Set",     "Shared",   "Signal",
        "Stream",    "Surface", "Tex",         "Texture",  "Thread",  "Unbind",   "User",
        "Wait",      "Warp",    "Choose",      "Extent",   "UUID",    "Deviceptr"};
    constexpr std::string_view hip = "hip";
    if (name.starts_with(hip) && std::ranges::any_of(calls, [&](std::string_view each) {
            return name.substr(hip.size()).starts_with(each);
        }))
        return true;
    constexpr std::string_view beginnings[] = {
        "HIP_AD_",       "HIP_ARRAY",    "HIP_C_",     "HIP_FUNC_",     "HIP_GET_",
        "HIP_IMG_",      "HIP_LAUNCH_",  "HIP_MEM",    "HIP_POINTER",   "HIP_R_",
        "HIP_RESOURCE_", "HIP_TEXTURE_", "HIP_TR",     "HIPBLAS_",      "HIPRAND_",
        "HIPFFT_",       "HIPSPARSE_",   "HIPCUB_",    "HIPRTC_",       "hiprtc",
        "hipblas",       "hiprand",      "hipfft",     "hipsparse",     "hipsolver",
        "hipcub",        "hipDNN",       "rocblas_",   "rocsparse_",    "rocsolver_",
        "rocfft_",       "rocrand_",     "rocprim",    "rocwmma",       "miopen",
        "roctx",         "unsafeAtomic", "safeAtomic", "amd_mixed_dot", "__builtin_amdgcn",
        "__hip_",        "__HIP_",       "__ockl_",    "__ocml_"};
    return std::ranges::any_of(beginnings,
                               [&](std::string_view each) { return name.starts_with(each); });
}

bool is_header_of_cuda(std::string_view name) {
    return is_toolkit_header(name) && !name.starts_with("thrust/");
}

std::string_view library_header_of(std::string_view name) {
    const auto* const found = std::ranges::find(
        library_headers, name, &std::pair<std::string_view, std::string_view>::first);
    return found == std::end(library_headers) ? std::string_view() : found->second;
}

}  // namespace cuset::hip_names

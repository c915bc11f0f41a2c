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
    {"hipsparse/hipsparse.h", "cusparse.h"}};

struct names {
    std::unordered_map<std::string, std::string> to_cuda;
    std::unordered_set<std::string> of_cuda;
    std::unordered_set<std::string> of_headers;  ///< words of the runtime's headers for HIP
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

void add_words(std::string_view text, names& all) {
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && syntax::is_word_byte(text[end])) ++end;
        const std::string_view w = text.substr(i, end - i);
        if (has_beginning(w, "hip") || w.starts_with("HIP_")) {
            all.of_headers.emplace(w);
            if (w.starts_with("hip")) all.of_cuda.insert("cuda" + std::string(w.substr(3)));
        }
        i = std::max(end, i + 1);
    }
}

names read_names() {
    names all;
    for (const runtime_file& file : runtime_files()) {
        if (file.path.starts_with("include/cuset_host/hip/names_of_"))
            add_lines(file.text, all);
        else if (file.path.starts_with("include/cuset_host/hip/") ||
                 file.path.starts_with("include/hip/"))
            add_words(file.text, all);
    }
    // What differs by more than its beginning, or is nvcc's own.
    for (const char* name :
         {"cudaDeviceProp", "cudaThreadSynchronize", "cudaThreadExit", "__CUDACC__", "__NVCC__",
          "__CUDA_ARCH__", "__CUDA_ARCH_LIST__", "__CUDACC_VER_MAJOR__", "__CUDACC_VER_MINOR__",
          "__CUDACC_EXTENDED_LAMBDA__", "__CUDACC_RELAXED_CONSTEXPR__", "__CUDACC_RTC__",
          "CUDART_VERSION", "CUDA_VERSION"})
        all.of_cuda.emplace(name);
    // Device code alone has it, as it has __CUDA_ARCH__ in CUDA.
    all.to_cuda.emplace("__HIP_DEVICE_COMPILE__", "__CUDA_ARCH__");
    all.to_cuda.emplace("hipcub", "cub");
    // Their masks have 64 bits in HIP (cuset_host/hip/warp.h).
    for (const char* name :
         {"__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync", "__ballot_sync",
          "__any_sync", "__all_sync", "__match_any_sync", "__match_all_sync"})
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

bool is_of_cuda(std::string_view name) { return table().of_cuda.contains(std::string(name)); }

bool is_unknown(std::string_view name) {
    return (has_beginning(name, "hip") || name.starts_with("HIP_")) &&
           !table().of_headers.contains(std::string(name));
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

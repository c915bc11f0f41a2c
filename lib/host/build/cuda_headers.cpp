#include "build/cuda_headers.h"

#include <cstdlib>
#include <optional>

#include "cuset/base/python_packages.h"
#include "cuset/sandbox/file_text.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// Takes "13.0" from the line "#define CUDART_VERSION 13000".
std::string version_of(const fs::path& include) {
    constexpr std::string_view name = "#define CUDART_VERSION";
    const std::string text = text_of(include / "cuda_runtime_api.h");
    const std::size_t at = text.find(name);
    if (at == text.npos) return {};
    const long number = std::strtol(text.c_str() + at + name.size(), nullptr, 10);
    return std::to_string(number / 1000) + '.' + std::to_string(number % 1000 / 10);
}

/// PyPI's packages spread them over three archives, of which an environment may have one alone. A
/// toolkit has the C++ libraries in a folder of their own since CUDA 13.
bool has_headers(const fs::path& include) {
    const auto has = [&](const char* header) {
        std::error_code ignored;
        return fs::exists(include / header, ignored);
    };
    return has("cuda_runtime.h") && has("crt/host_defines.h") &&
           (has("cccl/cuda/std/version") || has("cuda/std/version"));
}

/// Those in root/folder; `root` holds all that they include.
std::optional<cuda_headers> headers_in(const fs::path& root, const char* folder) {
    std::error_code error;
    cuda_headers found;
    found.root = fs::canonical(root, error);
    if (error) return std::nullopt;
    found.include = fs::canonical(found.root / folder, error);
    if (error || !has_headers(found.include)) return std::nullopt;
    found.version = version_of(found.include);
    return found;
}

constexpr const char* packages = "nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl";

}  // namespace

result<cuda_headers> find_cuda_headers(const fs::path& toolkit) {
    if (const char* const given = std::getenv("CUSET_CUDA_INCLUDE"); given && *given) {
        if (auto found = headers_in(given, ".")) return std::move(*found);
        return unsupported("CUSET_CUDA_INCLUDE=" + std::string(given) +
                           ": it lacks cuda_runtime.h, crt/host_defines.h or cuda/std/version");
    }
    for (const fs::path& root : {toolkit, fs::path("/usr/local/cuda")})
        if (auto found = headers_in(root, "include")) return std::move(*found);
    const fs::path prefix = program_prefix();
    if (auto found = headers_in(prefix / "share/cuset/cuda/include", ".")) return std::move(*found);
    for (const fs::path& folder : package_folders(prefix))
        if (auto found = headers_in(folder / "nvidia/cu13/include", ".")) return std::move(*found);
    return unsupported(
        std::string("CUDA's headers are missing, which the host backend compiles programs with: "
                    "install the CUDA toolkit, or run pip install ") +
        packages + ", and set CUSET_CUDA_INCLUDE to its folder nvidia/cu13/include");
}

}  // namespace cuset

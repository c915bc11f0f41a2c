// What an installation has as bin/cuset-score, train, merge and sample: it finds LibTorch, which
// comes from a Python environment and not from this package, and becomes libexec/cuset-NAME. That
// program is linked to LibTorch, so that the loader would refuse it before it could say what is
// missing.
//
// The folder of LibTorch is, in this order: $CUSET_TORCH_LIB; lib/cuset of this installation, where
// `cmake --install` puts it; the torch of the environment that this program is installed in, or of
// the one below it, if an environment shows the packages of that.
#include <torch/headeronly/version.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "cuset/base/python_packages.h"

#define CUSET_TEXT_OF(value) #value
#define CUSET_TEXT(macro) CUSET_TEXT_OF(macro)

namespace {

using cuset::folders_in;
using cuset::package_folders;
namespace fs = std::filesystem;

constexpr int cannot_run_here = 4;
/// LibTorch's C++ interface changes from one of these to the next.
const std::string series = CUSET_TEXT(TORCH_VERSION_MAJOR) "." CUSET_TEXT(TORCH_VERSION_MINOR) ".";
const std::string needed = "torch==" + series + "*";
/// A build for a GPU is linked to the libraries of one version of CUDA.
#ifdef CUSET_CUDA
constexpr bool for_cuda = true;
#else
constexpr bool for_cuda = false;
#endif
constexpr const char* cuda_label = "+cu130";  // of a torch that has these libraries

bool holds_torch(const fs::path& folder) {
    std::error_code ignored;
    return fs::exists(folder / "libtorch_cpu.so", ignored);
}

/// The version of the torch that a lib folder belongs to, such as "2.11.0+cu130"; empty if unknown.
std::string version_of(const fs::path& lib) {
    std::ifstream file(lib.parent_path() / "version.py");
    for (std::string line; std::getline(file, line);) {
        const std::size_t first = line.find('\'');
        if (line.starts_with("__version__") && first != std::string::npos)
            return line.substr(first + 1, line.find('\'', first + 1) - first - 1);
    }
    return {};
}

/// What makes the torch in `lib` another one than this build needs; empty if nothing does.
std::string what_differs(const fs::path& lib) {
    const std::string version = version_of(lib);
    if (!version.empty() && !version.starts_with(series)) return "torch " + version;
    std::error_code ignored;
    if (!for_cuda) return {};
    const bool has_label = version.find('+') != std::string::npos;
    if ((has_label && !version.ends_with(cuda_label)) ||
        !fs::exists(lib / "libtorch_cuda.so", ignored))
        return "torch " + version + " without the libraries of CUDA " + std::string(cuda_label + 3);
    return {};
}

/// What the loader has to search beside the torch in `lib`: NVIDIA's packages, which lie beside it.
std::string search_path(const fs::path& lib) {
    std::string path = lib.string();
    for (const fs::path& package : folders_in(lib.parent_path().parent_path() / "nvidia", "")) {
        std::error_code ignored;
        if (fs::is_directory(package / "lib", ignored)) path += ':' + (package / "lib").string();
    }
    if (const char* const given = std::getenv("LD_LIBRARY_PATH"); given && *given)
        path += ':' + std::string(given);
    return path;
}

/// Points the loader to LibTorch. Returns what is wrong, if anything.
std::optional<std::string> find_torch(const fs::path& prefix) {
    std::error_code error;
    const auto use = [](const fs::path& lib) {
        ::setenv("LD_LIBRARY_PATH", search_path(lib).c_str(), 1);
        return std::nullopt;
    };
    if (const char* const given = std::getenv("CUSET_TORCH_LIB"); given && *given) {
        const std::string name = "CUSET_TORCH_LIB=" + std::string(given) + ": ";
        const fs::path lib = fs::canonical(given, error);
        if (error || !holds_torch(lib)) return name + "libtorch_cpu.so is not in it";
        const std::string other = what_differs(lib);
        if (!other.empty()) return name + "that is " + other + ", and this build needs " + needed;
        return use(lib);
    }
    if (holds_torch(prefix / CUSET_LIB_FOLDER)) return {};  // the program's own run path finds it
    std::string other;
    for (const fs::path& packages : package_folders(prefix)) {
        const fs::path lib = fs::canonical(packages / "torch/lib", error);
        if (error || !holds_torch(lib)) continue;
        const std::string difference = what_differs(lib);
        if (difference.empty()) return use(lib);
        other = difference;
    }
    return (other.empty()
                ? "LibTorch is missing: "
                : "this environment has " + other + ", and this build needs " + needed + ": ") +
           "run pip install '" + needed +
           "' in this environment, or set CUSET_TORCH_LIB to the folder torch/lib of another one";
}

}  // namespace

int main(int, char** argv) {
    std::error_code ignored;
    const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
    const std::string name = self.filename();
    const fs::path prefix = cuset::program_prefix();
    if (const auto wrong = find_torch(prefix)) {
        std::fprintf(stderr, "%s: %s\n", name.c_str(), wrong->c_str());
        return cannot_run_here;
    }
    const fs::path program = prefix / CUSET_LIBEXEC_FOLDER / name;
    ::execv(program.c_str(), argv);
    std::fprintf(stderr, "%s: %s: %s\n", name.c_str(), program.c_str(), std::strerror(errno));
    return 1;
}

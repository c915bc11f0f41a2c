#include "trial/untimed_source.h"

#include <algorithm>
#include <limits>
#include <span>

#include "cuset/syntax/cuda_program.h"

namespace cuset {

namespace {

/// What starts a process, or finds a function by its name.
constexpr std::string_view names[] = {
    "fork",           "vfork",   "_Fork",  "clone",  "clone3",      "execl",
    "execle",         "execlp",  "execv",  "execve", "execveat",    "execvp",
    "execvpe",        "fexecve", "system", "popen",  "posix_spawn", "posix_spawnp",
    "dlopen",         "dlmopen", "dlsym",  "dlvsym", "ptrace",      "process_vm_writev",
    "dl_iterate_phdr"};

/// What finds files whose names are not known.
constexpr std::string_view names_of_searches[] = {"opendir",
                                                  "fdopendir",
                                                  "readdir",
                                                  "readdir64",
                                                  "scandir",
                                                  "glob",
                                                  "ftw",
                                                  "nftw",
                                                  "fts_open",
                                                  "getdents64",
                                                  "getdents",
                                                  "directory_iterator",
                                                  "recursive_directory_iterator"};

constexpr std::string_view texts[] = {"CUDA_INJECTION", "/proc/", "/dev/fd", "libcupti", "syscall"};

}  // namespace

namespace {

/// The first of what hinders timing, and of further names, that the program has.
std::string hindering_name(std::string_view source, const flag_list& flags,
                           std::span<const std::string_view> more) {
    for (const std::string& flag : flags)
        if (flag.find("rdc=true") != flag.npos ||
            flag.find("relocatable-device-code") != flag.npos || flag == "-dc" ||
            flag == "--device-c" || flag.find("cudadevrt") != flag.npos)
            return flag;
    for (const std::string_view text : texts)
        if (source.find(text) != source.npos) return std::string(text);
    if (source.size() >= std::numeric_limits<std::uint32_t>::max()) return "its size";
    const syntax::cuda_program program = syntax::read_cuda_program(source);
    for (std::uint32_t i = 0; i < program.code.size(); ++i) {
        // thrust::system is a namespace.
        if (!program.code.is(i, syntax::word) || program.code.is(i + 1, syntax::scope)) continue;
        std::string name = program.code.spelling(i);
        if (name.starts_with("cupti") || std::ranges::find(names, name) != std::end(names) ||
            std::ranges::find(more, name) != more.end())
            return name;
    }
    return {};
}

}  // namespace

std::string name_that_hinders_timing(std::string_view source, const flag_list& flags) {
    return hindering_name(source, flags, {});
}

std::string name_that_hinders_profiling(std::string_view source, const flag_list& flags) {
    return hindering_name(source, flags, names_of_searches);
}

}  // namespace cuset

#include "trial/untimed_source.h"

#include <algorithm>
#include <limits>

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

constexpr std::string_view texts[] = {"CUDA_INJECTION", "/proc/", "/dev/fd", "libcupti", "syscall"};

}  // namespace

std::string name_that_hinders_timing(std::string_view source, const flag_list& flags) {
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
        if (name.starts_with("cupti") || std::ranges::find(names, name) != std::end(names))
            return name;
    }
    return {};
}

}  // namespace cuset

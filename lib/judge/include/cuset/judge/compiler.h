// Compiling candidates with nvcc, in the sandbox, the same text once.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/compile_cache.h"
#include "cuset/judge/sandbox.h"

namespace cuset {

/// An installed CUDA toolkit.
struct toolkit {
    std::filesystem::path nvcc;  ///< the program itself, links followed
    std::filesystem::path root;  ///< of the toolkit: bin/, include/, lib64/
    std::string version;         ///< as in "13.0.88"

    /// `nvcc`: a path, or a name to look up in PATH and then in /usr/local/cuda/bin.
    /// error_kind::unsupported where there is none or it does not run.
    static result<toolkit> find(const std::string& nvcc = "nvcc");
};

struct compile_options {
    std::vector<std::string> flags;  ///< for nvcc, beside the source and -o
    sandbox_limits limits;
};

enum class compile_end : unsigned char {
    compiled,
    error,        ///< of the compiler's any stage
    link_error,   ///< a name that is defined nowhere, or twice
    unsupported,  ///< a CUDA program as it seems, with something that the backend does not model
    too_long,
    too_large,  ///< passed another limit, was killed, or found no more memory or space
};

struct compiler_command;

struct compilation {
    compile_end end = compile_end::compiled;
    std::string diagnostic;  ///< the first line that says what is wrong, or what is unsupported
    std::string note;      ///< what a compiler suspects of a program that it compiled; mostly empty
    double seconds = 0;    ///< of the compiler, also where it ran in an earlier run
    bool cached = false;   ///< nothing was run
    bool limited = false;  ///< a limit, or what the machine ran out of, had a part in it
    std::filesystem::path program;           ///< executable, in the cache; empty unless compiled
    std::shared_ptr<const held_entry> hold;  ///< of the program's place in the cache
};

/// Results are kept in `cache` by source, flags and the toolkit's version, but for those that
/// limits made, or a machine that ran out of something: another run may have more.
class compiler {
public:
    /// nvcc works in new folders below `scratch`. The sandbox outlives the object.
    compiler(const sandbox& box, toolkit kit, compile_options options, compile_cache cache,
             std::filesystem::path scratch);

    /// Whether the simplest program compiles with these flags: else every program would seem wrong.
    /// error_kind::unsupported where it does not.
    status check() const;

    /// Any number of threads at once. An error is this machine's (a full disk, no folder), never
    /// the program's.
    result<compilation> compile(std::string_view source) const;

private:
    compiler_command command() const;
    std::string key_of(std::string_view source) const;

    const sandbox& box_;
    toolkit kit_;
    compile_options options_;
    compile_cache cache_;
    std::filesystem::path scratch_;
};

}  // namespace cuset

// Compiles candidates with nvcc in the sandbox. Equal texts are compiled once.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/task_file.h"
#include "cuset/sandbox/entry_cache.h"
#include "cuset/sandbox/sandbox.h"

namespace cuset {

/// An installed CUDA toolkit.
struct toolkit {
    std::filesystem::path nvcc;  ///< the program itself, links followed
    std::filesystem::path root;  ///< of the toolkit: bin/, include/, lib64/
    std::string version;         ///< as in "13.0.88"

    /// `nvcc`: a path, or a name to look up in PATH and then in /usr/local/cuda/bin.
    /// error_kind::unsupported if it is missing or does not run.
    static result<toolkit> find(const std::string& nvcc = "nvcc");
};

struct compile_options {
    std::vector<std::string> flags;  ///< for nvcc, beside the source and -o
    sandbox_limits limits;
};

enum class compile_end : unsigned char {
    compiled,
    error,        ///< of any stage of the compiler
    link_error,   ///< a name that is defined nowhere, or twice
    unsupported,  ///< seems to be a CUDA program, but needs something that the backend does not
                  ///< model
    too_long,
    too_large,  ///< passed another limit, was killed, or ran out of memory or space
};

struct compiler_command;
class line_origins;

/// Flags of nvcc, each a word.
using flag_list = std::vector<std::string>;

/// The files of a program, and how it is made of them.
struct program_source {
    std::vector<task_file> files;  ///< one, if there is no command
    flag_list flags{};             ///< more of nvcc's, without a command
    std::string command{};         ///< a shell's, in the folder of the files; it calls nvcc
    std::string program{};         ///< the path of what the command makes
    bool takes_flags = false;      ///< the backend's own flags are added to the command's
    bool is_hip = false;           ///< one file in HIP; a command says so by its compiler
};

/// A program of one file, program.cu, in CUDA or in HIP.
program_source single_file(std::string_view text, flag_list flags = {}, bool is_hip = false);
/// The same of a file that is in HIP where it says so by itself (is_hip_source()). No answer to a
/// task is one: what a task wants in CUDA would be right in HIP too.
program_source file_of_any_language(std::string_view text, flag_list flags = {});

struct compilation {
    compile_end end = compile_end::compiled;
    std::string diagnostic;  ///< the first line that says what is wrong, or what is unsupported
    /// All that the compiler said of a program that it did not make: visible_lines, at most 8 KiB.
    std::string messages;
    std::string note;               ///< a warning about a program that compiled; mostly empty
    double seconds = 0;             ///< of the compiler, even if it ran in an earlier evaluation
    bool fast_math = false;         ///< of the counted form: nvcc would have -use_fast_math
    bool cached = false;            ///< nothing was run
    bool limited = false;           ///< a limit, or a shortage of the machine, had a part in it
    std::filesystem::path program;  ///< executable, in the cache; empty unless compiled
    /// The files of the lines that messages about the program name; null if they name none.
    std::shared_ptr<const line_origins> origins;
    std::shared_ptr<const held_entry> hold;  ///< of the program's place in the cache
};

/// Results are kept in `cache` by source, flags and the toolkit's version. Results that a limit or
/// a shortage of the machine decided are not kept: another run may have more.
class compiler {
public:
    /// nvcc works in new folders below `scratch`. The sandbox must outlive the object.
    compiler(const sandbox& box, toolkit kit, compile_options options, entry_cache cache,
             std::filesystem::path scratch);

    /// Compiles the simplest program with these flags: if that failed, every program would seem
    /// wrong. error_kind::unsupported if it fails.
    status check() const;

    /// Any number of threads may call this at once. An error is a fault of this machine (a full
    /// disk, no folder), never of the program.
    result<compilation> compile(const program_source& source) const;

    const toolkit& kit() const { return kit_; }

private:
    compiler_command command(const program_source& source) const;
    std::string shell_command(const program_source& source) const;
    std::string key_of(const program_source& source) const;

    const sandbox& box_;
    toolkit kit_;
    compile_options options_;
    entry_cache cache_;
    std::filesystem::path scratch_;
};

}  // namespace cuset

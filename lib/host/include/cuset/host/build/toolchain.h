// g++ with the host runtime, compiled once and kept in the cache.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/sandbox/entry_cache.h"
#include "cuset/sandbox/sandbox.h"

namespace cuset {

/// The compiler and headers on this machine.
struct host_compiler {
    std::filesystem::path program;  ///< g++
    std::string version;            ///< "12.2.0"
    std::string build;              ///< the first line of --version, which differs between packages
    std::filesystem::path cuda;     ///< what holds CUDA's headers and what they include
    std::filesystem::path cuda_include;
    std::string cuda_version;  ///< "13.0"

    /// Finds g++ in PATH, and CUDA's headers (build/cuda_headers.h): in the folder `toolkit`, if
    /// it is not empty, or elsewhere. error_kind::unsupported if one of them is
    /// missing, or g++ does not run.
    static result<host_compiler> find(const std::filesystem::path& toolkit);
};

/// What is read before a program's first line, in order. `headers`: translation::headers.
/// `is_host_source`: as nvcc_dialect has it.
std::vector<std::string> program_includes(const std::vector<std::string>& headers,
                                          bool is_host_source);

/// What the runtime and programs are compiled for.
enum class host_variant : unsigned char {
    plain,
    checked,   ///< every access is looked at
    searched,  ///< for races
    counted,   ///< operations and traffic of memory
};

class host_toolchain {
public:
    struct options {
        std::string standard = "gnu++17";
        host_variant variant = host_variant::plain;
        bool portable = false;  ///< programs run elsewhere, on another processor
        int threads = 1;        ///< to compile the runtime with
    };

    /// The folder in `cache` for this compiler, runtime and options, made if it is missing. Several
    /// processes may do so at once. error_kind::unsupported, with one line, if the runtime does not
    /// compile.
    static result<host_toolchain> open(host_compiler found, const options& wanted,
                                       const entry_cache& cache);

    /// The folder with the part of the runtime that only programs with calls of CUDA's libraries
    /// need (translation::calls_libraries), made if it is missing: more than half of the time that
    /// the runtime takes. Several threads may call this. Errors as of open().
    result<std::filesystem::path> libraries() const;

    /// Compiles the sources to program in the current folder; `more`: flags before them;
    /// `includes`: those to read before each source, program_includes() or none if the sources have
    /// them; `libraries`: that folder, or empty; `may_misalign`: translation's;
    /// `tells_conversions`: with the messages that with_ptx_conversions() reads.
    std::vector<std::string> words(const std::vector<std::string>& more,
                                   const std::vector<std::string>& includes,
                                   const std::vector<std::string>& sources,
                                   const std::filesystem::path& libraries, bool may_misalign,
                                   bool tells_conversions) const;
    /// Of `more`, for programs in HIP: CUDA's find none of HIP's headers.
    std::string flag_for_hip() const;
    /// The files that the command reads beyond the system's folders.
    std::vector<sandbox_mount> mounts(const std::filesystem::path& libraries) const;
    /// "g++ 12.2.0 -O3 -march=x86-64-v3", flags that matter to a reader of a report.
    std::string description() const;
    const host_compiler& found() const { return found_; }
    host_variant variant() const { return options_.variant; }
    /// Everything that a compiled program depends on, except its text and further flags.
    const std::string& key() const { return key_; }

private:
    struct library_part;

    host_toolchain(host_compiler found, const options& wanted, const entry_cache& cache);
    status build(const std::filesystem::path& folder) const;
    /// The program that g++ calls as its assembler, in the variant that counts.
    status build_assembler(const std::filesystem::path& folder) const;
    /// Compiles the runtime's sources in the folder `runtime` that belong to the archive `made`,
    /// and packs them into it, in `folder`. `jobs`: words of further compilations.
    status compile(const std::filesystem::path& runtime, const std::filesystem::path& folder,
                   const char* made, std::vector<std::vector<std::string>> jobs) const;
    std::vector<std::string> include_words(const std::filesystem::path& folder) const;

    /// The one that libraries are compiled with, which no search for races looks into.
    std::shared_ptr<host_toolchain> of_libraries_;
    std::string lines_archive_;  // that names the lines of code; empty if the compiler has none
    host_compiler found_;
    options options_;
    std::vector<std::string> flags_;          // for the runtime and programs
    std::vector<std::string> program_flags_;  // for programs only
    std::string key_;
    entry_cache cache_;
    std::filesystem::path folder_;
    std::shared_ptr<const held_entry> hold_;  // of the folder
    std::shared_ptr<library_part> libraries_;
};

}  // namespace cuset

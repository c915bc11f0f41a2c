// What judging needs of this machine: a sandbox, a place for files, the tasks' Python, and the
// backend with its compiler and cache.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/backend.h"
#include "cuset/judge/task.h"
#include "cuset/judge/task_data.h"
#include "cuset/sandbox/sandbox.h"
#include "cuset/sandbox/scratch_root.h"

namespace cuset {

enum class backend_choice : unsigned char {
    automatic,  ///< a GPU if there is one, and the host if not; for compiling alone, nvcc or g++
    gpu,
    host,
};
/// The choice that options call "gpu" or "host"; automatic for any other name.
backend_choice backend_named(std::string_view name);

struct judge_environment_options {
    backend_choice backend = backend_choice::automatic;
    bool runs_programs = true;  ///< false: they are compiled, and that is all
    bool runs_scripts = true;   ///< the tasks' Python
    /// nvcc's path, or its name in PATH; "none" asks no nvcc where the host backend does without.
    /// The default may be missing there, any other name not.
    std::string nvcc = "nvcc";
    std::vector<std::string> nvcc_flags;
    /// False: nvcc gets the source and the program's name alone, as CUDABench's protocol has it.
    bool gives_nvcc_flags = true;
    std::string architecture;           ///< empty: the GPU's, or the compiler's default
    std::vector<std::string> launcher;  ///< words before each run of a program
    bool searches = true;               ///< see host_options
    std::uint64_t l2_bytes = 0, multiprocessors = 0, counted_launches = 0;  ///< see host_options
    bool checked = false;       ///< see host_options; this is the host backend's alone
    std::size_t schedules = 1;  ///< orders of threads, if `checked`
    std::uint64_t seed = 42;    ///< of these orders and of further sets of inputs
    int threads = 0;            ///< in total; 0: as many as there are processors
    std::size_t concurrent_runs = 1;
    bool times = false;     ///< the backend has to record activity: it must be a GPU's
    bool profiles = false;  ///< it has to run programs under ncu: it must be a GPU's
    double compile_seconds = 120, run_seconds = 60, script_seconds = 600;
    std::uint64_t run_memory = 0;  ///< bytes; 0: 8 GiB, or 16 GiB on the host backend
    std::uint64_t script_memory = std::uint64_t{8} << 30;
    std::uint64_t cache_bytes = std::uint64_t{2} << 30;  ///< 0: no limit
    std::string python = "python3";
    bool unsafe_no_sandbox = false;
    bool tells_backend = true;  ///< in a note
};

/// Does not move: its parts refer to each other.
struct judge_environment {
    sandbox box;
    scratch_root scratch;
    std::unique_ptr<program_backend> backend = {};
    script_setting scripts = {};
    sandbox_limits run_limits = {};  ///< of a program

    /// Finds all parts and logs a note of the backend. error_kind::unsupported if something is
    /// missing; a usage error for an architecture that the backend does not take, and where no
    /// variable names a place for the cache ($XDG_CACHE_HOME/cuset, or ~/.cache/cuset).
    static result<std::unique_ptr<judge_environment>> open(
        const judge_environment_options& options);

    /// Warns of modules that gen.py and compare.py of these tasks import and that Python lacks,
    /// before anything is compiled. error_kind::unsupported if no task could be judged without
    /// them. With `all_needed`, each that is missing is a data error.
    status check_modules(const std::vector<const task*>& tasks, bool all_needed = false) const;
};

}  // namespace cuset

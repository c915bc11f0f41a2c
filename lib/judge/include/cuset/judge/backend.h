// Compiles and runs candidates.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/cost/launch_cost.h"
#include "cuset/judge/compiler.h"
#include "cuset/judge/verdict.h"
#include "cuset/sandbox/sandbox.h"

namespace cuset {

/// What kept a program from a right result.
struct program_fault {
    failure why = failure::none;
    std::string diagnostic;
};

/// A program's use of kernels, as the backend's runtime counted. A program that ends early may
/// leave a part uncounted, but less than half.
struct kernel_use {
    std::uint64_t launches = 0;
    /// The bytes that the host read from memory that kernels wrote; nothing if that is not known.
    std::optional<std::uint64_t> bytes_read;
};

/// How a program is run.
struct run_order {
    run_order(std::uint64_t order_seed, bool asynchronous = false)
        : seed(order_seed), has_asynchronous_streams(asynchronous) {}
    /// In which threads go first that are last in the plain one, and blocks do not.
    static constexpr std::uint64_t descending_in_blocks = 2;
    std::uint64_t seed;  ///< of the order of threads and blocks; 0: the plain one
    /// Whether streams work while the host's code goes on, and the program goes on after a kernel's
    /// fault, if the backend can do without.
    bool has_asynchronous_streams;
    /// A counted program ends behind so many launches; 0: as the backend was opened for.
    std::uint64_t counted_launches = 0;
    /// program_outcome::activity is wanted, of a backend that was made to record it
    /// (gpu_backend::record_activity()); others do nothing about it.
    bool records_activity = false;
    /// It runs under ncu: program_outcome::profile is wanted, of a backend that was made to profile
    /// (gpu_backend::prepare_profiling()); others do nothing about it.
    bool profiles = false;
};

/// What a program that ran without asynchronous streams needs of them.
enum class stream_need {
    none,
    asked,  ///< it asked what streams still do, or may wait for them: it may do otherwise with them
    needed,  ///< its streams waited for what its host code does later, so the run was ended
};

/// What the backend's runtime, and the messages of CUDA, say about a run.
struct program_outcome {
    /// Why the backend's runtime ended the program; nothing if it did not.
    std::optional<program_fault> fault;
    /// That fault, others that the runtime found before it ended the program or the program itself
    /// did, and its notes; see verdict.
    std::vector<finding> findings{};
    /// A kernel's fault after which a program with asynchronous streams went on.
    std::optional<program_fault> survived_fault;
    /// What is known about CUDA where the run failed in another way: an error that the program met,
    /// or a missing device (failure::evaluator).
    std::optional<program_fault> cuda_error;
    /// That error is of a launch, and the program has not asked for it.
    bool is_refusal_unasked = false;
    /// "cudaMemcpy in line 12 returned invalid argument": the first call of CUDA that failed and
    /// whose result the program drops.
    std::string failed_call{};
    stream_need streams = stream_need::none;
    /// Nothing if nobody counted; then the source decides whether the program can launch a kernel.
    std::optional<kernel_use> kernels;
    std::string running{};  ///< "kernel k, launched in line 12": it ran when the time ended
    std::string note;       ///< an observation that is no fault, in one line; mostly empty
    std::string launches;   ///< a line for each launch; empty if the runtime records none
    std::vector<launch_cost> costs{};  ///< of launches; empty if the program was not counted
    std::string activity{};  ///< lines of programs/activity_log.cu; empty if it was not asked for
    std::string profile{};   ///< what ncu wrote; empty if it was not asked for
};

/// What a backend is, once it has been opened.
struct backend_description {
    std::string name;         ///< in verdicts: "gpu"
    std::string toolchain{};  ///< compiler, version and flags, in one line
    bool has_device = false;  ///< run_on_device() runs something
    std::string counting{};   ///< what counts depend on beside the toolchain
    bool is_checked = false;  ///< each access of a program is looked at
    /// The orders of threads and blocks under which a program is to be run, each given by its seed;
    /// 0 is the plain order, and the first.
    std::vector<std::uint64_t> orders{0};
};

/// What a program is compiled for.
enum class program_form : unsigned char {
    plain,
    in_step,   ///< the threads of a warp run together: for one that failed and may rely on that
    searched,  ///< its accesses to memory are searched for races, and have lines
    counted,   ///< its operations and accesses are counted: program_outcome::costs
};

class program_backend {
public:
    virtual ~program_backend() = default;
    virtual backend_description description() const = 0;
    /// Whether it can compile and run here; call this first.
    virtual status check() const = 0;
    /// Any number of threads may call this at once. A backend that cannot make the program in this
    /// form returns compile_end::unsupported.
    virtual result<compilation> compile(const program_source& source,
                                        program_form form = program_form::plain) const = 0;
    /// Asks a stricter compiler about a program that passed. `compiled` if there is no such
    /// compiler.
    virtual result<compilation> confirm(const program_source&) const { return compilation{}; }
    /// What keeps the backend from judging programs that need this CUDA toolkit and compute
    /// capability ("12.4", "9.0"; empty: any): "CUDA 13.1 (here: 13.0.88)". Empty if nothing does.
    virtual std::string lacks(std::string_view, std::string_view) const { return {}; }
    /// What a program asks for that the backend has only in part, such as a second device: a
    /// program that names it and that failed so need not be wrong. Empty if there is none.
    /// `is_hip`: the text is in HIP.
    virtual std::string has_only_in_part(std::string_view, bool /*is_hip*/,
                                         const program_fault&) const {
        return {};
    }
    /// Runs a compiled program in `request.work`, with the request's mounts and limits, in one of
    /// the orders. If the request has a command, this is run, and the program has the path
    /// `place` in the work folder. The backend sets the rest of the request.
    virtual result<run_report> run(const std::filesystem::path& program, sandbox_request request,
                                   run_order order,
                                   const std::filesystem::path& place = "program") const = 0;
    /// Runs a command that may compile for a GPU and use one, such as Python with PyTorch, as the
    /// request says. Its launches are not counted.
    virtual result<run_report> run_on_device(sandbox_request) const {
        return unsupported("there is no GPU here");
    }
    /// Runs a program of our own on the device, which keeps its clock up and leaves nothing of
    /// other programs in its L2 cache. An error is a fault of this machine.
    virtual status settle_device() const { return {}; }
    /// The clock of the device's multiprocessors in MHz; nothing where it is not known.
    virtual std::optional<std::uint64_t> device_clock() const { return {}; }
    /// Interprets the report of a run. It may run a program of its own on the device. An error is a
    /// fault of this machine.
    virtual result<program_outcome> outcome_of(const run_report&) const {
        return program_outcome{};
    }
};

}  // namespace cuset

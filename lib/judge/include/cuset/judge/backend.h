// Compiles and runs candidates.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/compiler.h"
#include "cuset/judge/sandbox.h"
#include "cuset/judge/verdict.h"

namespace cuset {

/// The backend's own runtime reports why it ended a program.
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
    run_order(std::uint64_t of, bool asynchronous = false)
        : seed(of), has_asynchronous_streams(asynchronous) {}
    std::uint64_t seed;  ///< of the order of threads and blocks; 0: the plain one
    /// Whether streams work while the host's code goes on, and the program goes on after a kernel's
    /// fault, if the backend can do without.
    bool has_asynchronous_streams;
};

/// What a program that ran without asynchronous streams told of them.
enum class stream_need {
    none,
    asked,  ///< it asked what streams still do, or may wait for them: it may do otherwise with them
    needed,  ///< its streams waited for what its host code does later, so the run was ended
};

class program_backend {
public:
    virtual ~program_backend() = default;
    virtual std::string_view name() const = 0;  ///< in verdicts: "gpu"
    /// Compiler, version and flags, in one line.
    virtual std::string toolchain() const = 0;
    /// Whether it can compile and run here; call this first.
    virtual status check() const = 0;
    /// Any number of threads may call this at once. `flags`: more of nvcc's, such as a task's own
    /// program needs.
    virtual result<compilation> compile(std::string_view source, const flag_list& flags) const = 0;
    /// Makes a program of several files; the same holds.
    virtual result<compilation> build(const build_request& request) const = 0;
    /// The program once more, so that it runs with the threads of each warp in step: for one that
    /// failed in the plain order. Nothing if the backend has no such form of it, or it does not
    /// compile.
    virtual result<std::optional<compilation>> compile_in_step(std::string_view,
                                                               const flag_list&) const {
        return std::optional<compilation>();
    }
    virtual result<std::optional<compilation>> build_in_step(const build_request&) const {
        return std::optional<compilation>();
    }
    /// Asks a stricter compiler about a program that passed. `compiled` if there is no such
    /// compiler.
    virtual result<compilation> confirm(std::string_view, const flag_list&) const {
        return compilation{};
    }
    virtual result<compilation> confirm_build(const build_request&) const { return compilation{}; }
    /// What keeps the backend from judging programs that need this CUDA toolkit and compute
    /// capability ("12.4", "9.0"; empty: any): "CUDA 13.1 (here: 13.0.88)". Empty if nothing does.
    virtual std::string lacks(std::string_view, std::string_view) const { return {}; }
    /// What a program asks for that the backend has only in part, such as a second device: a
    /// program that names it and that failed so need not be wrong. Empty if there is none.
    virtual std::string has_only_in_part(std::string_view, const program_fault&) const {
        return {};
    }
    /// The orders of threads and blocks under which a program is to be run, each given by its seed;
    /// 0 is the plain order, and the first.
    virtual std::vector<std::uint64_t> orders() const { return {0}; }
    /// Runs a compiled program in `request.work`, with the request's mounts and limits, in one of
    /// the orders. If the request has a command, this is run, and the program has the path
    /// `place` in the work folder. The backend sets the rest of the request.
    virtual result<run_report> run(const std::filesystem::path& program, sandbox_request request,
                                   run_order order,
                                   const std::filesystem::path& place = "program") const = 0;
    /// Whether run_on_device() runs something.
    virtual bool has_device() const { return false; }
    /// Runs a command that may compile for a GPU and use one, such as Python with PyTorch, as the
    /// request says. Its launches are not counted.
    virtual result<run_report> run_on_device(sandbox_request) const {
        return unsupported("there is no GPU here");
    }
    virtual stream_need streams_of(const run_report&) const { return stream_need::none; }
    /// A kernel's fault after which a program with asynchronous streams went on.
    virtual std::optional<program_fault> survived_fault_of(const run_report&) const { return {}; }
    /// Says why the backend's runtime ended the program; nothing if it did not.
    virtual std::optional<program_fault> fault_of(const run_report&) const { return {}; }
    /// What is known about CUDA in a run that failed in another way: an error that the program met,
    /// or a missing device (failure::evaluator). An error is a fault of this machine.
    virtual result<std::optional<program_fault>> error_of(const run_report&) const {
        return std::optional<program_fault>();
    }
    /// Nothing if nobody counted; then the source decides whether the program can launch a kernel.
    virtual std::optional<kernel_use> kernels_of(const run_report&) const { return {}; }
    /// An observation of the backend's runtime that is no fault, in one line; empty if there is
    /// none.
    virtual std::string note_of(const run_report&) const { return {}; }
    /// One line for each launch that the backend's runtime reported; empty if it reports none.
    virtual std::string launch_record(const run_report&) const { return {}; }
};

/// One of this machine's GPUs.
struct gpu {
    std::string name;
    std::string architecture;  ///< as nvcc calls it: "sm_90"
};

/// The first GPU that nvidia-smi lists, or the first of CUDA_VISIBLE_DEVICES; nothing if there is
/// none.
std::optional<gpu> find_gpu();

/// Compiles with nvcc, and runs the program itself on a GPU.
class gpu_backend final : public program_backend {
public:
    /// `cache`, `scratch`: see compiler. `launcher`: words before each run (see sandbox_request).
    /// The sandbox outlives the object.
    gpu_backend(const sandbox& box, toolkit kit, compile_options options, compile_cache cache,
                std::filesystem::path scratch, std::vector<std::string> launcher);
    std::string_view name() const override { return "gpu"; }
    /// After count_launches() it says how launches are counted.
    std::string toolchain() const override { return toolchain_; }
    status check() const override { return compiler_.check(); }
    /// From now on counts the launches of programs, if CUPTI is installed and a program of our own
    /// shows that it counts; that program is compiled and run here. Call this before anything else
    /// runs.
    status count_launches();
    result<compilation> compile(std::string_view source,
                                const flag_list& flags = {}) const override;
    result<compilation> build(const build_request& request) const override;
    std::string lacks(std::string_view toolkit, std::string_view capability) const override;
    result<run_report> run(const std::filesystem::path& program, sandbox_request request,
                           run_order order,
                           const std::filesystem::path& place = "program") const override;
    bool has_device() const override { return true; }
    result<run_report> run_on_device(sandbox_request request) const override;
    /// Finds CUDA's error messages in what the program printed, if its exit code or a signal says
    /// that it failed. A message that there is no device is believed only if a program of our own
    /// finds none either.
    result<std::optional<program_fault>> error_of(const run_report& report) const override;
    /// If the counter reported nothing, the program did not use the driver.
    std::optional<kernel_use> kernels_of(const run_report& report) const override;

private:
    void reach_device(sandbox_request& request) const;
    result<run_report> run_own(std::string_view source) const;

    const sandbox& box_;
    std::string toolchain_;
    std::string architecture_;  // "sm_90"; empty if nobody told
    toolkit kit_;
    compiler compiler_;
    std::optional<compilation> launch_counter_;  // nothing: launches are not counted
    compile_cache cache_;
    std::filesystem::path scratch_;
    std::vector<std::string> launcher_;
};

}  // namespace cuset

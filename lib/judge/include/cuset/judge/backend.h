// Where candidates are compiled and run.
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

/// Why a program ended, as the backend's own runtime tells.
struct program_fault {
    failure why = failure::none;
    std::string diagnostic;
};

/// What a program's kernels came to, as the backend's runtime counted. Programs that end in the
/// middle may leave some uncounted, but never half.
struct kernel_use {
    std::uint64_t launches = 0;
    /// That the host read of memory that kernels wrote; nothing where that is not known.
    std::optional<std::uint64_t> bytes_read;
};

class program_backend {
public:
    virtual ~program_backend() = default;
    virtual std::string_view name() const = 0;  ///< in verdicts: "gpu"
    /// Compiler, version and flags, in one line.
    virtual std::string toolchain() const = 0;
    /// Whether it can compile and run here; to be asked first.
    virtual status check() const = 0;
    /// Any number of threads at once.
    virtual result<compilation> compile(std::string_view source) const = 0;
    /// Of a program that passed: what a stricter compiler says of it. `compiled` where there is
    /// none.
    virtual result<compilation> confirm(std::string_view) const { return compilation{}; }
    /// The orders of threads and blocks that a program is to be run under, each by its seed; 0 is
    /// the plain one, and the first.
    virtual std::vector<std::uint64_t> orders() const { return {0}; }
    /// Runs a compiled program in `request.work`, with the request's mounts and limits, under one
    /// of the orders; the rest of the request is the backend's.
    virtual result<run_report> run(const std::filesystem::path& program, sandbox_request request,
                                   std::uint64_t order) const = 0;
    /// Why the backend's runtime ended the program; nothing where it did not.
    virtual std::optional<program_fault> fault_of(const run_report&) const { return {}; }
    /// What is known of CUDA in a run that failed in some other way: an error that the program ran
    /// into, or a device that is not there (failure::evaluator). An error is this machine's.
    virtual result<std::optional<program_fault>> error_of(const run_report&) const {
        return std::optional<program_fault>();
    }
    /// Nothing where nobody counted; then the source says whether the program can launch a kernel.
    virtual std::optional<kernel_use> kernels_of(const run_report&) const { return {}; }
    /// What the backend's runtime noticed that is no fault, in a line; empty where it noticed
    /// nothing.
    virtual std::string note_of(const run_report&) const { return {}; }
    /// A line for each launch, as the backend's runtime told; empty where it tells none.
    virtual std::string launch_record(const run_report&) const { return {}; }
};

/// A GPU of this machine.
struct gpu {
    std::string name;
    std::string architecture;  ///< as nvcc calls it: "sm_90"
};

/// The first GPU, as nvidia-smi tells, or the first of CUDA_VISIBLE_DEVICES; nothing where there is
/// none.
std::optional<gpu> find_gpu();

/// nvcc, and the program itself on a GPU.
class gpu_backend final : public program_backend {
public:
    /// `cache`, `scratch`: see compiler. `launcher`: words before each run (see sandbox_request).
    /// The sandbox outlives the object.
    gpu_backend(const sandbox& box, toolkit kit, compile_options options, compile_cache cache,
                std::filesystem::path scratch, std::vector<std::string> launcher);
    std::string_view name() const override { return "gpu"; }
    /// Behind count_launches it says how programs' launches are known.
    std::string toolchain() const override { return toolchain_; }
    status check() const override { return compiler_.check(); }
    /// Counts programs' launches from here on, where CUPTI is there and a program of our own shows
    /// that it counts: one is compiled and run. To be called before anything else runs.
    status count_launches();
    result<compilation> compile(std::string_view source) const override;
    result<run_report> run(const std::filesystem::path& program, sandbox_request request,
                           std::uint64_t order) const override;
    /// By the phrases of CUDA's errors in what the program printed, where it failed by its exit
    /// code or a signal. One that says that there is no device is believed where a program of our
    /// own finds none either.
    result<std::optional<program_fault>> error_of(const run_report& report) const override;
    /// A program without a word of the counter did not use the driver.
    std::optional<kernel_use> kernels_of(const run_report& report) const override;

private:
    result<run_report> run_own(std::string_view source) const;

    const sandbox& box_;
    std::string toolchain_;
    toolkit kit_;
    compiler compiler_;
    std::optional<compilation> launch_counter_;  // nothing: nobody counts
    compile_cache cache_;
    std::filesystem::path scratch_;
    std::vector<std::string> launcher_;
};

}  // namespace cuset

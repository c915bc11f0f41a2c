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
    /// Nothing where the backend's runtime told nothing.
    virtual std::optional<program_fault> fault_of(const run_report&) const { return {}; }
    /// What the backend's runtime noticed that is no fault, in a line; empty where it noticed
    /// nothing.
    virtual std::string note_of(const run_report&) const { return {}; }
    /// A file in `work` that the backend's runtime wrote, with a line for each launch; empty where
    /// it writes none. Programs can write it too.
    virtual std::string launch_record() const { return {}; }
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
    gpu_backend(const sandbox& box, toolkit kit, compile_options options,
                std::filesystem::path cache, std::filesystem::path scratch,
                std::vector<std::string> launcher);
    std::string_view name() const override { return "gpu"; }
    std::string toolchain() const override { return toolchain_; }
    status check() const override { return compiler_.check(); }
    result<compilation> compile(std::string_view source) const override;
    result<run_report> run(const std::filesystem::path& program, sandbox_request request,
                           std::uint64_t order) const override;

private:
    const sandbox& box_;
    std::string toolchain_;
    compiler compiler_;
    std::vector<std::string> launcher_;
};

}  // namespace cuset

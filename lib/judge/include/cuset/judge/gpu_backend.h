// Compiles programs with nvcc, and runs them on a GPU.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/backend.h"
#include "cuset/judge/compiler.h"
#include "cuset/sandbox/entry_cache.h"
#include "cuset/sandbox/sandbox.h"

namespace cuset {

/// One of this machine's GPUs.
struct gpu {
    std::string name;
    std::string architecture;  ///< as nvcc calls it: "sm_90"
};

/// The first GPU that nvidia-smi lists, or the first of CUDA_VISIBLE_DEVICES; nothing if there is
/// none.
std::optional<gpu> find_gpu();

/// The clock of its multiprocessors in MHz, as nvidia-smi tells it; nothing if it does not.
std::optional<std::uint64_t> gpu_clock();

/// Compiles with nvcc, and runs the program itself on a GPU.
class gpu_backend final : public program_backend {
public:
    /// `cache`, `scratch`: see compiler. `launcher`: words before each run (see sandbox_request).
    /// The sandbox outlives the object.
    gpu_backend(const sandbox& box, toolkit kit, compile_options options, entry_cache cache,
                std::filesystem::path scratch, std::vector<std::string> launcher);
    /// After count_launches() its toolchain says how launches are counted.
    backend_description description() const override;
    status check() const override { return compiler_.check(); }
    /// From now on counts the launches of programs, if CUPTI is installed and a program of our own
    /// shows that it counts; that program is compiled and run here. Call this before anything else
    /// runs.
    status count_launches();
    /// From now on runs can record activity. error_kind::unsupported if CUPTI is missing, or a
    /// program of our own shows that it does not record here. Call this after count_launches().
    status record_activity();
    /// From now on runs can be profiled. error_kind::unsupported if there is no ncu, or it does not
    /// profile a program of our own, such as for want of the right to read counters.
    status prepare_profiling();
    status settle_device() const override;
    std::optional<std::uint64_t> device_clock() const override;
    result<compilation> compile(const program_source& source,
                                program_form form = program_form::plain) const override;
    std::string lacks(std::string_view toolkit, std::string_view capability) const override;
    result<run_report> run(const std::filesystem::path& program, sandbox_request request,
                           run_order order,
                           const std::filesystem::path& place = "program") const override;
    result<run_report> run_on_device(sandbox_request request) const override;
    /// Finds CUDA's error messages in what the program printed, if its exit code or a signal says
    /// that it failed. A message that there is no device is believed only if a program of our own
    /// finds none either. If the launch counter reported nothing, the program did not use the
    /// driver.
    result<program_outcome> outcome_of(const run_report& report) const override;

private:
    void reach_device(sandbox_request& request) const;
    result<run_report> run_own(std::string_view source, run_order order = 0) const;

    const sandbox& box_;
    std::string toolchain_;
    std::string architecture_;  // "sm_90"; empty: not known
    toolkit kit_;
    compiler compiler_;
    std::optional<compilation> launch_counter_;  // nothing: launches are not counted
    std::optional<compilation> activity_log_;    // nothing: activity is not recorded
    std::filesystem::path profiler_;             // empty: nothing is profiled
    entry_cache cache_;
    std::filesystem::path scratch_;
    std::vector<std::string> launcher_;
};

}  // namespace cuset

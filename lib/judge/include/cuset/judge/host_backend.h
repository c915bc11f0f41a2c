// CUDA programs on this machine's processor: translated to C++ and compiled by g++ against a
// runtime that models a GPU.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/backend.h"
#include "cuset/host/translation.h"

namespace cuset {

/// The GPUs whose properties and limits the runtime knows.
inline constexpr std::string_view host_architectures[] = {"sm_80", "sm_86", "sm_89", "sm_90",
                                                          "sm_100"};

/// How threads wait at barriers: on stacks of their own, or, where a kernel's text allows it,
/// without (translation.h). All compute the same.
enum class host_barriers : unsigned char {
    automatic,  ///< without stacks, but with them where g++ refuses what the translation makes
    fibers,
    split,  ///< g++'s word counts: for tests
};

struct host_options {
    std::string architecture = "sm_90";  ///< one of host_architectures
    std::string standard = "gnu++17";    ///< for g++'s -std
    std::vector<std::string> flags;      ///< -D, -U and -I, for g++
    nvcc_dialect dialect;                ///< what nvcc is told to take more
    sandbox_limits compile_limits;
    /// The variant that looks at every access; programs run under `schedules` orders of threads,
    /// whose seeds are drawn with `seed`.
    bool checked = false;
    std::size_t schedules = 1;
    std::uint64_t seed = 0;
    std::size_t run_threads = 0;  ///< of a program's kernels; 0: all cores there
    host_barriers barriers = host_barriers::automatic;  ///< fibers where programs are checked
    int build_threads = 1;  ///< for the runtime, where it is not in the cache yet
    /// As on a machine without CUDA's headers, though they are here: for tests.
    bool without_cuda_headers = false;
    /// Who decides where g++ refuses a program, and once more where one passed; without it, g++
    /// and the names in its diagnostics.
    std::optional<toolkit> nvcc;
    std::vector<std::string> nvcc_flags;
};

/// nvcc's flags as g++ takes them: of -D, -U, -I and -std=, whose C++17 or later; and those that
/// change what nvcc refuses. The others are left out.
struct host_flags {
    std::vector<std::string> flags;
    nvcc_dialect dialect;
    std::string standard = "gnu++17";
    std::vector<std::string> ignored;
};
host_flags host_flags_of(const std::vector<std::string>& nvcc_flags);

class host_backend final : public program_backend {
public:
    /// Finds g++ and compiles the runtime, or takes it from the cache. `cache`, `scratch`,
    /// `launcher`: see gpu_backend. The sandbox outlives the object. error_kind::unsupported where
    /// g++ is missing or does not compile the runtime.
    static result<std::unique_ptr<host_backend>> open(const sandbox& box, host_options options,
                                                      compile_cache cache,
                                                      std::filesystem::path scratch,
                                                      std::vector<std::string> launcher);
    ~host_backend() override;

    std::string_view name() const override { return "host"; }
    std::string toolchain() const override;
    /// Whether the simplest kernel compiles and runs, and nvcc compiles where there is one.
    status check() const override;
    result<compilation> compile(std::string_view source) const override;
    result<compilation> confirm(std::string_view source) const override;
    std::vector<std::uint64_t> orders() const override;
    result<run_report> run(const std::filesystem::path& program, sandbox_request request,
                           std::uint64_t order) const override;
    std::optional<program_fault> fault_of(const run_report& report) const override;
    /// A launch that a device refuses. What the program says of itself means nothing here.
    result<std::optional<program_fault>> error_of(const run_report& report) const override;
    std::string note_of(const run_report& report) const override;
    std::optional<kernel_use> kernels_of(const run_report& report) const override;
    /// Programs that run under one order have none.
    std::string launch_record(const run_report& report) const override;

private:
    struct state;
    explicit host_backend(std::unique_ptr<state> made);
    std::unique_ptr<state> state_;
};

}  // namespace cuset

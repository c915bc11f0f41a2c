// Runs CUDA programs on this machine's processor: translates them to C++ and compiles them with g++
// against a runtime that models a GPU.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/host/translation.h"
#include "cuset/judge/backend.h"

namespace cuset {

/// How threads wait at barriers: on stacks of their own or, if a kernel's text allows it, without
/// (translation.h). All compute the same.
enum class host_barriers : unsigned char {
    automatic,  ///< without stacks, but with them if g++ refuses the translation
    fibers,
    split,  ///< never with stacks if g++ refuses: for tests
};

struct host_options {
    std::string architecture{default_host_architecture()};  ///< one that cuda_arch_of knows
    std::string standard = "gnu++17";                       ///< for g++'s -std
    std::vector<std::string> flags;                         ///< -D, -U and -I, for g++
    nvcc_dialect dialect;                                   ///< what nvcc's flags permit too
    bool fast_math = false;  ///< -use_fast_math is among nvcc's flags
    sandbox_limits compile_limits;
    /// The variant that checks every access. Programs run under `schedules` orders of threads,
    /// whose seeds are drawn with `seed`.
    bool checked = false;
    std::size_t schedules = 1;
    std::uint64_t seed = 0;
    /// Whether programs that passed are searched for races (program_form::searched).
    bool searches = true;
    /// Of the GPU for which programs are counted: the size of L2; 0: the modelled GPU's.
    std::uint64_t l2_bytes = 0, multiprocessors = 0;
    std::uint64_t counted_launches = 0;  ///< a counted program ends behind so many; 0: by itself
    std::size_t run_threads = 0;         ///< of a program's kernels; 0: all cores
    host_barriers barriers = host_barriers::automatic;  ///< fibers if programs are checked
    int build_threads = 1;  ///< for the runtime, if it is not in the cache yet
    /// nvcc decides if g++ refuses a program, and checks each program that passed. Without nvcc,
    /// g++ and the names in its diagnostics decide.
    std::optional<toolkit> nvcc;
    std::vector<std::string> nvcc_flags;
};

class host_backend final : public program_backend {
public:
    /// Finds g++ and compiles the runtime, or takes it from the cache. `cache`, `scratch`,
    /// `launcher`: see gpu_backend. The sandbox must outlive the object. error_kind::unsupported if
    /// g++ is missing or does not compile the runtime.
    static result<std::unique_ptr<host_backend>> open(const sandbox& box, host_options options,
                                                      entry_cache cache,
                                                      std::filesystem::path scratch,
                                                      std::vector<std::string> launcher);
    ~host_backend() override;

    backend_description description() const override;
    /// Whether the simplest kernel compiles and runs, and nvcc, if present, compiles it.
    status check() const override;
    /// Does what a build command asks of nvcc: its sources, -I, -D, -std and the like. A command,
    /// flag or include that is not understood gives compile_end::unsupported. Messages name the
    /// files.
    result<compilation> compile(const program_source& source,
                                program_form form = program_form::plain) const override;
    result<compilation> confirm(const program_source& source) const override;
    std::string lacks(std::string_view toolkit, std::string_view capability) const override;
    /// Devices: one is modelled. Faults in kernels: they end the program.
    std::string has_only_in_part(std::string_view source, bool is_hip,
                                 const program_fault& failed) const override;
    result<run_report> run(const std::filesystem::path& program, sandbox_request request,
                           run_order order,
                           const std::filesystem::path& place = "program") const override;
    /// The error of CUDA is that of a launch that a device refuses. The program's own messages have
    /// no effect here. Launches are recorded if programs run under several orders.
    result<program_outcome> outcome_of(const run_report& report) const override;

private:
    struct state;
    explicit host_backend(std::unique_ptr<state> made);
    std::unique_ptr<state> state_;
};

}  // namespace cuset

// What an opened host backend holds: host_compilation.cpp makes programs, host_backend.cpp runs
// them. Private to lib/judge.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "build/gxx_input.h"
#include "cuset/host/build/toolchain.h"
#include "cuset/host/translation.h"
#include "cuset/judge/host_backend.h"

namespace cuset {

/// g++'s result for a program, before nvcc is asked.
struct attempt {
    compilation done;
    /// Why the host model cannot run the program, if that is known.
    std::string unmodelled;
    /// Whether the split form may be the reason why it did not compile.
    bool may_be_split = false;
    /// Whether it is refused whatever nvcc says.
    bool is_final = false;
};

/// Whether the cache keeps g++'s refusal of a program.
enum class failures : unsigned char { kept, tried_again };

struct host_backend::state {
    const sandbox& box;
    host_options options;
    host_toolchain tools;
    host_toolchain::options wanted;  // of the toolchain
    std::optional<compiler> nvcc;
    entry_cache cache;
    std::filesystem::path scratch;
    std::vector<std::string> launcher;

    result<attempt> try_gxx(const gxx_input& input, failures then) const;
    result<attempt> try_form(const host_toolchain& with, const gxx_input& input, barrier_form form,
                             failures then) const;
    result<compilation> compile_units(const host_toolchain& with, const gxx_input& input,
                                      const std::vector<task_file>& units,
                                      const std::vector<std::string>& includes,
                                      const std::vector<kernel_form>& kernels,
                                      const std::filesystem::path& libraries, bool may_misalign,
                                      const std::filesystem::path& work) const;
    result<compilation> with_nvcc(attempt tried, const program_source& source) const;
    std::string toolchain() const;
    std::string counting() const;
    std::vector<std::uint64_t> orders() const;

    /// A toolchain that is opened when a program needs it first; null where that fails, which is
    /// told once.
    struct later_toolchain {
        std::mutex mutex;
        bool is_tried = false;
        std::shared_ptr<const host_toolchain> tools;
    };
    std::shared_ptr<later_toolchain> for_races = std::make_shared<later_toolchain>();
    std::shared_ptr<later_toolchain> for_costs = std::make_shared<later_toolchain>();
    std::shared_ptr<const host_toolchain> toolchain_of(host_variant variant) const;
    /// A form of a program that is compiled besides the plain one. compile_end::unsupported where it
    /// cannot be.
    result<compilation> further_form(const host_toolchain* with, const gxx_input& input,
                                     barrier_form form) const;
};

}  // namespace cuset

// The names that mean one thing for the device and another for the host. Private to lib/host.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cuset/syntax/cuda_program.h"
#include "translate/side_regions.h"

namespace cuset {

/// Macros, functions, variables and types that both sides have, or that are macros of one. Device
/// code reads each with `device_prefix` before it.
struct side_names {
    std::unordered_set<std::string> macros, methods, others;
    /// Macros that both sides define alike, but from such names: they need a second definition.
    std::vector<const syntax::cuda_macro*> twins;
    /// Macros that are qualifiers, __device__ for the device alone.
    std::unordered_set<std::string> qualifiers;
    std::vector<syntax::token_range> unread;  ///< the other side's definitions, which nobody reads
    std::vector<const side_region*> marks;    ///< of the device, of qualifiers alone
    std::string unsupported;

    bool contains(const syntax::token_stream& code, std::uint32_t i) const;
};

constexpr const char* device_prefix = "cuset_device_";

side_names find_side_names(const syntax::cuda_program& program, const side_regions& regions);

}  // namespace cuset

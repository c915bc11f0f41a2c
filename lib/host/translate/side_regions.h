// The parts of a program outside its functions that only one of nvcc's two readings has. Private
// to lib/host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuset/host/translation.h"
#include "cuset/syntax/cuda_program.h"

namespace cuset {

enum class side : std::uint8_t { both, host, device, neither };

/// Text [begin, end) of a branch, between its directives.
struct side_region {
    std::uint32_t begin, end;
    side of;
};

struct side_regions {
    std::vector<side_region> regions;             ///< in order; none is within another
    std::vector<const syntax::directive*> lines;  ///< of the conditionals around them
    std::string unsupported;                      ///< a condition that is not known; or empty

    side of(std::uint32_t offset) const;
};

/// Whether the directive is within a function's body.
bool is_in_body(const syntax::cuda_program& program, const syntax::directive& d);

side_regions find_side_regions(const syntax::cuda_program& program, const std::string& arch,
                               const nvcc_dialect& dialect);

}  // namespace cuset

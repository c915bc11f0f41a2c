// Matrices in 4 bits as bitsandbytes and transformers store them. Beside the codes NAME, of which
// two share a byte and the first is in its high half, row after row, a file has
//   NAME.absmax                            of each block: floats, or with double quantisation codes
//   NAME.quant_map                         the values of the codes: those of NF4
//   NAME.quant_state.bitsandbytes__nf4     JSON: shape, type and sizes of blocks
// and with double quantisation
//   NAME.nested_absmax, .nested_quant_map  of each group of blocks, and the values of absmax's
//   codes
// Private to lib/model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/model/safetensors.h"

namespace cuset {

struct stored_nf4 {
    std::int64_t rows = 0, columns = 0;
    element_type type = element_type::f32;  ///< of the elements before they were quantised
    std::span<const std::byte> codes;       ///< in the file's map
    std::vector<float> absmax;  ///< of the blocks, or of the groups if there is double quantisation
    /// Of double quantisation, and else empty: a code for each block (in the file's map), and the
    /// values of the 256 codes.
    std::span<const std::byte> absmax_codes;
    std::vector<float> absmax_values;
    float offset = 0;
    std::vector<std::string> parts;  ///< names of all the tensors that were read
};

/// Whether `files` says how the matrix `name` is quantised.
bool has_quant_state(const tensor_store& files, const std::string& name);

/// Reads the matrix [rows × columns] whose codes are the tensor `name`, which exists. Everything is
/// checked, and every float is finite. error_kind::data names a tensor that is missing or
/// malformed; error_kind::unsupported one of another type (FP4), of other blocks than NF4's 64,
/// other groups than 256, or other values than NF4's.
result<stored_nf4> read_stored_nf4(const tensor_store& files, const std::string& name,
                                   std::int64_t rows, std::int64_t columns);

}  // namespace cuset

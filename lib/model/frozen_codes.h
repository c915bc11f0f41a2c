// The weights of a frozen base in 4 or 8 bits for the decoder in LibTorch's operators
// (torch_decoder.h): a matrix is made of its codes again for each product. Private to lib/model.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "quantised_matrix.h"

namespace cuset {

/// Functions throw LibTorch's exceptions.
class frozen_codes {
public:
    virtual ~frozen_codes() = default;
    virtual std::int64_t rows() const = 0;
    virtual std::int64_t columns() const = 0;
    /// Of codes and scales.
    virtual std::size_t bytes() const = 0;
    /// The elements, [rows × columns] in float or bfloat16, on the device of the codes. On a GPU
    /// the work is queued on LibTorch's stream.
    virtual at::Tensor dequantised(at::ScalarType type) const = 0;
};

/// A frozen W [out × in]: a tensor, or codes that it is made of whenever it is needed.
struct frozen_weight {
    at::Tensor tensor;
    std::shared_ptr<const frozen_codes> codes{};
    at::ScalarType type = at::kFloat;  ///< of what is made of codes

    at::Tensor matrix() const { return codes == nullptr ? tensor : codes->dequantised(type); }
};

/// The values of a matrix on the CPU, in float or bfloat16.
at::Tensor dequantised(const quantised_matrix& matrix, at::ScalarType type);

/// The matrix itself, on the CPU.
std::shared_ptr<const frozen_codes> shared_codes(std::shared_ptr<const quantised_matrix> matrix);

/// A copy on `device`. The matrix must not be in panels.
std::shared_ptr<const frozen_codes> copied_codes(const quantised_matrix& matrix, at::Device device);

/// The order in which a loader has to make codes for a GPU, or for the CPU (device_index < 0).
constexpr code_order code_order_on(int device_index) {
    return device_index < 0 ? code_order::panels : code_order::rows;
}

}  // namespace cuset

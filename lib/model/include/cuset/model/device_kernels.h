// cuset's own kernels on the device of the tensors: the CPU version, shared among LibTorch's
// threads, or the GPU version, queued on LibTorch's stream. Only wait_for() waits for a GPU.
// Functions may throw what LibTorch throws; callers catch it at the interface of their library.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <span>

#include "cuset/kernels/adamw.h"
#include "cuset/kernels/code_rows.h"
#include "cuset/kernels/dropout.h"
#include "cuset/kernels/region.h"
#include "cuset/kernels/token_loss.h"

namespace cuset {

/// The build of the kernels that runs on tensors of `device`: an instruction set as by
/// kernels::name_of(), or kernels::device_kernels_name().
const char* kernels_on(at::Device device);

/// These call the kernels of the same names; every pointer is memory of `device`. They throw if a
/// GPU refuses one.
void token_loss(const kernels::token_loss_rows& rows, at::Device device);
void regions(const kernels::region_settings& settings, const kernels::region_batch& batch,
             at::Device device);
void adamw_step(const kernels::adamw_step& step, at::Device device);
void dropout(const kernels::dropout_rows& rows, at::Device device);
/// Writes all elements to a dense tensor, float or bfloat16, on the device that `matrix` points to.
void dequantise(const kernels::code_rows& matrix, const at::Tensor& to);

/// Copies `count` elements of `type` to `device`; the values may go as soon as this returns. A copy
/// to a GPU is queued from page-locked memory, which is kept for the next copy. The host may have
/// to wait only if more such memory is needed than before.
at::Tensor uploaded(const void* values, std::int64_t count, at::ScalarType type, at::Device device);

inline at::Tensor uploaded(std::span<const std::int32_t> values, at::Device device) {
    return uploaded(values.data(), std::ssize(values), at::kInt, device);
}
inline at::Tensor uploaded(std::span<const std::int64_t> values, at::Device device) {
    return uploaded(values.data(), std::ssize(values), at::kLong, device);
}
inline at::Tensor uploaded(std::span<const std::uint8_t> values, at::Device device) {
    return uploaded(values.data(), std::ssize(values), at::kByte, device);
}
inline at::Tensor uploaded(std::span<const float> values, at::Device device) {
    return uploaded(values.data(), std::ssize(values), at::kFloat, device);
}
inline at::Tensor uploaded(std::span<const double> values, at::Device device) {
    return uploaded(values.data(), std::ssize(values), at::kDouble, device);
}

/// Returns when all work queued for `device` is done.
void wait_for(at::Device device);

}  // namespace cuset

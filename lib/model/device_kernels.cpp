#include "cuset/model/device_kernels.h"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <cstring>

#include "cuset/kernels/instruction_set.h"
#ifdef CUSET_CUDA
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace cuset {

namespace {

#ifdef CUSET_CUDA
/// Calls launch(stream) with the stream that LibTorch uses on `device`.
template <class Launch>
void queue(at::Device device, const char* kernel, const Launch& launch) {
    const c10::cuda::CUDAGuard here(device);
    const kernels::device_error error =
        launch(c10::cuda::getCurrentCUDAStream(device.index()).stream());
    TORCH_CHECK(error == 0, kernel, ": ", kernels::text_of(error));
}
#else
template <class Launch>
void queue(at::Device, const char* kernel, const Launch&) {
    TORCH_CHECK(false, kernel, ": this build has no CUDA support");
}
#endif

/// The rows [first, last) of `rows`.
kernels::token_loss_rows part_of(const kernels::token_loss_rows& rows, std::int64_t first,
                                 std::int64_t last) {
    const auto from = static_cast<std::size_t>(first);
    const auto bytes = [](kernels::logit_type type) -> std::size_t {
        return type == kernels::logit_type::float32 ? 4 : 2;
    };
    kernels::token_loss_rows part = rows;
    part.rows = static_cast<std::size_t>(last - first);
    part.logits = static_cast<const char*>(rows.logits) + from * rows.stride * bytes(rows.type);
    part.targets += from;
    if (rows.gradient != nullptr)
        part.gradient = static_cast<char*>(rows.gradient) +
                        from * rows.gradient_stride * bytes(rows.gradient_type);
    if (rows.scale != nullptr) part.scale += from;
    part.log_probability += from;
    if (rows.entropy != nullptr) part.entropy += from;
    return part;
}

}  // namespace

const char* kernels_on(at::Device device) {
    if (device.is_cpu()) return kernels::name_of(kernels::active_instruction_set());
#ifdef CUSET_CUDA
    const c10::cuda::CUDAGuard here(device);
    return kernels::device_kernels_name();
#else
    return "none";
#endif
}

void token_loss(const kernels::token_loss_rows& rows, at::Device device) {
    if (!device.is_cpu()) {
        queue(device, "token_loss", [&](auto stream) { return kernels::token_loss(rows, stream); });
        return;
    }
    TORCH_CHECK(kernels::is_valid(rows), "token_loss: invalid rows");
    at::parallel_for(0, static_cast<std::int64_t>(rows.rows), 4,
                     [&](std::int64_t first, std::int64_t last) {
                         kernels::token_loss(part_of(rows, first, last));
                     });
}

void regions(const kernels::region_settings& settings, const kernels::region_batch& batch,
             at::Device device) {
    if (device.is_cpu())
        kernels::regions(settings, batch);
    else
        queue(device, "regions",
              [&](auto stream) { return kernels::regions(settings, batch, stream); });
}

void adamw_step(const kernels::adamw_step& step, at::Device device) {
    if (!device.is_cpu()) {
        queue(device, "adamw", [&](auto stream) { return kernels::adamw(step, stream); });
        return;
    }
    const auto part = [](const auto& work) {
        return [&](std::int64_t first, std::int64_t last) {
            work(static_cast<std::size_t>(first), static_cast<std::size_t>(last));
        };
    };
    const auto squares = [&](std::size_t first, std::size_t last) {
        kernels::adamw_squares(step, first, last);
    };
    const auto update = [&](std::size_t first, std::size_t last) {
        kernels::adamw_update(step, first, last);
    };
    at::parallel_for(0, static_cast<std::int64_t>(kernels::adamw_partials), 8, part(squares));
    kernels::adamw_norm(step);
    at::parallel_for(0, static_cast<std::int64_t>(step.chunks), 8, part(update));
}

void dropout(const kernels::dropout_rows& rows, at::Device device) {
    if (!device.is_cpu()) {
        queue(device, "dropout", [&](auto stream) { return kernels::dropout(rows, stream); });
        return;
    }
    at::parallel_for(
        0, static_cast<std::int64_t>(rows.rows), 64, [&](std::int64_t first, std::int64_t last) {
            kernels::dropout(rows, static_cast<std::size_t>(first), static_cast<std::size_t>(last));
        });
}

void dequantise(const kernels::code_rows& matrix, const at::Tensor& to) {
    const bool half = to.scalar_type() == at::kBFloat16;
    TORCH_CHECK(to.is_contiguous() && (half || to.scalar_type() == at::kFloat) &&
                    to.numel() == static_cast<std::int64_t>(matrix.elements),
                "dequantise: invalid tensor");
    if (!to.device().is_cpu()) {
        queue(to.device(), "dequantise", [&](auto stream) {
            return kernels::dequantise(
                matrix, to.mutable_data_ptr(),
                half ? kernels::value_type::bfloat16 : kernels::value_type::float32, stream);
        });
        return;
    }
    const at::Tensor values = half ? at::empty(to.sizes(), at::kFloat) : to;
    float* const elements = values.mutable_data_ptr<float>();
    constexpr std::int64_t grain = std::int64_t{1} << 14;
    at::parallel_for(0, values.numel(), grain, [&](std::int64_t first, std::int64_t last) {
        kernels::dequantise(matrix, static_cast<std::size_t>(first),
                            static_cast<std::size_t>(last - first), elements + first);
    });
    if (half) to.copy_(values);
}

at::Tensor uploaded(const void* values, std::int64_t count, at::ScalarType type,
                    at::Device device) {
    const auto options = at::TensorOptions().dtype(type).pinned_memory(!device.is_cpu());
    const at::Tensor host = at::empty({count}, options);
    if (count > 0) std::memcpy(host.mutable_data_ptr(), values, host.nbytes());
    return device.is_cpu() ? host : host.to(device, type, true);
}

void wait_for(at::Device device) {
#ifdef CUSET_CUDA
    if (device.is_cuda()) c10::cuda::getCurrentCUDAStream(device.index()).synchronize();
#else
    static_cast<void>(device);
#endif
}

}  // namespace cuset

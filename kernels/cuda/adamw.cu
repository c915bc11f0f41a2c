// The GPU version of adamw.h: one launch for the norm, one for the update.
#include <cuda_runtime.h>

#include "../both_sides.h"
#include "block_reduce.cuh"
#include "cuset/kernels/adamw.h"

namespace cuset::kernels {
namespace {

constexpr unsigned adamw_threads = 256;

/// The tensor that chunk c belongs to.
__device__ const adamw_tensor& tensor_of(const adamw_step& step, std::size_t c) {
    std::size_t low = 0, high = step.count;  // tensors[low].first_chunk <= c < tensors[high]...
    while (high - low > 1) {
        const std::size_t middle = (low + high) / 2;
        if (step.tensors[middle].first_chunk <= c)
            low = middle;
        else
            high = middle;
    }
    return step.tensors[low];
}

/// One block for each partial sum. The block that arrives last adds them in their order and
/// prepares the update; the result is the same whichever block that is.
__global__ void __launch_bounds__(adamw_threads) norm_of_gradients(adamw_step step) {
    __shared__ double warps[warp_threads];
    __shared__ bool is_last;
    double sum = 0;
    for (std::size_t c = blockIdx.x; c < step.chunks; c += adamw_partials) {
        const adamw_tensor& tensor = tensor_of(step, c);
        const std::size_t first = (c - tensor.first_chunk) * adamw_chunk;
        const std::size_t rest = tensor.size - first;
        const std::size_t size = rest < adamw_chunk ? rest : adamw_chunk;
#pragma unroll 4
        for (std::size_t i = threadIdx.x; i < size; i += adamw_threads) {
            const auto g = static_cast<double>(tensor.gradient[first + i]);
            sum += g * g;
        }
    }
    sum = block_reduce(sum, 0.0, warps, sum_of());
    if (threadIdx.x == 0) {
        step.partials[blockIdx.x] = sum;
        __threadfence();  // the sum must be visible before the block is counted
        is_last = atomicAdd(&step.state->arrived, 1U) == adamw_partials - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    sum = 0;
    // These loads bypass L1, which does not see the stores of other blocks.
    for (unsigned i = threadIdx.x; i < adamw_partials; i += adamw_threads)
        sum += __ldcg(step.partials + i);
    sum = block_reduce(sum, 0.0, warps, sum_of());
    if (threadIdx.x != 0) return;
    adamw_state state = *step.state;
    state.arrived = 0;
    state.norm = sqrt(sum);
    state.finite = isfinite(state.norm) ? 1 : 0;
    if (state.finite != 0) {
        const std::size_t number = static_cast<std::size_t>(state.steps);
        const double n = static_cast<double>(++state.steps);
        prepare_update(step.options,
                       step.learning_rates[number < step.rates ? number : step.rates - 1],
                       pow(step.options.beta1, n), sqrt(1 - pow(step.options.beta2, n)), state);
    }
    *step.state = state;
}

__global__ void __launch_bounds__(adamw_threads) update_values(adamw_step step) {
    const adamw_state& state = *step.state;
    if (state.finite == 0) return;
    const float clip = state.clip, decay = state.decay, step_size = state.step_size;
    const float second_scale = state.second_scale;
    const auto beta2 = static_cast<float>(step.options.beta2);
    const auto rest1 = static_cast<float>(1 - step.options.beta1);
    const auto rest2 = static_cast<float>(1 - step.options.beta2);
    const auto epsilon = static_cast<float>(step.options.epsilon);
    const adamw_tensor tensor = tensor_of(step, blockIdx.x);
    const std::size_t begin = (blockIdx.x - tensor.first_chunk) * adamw_chunk;
    const std::size_t end = begin + adamw_chunk < tensor.size ? begin + adamw_chunk : tensor.size;
#pragma unroll 4
    for (std::size_t i = begin + threadIdx.x; i < end; i += adamw_threads) {
        const float g = tensor.gradient[i] * clip;
        const float first = tensor.first[i] + (g - tensor.first[i]) * rest1;
        const float second = tensor.second[i] * beta2 + (g * g) * rest2;
        tensor.first[i] = first;
        tensor.second[i] = second;
        tensor.value[i] =
            tensor.value[i] * decay - step_size * first / (sqrtf(second) * second_scale + epsilon);
        tensor.gradient[i] = 0;
    }
}

}  // namespace

device_error adamw(const adamw_step& step, device_stream stream) {
    if (step.rates == 0 || step.chunks > 0x7fffffffU) return cudaErrorInvalidValue;
    norm_of_gradients<<<adamw_partials, adamw_threads, 0, stream>>>(step);
    if (step.chunks > 0)
        update_values<<<static_cast<unsigned>(step.chunks), adamw_threads, 0, stream>>>(step);
    return cudaGetLastError();
}

}  // namespace cuset::kernels

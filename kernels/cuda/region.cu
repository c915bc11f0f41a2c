// The GPU version of region.h: one block for each sample.
#include <cuda_runtime.h>

#include "../both_sides.h"
#include "block_reduce.cuh"
#include "cuset/kernels/region.h"

namespace cuset::kernels {
namespace {

constexpr unsigned region_threads = 512;

__device__ window_sum shifted_up(window_sum sum, unsigned offset) {
    return {__shfl_up_sync(all_lanes, sum.value, offset),
            __shfl_up_sync(all_lanes, sum.lost, offset)};
}

__device__ window_sum scan_of_warp(window_sum sum) {
    const unsigned lane = threadIdx.x % warp_threads;
    for (unsigned offset = 1; offset < warp_threads; offset *= 2) {
        const window_sum before = shifted_up(sum, offset);
        if (lane >= offset) sum = plus(before, sum);
    }
    return sum;
}

/// Makes sums[i] the sum of the first i confidences that count into windows, i = 0 … n, and returns
/// n. `left_out` may be null. The block's threads take one tile at a time.
__device__ std::int64_t sum_up(const float* log_p, const std::uint8_t* left_out, std::int64_t count,
                               window_sum* sums) {
    __shared__ window_sum warps[warp_threads];
    __shared__ unsigned counted_of_warp[warp_threads];
    const unsigned lane = threadIdx.x % warp_threads, warp = threadIdx.x / warp_threads;
    window_sum carried{0, 0};
    std::int64_t counted = 0;  // of the tiles before
    if (threadIdx.x == 0) sums[0] = carried;
    for (std::int64_t tile = 0; tile < count; tile += blockDim.x) {
        const std::int64_t i = tile + threadIdx.x;
        const bool counts = i < count && (left_out == nullptr || left_out[i] == 0);
        const double confidence = counts ? exp(static_cast<double>(log_p[i])) : 0;
        window_sum sum = scan_of_warp({confidence, 0});
        const unsigned votes = __ballot_sync(all_lanes, counts);
        __syncthreads();  // the tile before has read the warps' sums
        if (lane == warp_threads - 1) {
            warps[warp] = sum;
            counted_of_warp[warp] = static_cast<unsigned>(__popc(votes));
        }
        __syncthreads();
        // The place among the tokens that count, from 1.
        std::int64_t place = counted + __popc(votes & ((2U << lane) - 1));
        for (unsigned w = 0; w < blockDim.x / warp_threads; ++w) {
            if (w < warp) place += counted_of_warp[w];
            counted += counted_of_warp[w];
        }
        // Every warp computes the scan of the warps' sums itself.
        const window_sum own = lane < blockDim.x / warp_threads ? warps[lane] : window_sum{0, 0};
        const window_sum all = scan_of_warp(own);
        const int before_this = static_cast<int>(warp) - 1;
        const window_sum before{__shfl_sync(all_lanes, all.value, before_this & 31),
                                __shfl_sync(all_lanes, all.lost, before_this & 31)};
        if (warp > 0) sum = plus(before, sum);
        if (counts) sums[place] = plus(carried, sum);
        const window_sum tile_sum{__shfl_sync(all_lanes, all.value, warp_threads - 1),
                                  __shfl_sync(all_lanes, all.lost, warp_threads - 1)};
        carried = plus(carried, tile_sum);
    }
    __syncthreads();
    return counted;
}

__device__ window_minimum hardest(const window_sum* sums, std::int64_t count, std::int64_t size,
                                  double* double_warps, std::int64_t* count_warps) {
    if (count == 0) return {0, 0, 1};
    if (count < size) return {0, count, window_mean(sums, 0, count)};
    double least = INFINITY;
    for (std::int64_t t = threadIdx.x; t < count; t += blockDim.x) {
        const double mean = window_at(sums, t, count, size).mean;
        if (mean < least) least = mean;
    }
    least = block_reduce(least, static_cast<double>(INFINITY), double_warps, smaller_of());
    const double absolute = window_rounding(sums[count], count);
    std::int64_t first = count - 1;
    for (std::int64_t t = threadIdx.x; t < count; t += blockDim.x) {
        if (is_less(least, window_at(sums, t, count, size).mean, absolute)) continue;
        if (t < first) first = t;
        break;
    }
    first = block_reduce(first, count - 1, count_warps, smaller_of());
    return window_at(sums, first, count, size);
}

__global__ void __launch_bounds__(region_threads)
    regions_of_samples(region_settings settings, region_batch batch) {
    __shared__ double double_warps[warp_threads];
    __shared__ std::int64_t count_warps[warp_threads];
    const std::size_t sample = blockIdx.x;
    const std::int64_t row = batch.first_row[sample], count = batch.first_row[sample + 1] - row;
    const float* const log_p = batch.log_probability + row;

    sample_region result{};
    result.weight = 1;
    result.window = {0, 0, 1};
    if (settings.rule == token_rule::masks && settings.reweight) {
        window_sum* const sums = batch.sums + row + sample;
        const std::int64_t counted =
            sum_up(log_p, batch.left_out == nullptr ? nullptr : batch.left_out + row, count, sums);
        result.window = hardest(sums, counted, static_cast<std::int64_t>(settings.window),
                                double_warps, count_warps);
        if (count > 0) result.weight = weight_of(settings, result.window.mean);
    }

    const double divisor = divisor_of(settings, count);
    double loss = 0, nll = 0, confidences = 0;
    std::int64_t kept = 0, unusual = 0;
    for (std::int64_t t = threadIdx.x; t < count; t += blockDim.x) {
        const double value = static_cast<double>(log_p[t]), confidence = exp(value);
        const double power =
            settings.rule == token_rule::entropy
                ? pow(static_cast<double>(batch.entropy[row + t]) / entropy_scale, settings.alpha)
                : 0;
        const bool sensitive = batch.sensitive != nullptr && batch.sensitive[row + t] != 0;
        const bool droppable = batch.droppable == nullptr || batch.droppable[row + t] != 0;
        const double k = token_coefficient(settings, confidence, power, sensitive, droppable);
        if (k != 0) ++kept;
        const double weighted = result.weight * k;
        batch.row_scale[row + t] = static_cast<float>(weighted / divisor);
        if (weighted != 0) loss -= weighted * value;
        nll -= value;
        confidences += confidence;
        if (!isfinite(value)) ++unusual;
    }
    loss = block_reduce(loss, 0.0, double_warps, sum_of());
    nll = block_reduce(nll, 0.0, double_warps, sum_of());
    confidences = block_reduce(confidences, 0.0, double_warps, sum_of());
    kept = block_reduce(kept, std::int64_t{0}, count_warps, sum_of());
    unusual = block_reduce(unusual, std::int64_t{0}, count_warps, sum_of());
    if (unusual != 0)
        for (std::int64_t t = threadIdx.x; t < count; t += blockDim.x)
            batch.row_scale[row + t] = NAN;
    if (threadIdx.x != 0) return;
    result.loss = count == 0 ? 0 : loss / divisor;
    result.nll = nll;
    result.mean_confidence = count == 0 ? 0 : confidences / static_cast<double>(count);
    result.kept = kept;
    result.finite = unusual == 0 ? 1 : 0;
    batch.results[sample] = result;
}

}  // namespace

device_error regions(const region_settings& settings, const region_batch& batch,
                     device_stream stream) {
    if (settings.window == 0 || batch.samples > 0x7fffffffU) return cudaErrorInvalidValue;
    if (settings.rule == token_rule::entropy && batch.entropy == nullptr)
        return cudaErrorInvalidValue;
    if (batch.samples == 0) return cudaSuccess;
    regions_of_samples<<<static_cast<unsigned>(batch.samples), region_threads, 0, stream>>>(
        settings, batch);
    return cudaGetLastError();
}

}  // namespace cuset::kernels

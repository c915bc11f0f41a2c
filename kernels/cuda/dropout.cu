// The GPU version of dropout.h: one block for each row. Memory bounds it: the hash takes about a
// dozen integer instructions an element, a quarter of the time that memory takes for its 4 bytes.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "../both_sides.h"
#include "cuset/kernels/dropout.h"
#include "elements.cuh"

namespace cuset::kernels {
namespace {

constexpr unsigned dropout_threads = 256;

/// The number of elements that a thread takes at a time if rows begin at multiples of 16 bytes.
constexpr unsigned dropout_vector = 8;

__device__ void read(const float* from, float (&x)[1]) { x[0] = *from; }
__device__ void read(const __nv_bfloat16* from, float (&x)[1]) { x[0] = widened(*from); }
__device__ void read(const float* from, float (&x)[8]) {
    const float4 low = reinterpret_cast<const float4*>(from)[0];
    const float4 high = reinterpret_cast<const float4*>(from)[1];
    x[0] = low.x;
    x[1] = low.y;
    x[2] = low.z;
    x[3] = low.w;
    x[4] = high.x;
    x[5] = high.y;
    x[6] = high.z;
    x[7] = high.w;
}
__device__ void read(const __nv_bfloat16* from, float (&x)[8]) {
    unpack(*reinterpret_cast<const uint4*>(from), x);
}

template <class Out>
__device__ void write(const float (&x)[1], Out* to) {
    put(x[0], to);
}
template <class Out>
__device__ void write(const float (&x)[8], Out* to) {
    put_vector(x, to);
}

/// The sample of a row is the last one that begins at or before it.
__device__ const dropout_sample& sample_of(const dropout_rows& rows, std::int64_t row) {
    std::size_t low = 0, high = rows.sample_count;
    while (high - low > 1) {
        const std::size_t middle = (low + high) / 2;
        if (rows.samples[middle].first_row <= row)
            low = middle;
        else
            high = middle;
    }
    return rows.samples[low];
}

template <class In, class Out, bool adds, unsigned step>
__global__ void __launch_bounds__(dropout_threads) dropout_of_rows(dropout_rows rows) {
    const std::size_t row = blockIdx.x;
    const dropout_sample& sample = sample_of(rows, static_cast<std::int64_t>(row));
    const std::uint64_t key = key_of_site(sample.key, rows.site);
    const auto first =
        static_cast<std::uint32_t>((row - static_cast<std::size_t>(sample.first_row)) * rows.width);
    const In* const x = static_cast<const In*>(rows.x) + row * rows.width;
    Out* const y = static_cast<Out*>(rows.y) + row * rows.width;
    for (std::size_t i = threadIdx.x * step; i < rows.width; i += dropout_threads * step) {
        float values[step], sums[step];
        read(x + i, values);
        if (adds) read(y + i, sums);
#pragma unroll
        for (unsigned k = 0; k < step; ++k) {
            const std::uint32_t hash = dropout_hash(first + static_cast<std::uint32_t>(i) + k, key);
            // Product and sum are rounded separately, as on the CPU: a fused multiply-add would
            // give other bits.
            const float kept = hash >= rows.threshold ? __fmul_rn(values[k], rows.scale) : 0.0F;
            values[k] = adds ? __fadd_rn(sums[k], kept) : kept;
        }
        write(values, y + i);
    }
}

bool begins_at_vectors(const void* base) {
    return reinterpret_cast<std::uintptr_t>(base) % 16 == 0;
}

template <class In, class Out, bool adds>
void launch(const dropout_rows& rows, device_stream stream) {
    const auto blocks = static_cast<unsigned>(rows.rows);
    if (rows.width % dropout_vector == 0 && begins_at_vectors(rows.x) && begins_at_vectors(rows.y))
        dropout_of_rows<In, Out, adds, dropout_vector>
            <<<blocks, dropout_threads, 0, stream>>>(rows);
    else
        dropout_of_rows<In, Out, adds, 1><<<blocks, dropout_threads, 0, stream>>>(rows);
}

template <class In, class Out>
void launch(const dropout_rows& rows, device_stream stream) {
    if (rows.add)
        launch<In, Out, true>(rows, stream);
    else
        launch<In, Out, false>(rows, stream);
}

template <class In>
void launch(const dropout_rows& rows, device_stream stream) {
    if (rows.y_type == dropout_type::bfloat16)
        launch<In, __nv_bfloat16>(rows, stream);
    else
        launch<In, float>(rows, stream);
}

}  // namespace

device_error dropout(const dropout_rows& rows, device_stream stream) {
    if (rows.rows == 0 || rows.width == 0) return cudaSuccess;
    if (rows.rows > 0x7fffffffU || rows.sample_count == 0) return cudaErrorInvalidValue;
    if (rows.x_type == dropout_type::bfloat16)
        launch<__nv_bfloat16>(rows, stream);
    else
        launch<float>(rows, stream);
    return cudaGetLastError();
}

}  // namespace cuset::kernels

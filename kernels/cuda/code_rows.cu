// The GPU version of code_rows.h. Memory bounds it: 0.5 or 1 byte is read an element, and 2 or 4
// are written.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "cuset/kernels/code_rows.h"
#include "elements.cuh"

namespace cuset::kernels {
namespace {

constexpr unsigned code_threads = 256;
/// The number of elements that a thread makes at a time. They are in one block of NF4.
constexpr unsigned code_vector = 8;
/// How often a thread does so: the table of NF4's values is then set up once for 8192 elements.
constexpr unsigned code_turns = 4;
static_assert(nf4_block % code_vector == 0);

struct nf4_table {
    float values[nf4_codes];
};

/// The absmax of a block of NF4. Product and sum are rounded separately, as on the CPU.
__device__ float absmax_of(const code_rows& matrix, std::size_t block) {
    if (matrix.scales != nullptr) return matrix.scales[block];
    const nested_scales& nested = matrix.nested;
    return __fadd_rn(
        __fmul_rn(nested.values[nested.codes[block]], nested.groups[block / nf4_group]),
        nested.offset);
}

/// Elements [first, first + count), in x[0] to x[count - 1]; count is code_vector, but at the end.
__device__ void read_nf4(const code_rows& matrix, const float* values, std::size_t first,
                         unsigned count, float (&x)[code_vector]) {
    const float scale = absmax_of(matrix, first / nf4_block);
    const auto* const bytes = static_cast<const std::uint8_t*>(matrix.codes) + first / 2;
    std::uint32_t word = 0;  // the first byte is the lowest
    if (count == code_vector) {
        word = *reinterpret_cast<const std::uint32_t*>(bytes);
    } else {
        for (unsigned i = 0; i < (count + 1) / 2; ++i)
            word |= static_cast<std::uint32_t>(bytes[i]) << (8 * i);
    }
#pragma unroll
    for (unsigned i = 0; i < code_vector; ++i) {
        const unsigned code = word >> (i / 2 * 8 + (i % 2 == 0 ? 4 : 0)) & 15;
        x[i] = __fmul_rn(values[code], scale);
    }
}

__device__ void read_int8(const code_rows& matrix, std::size_t first, unsigned count,
                          float (&x)[code_vector]) {
    const auto* const codes = static_cast<const std::int8_t*>(matrix.codes) + first;
    // A division of 64 bits takes about as long as all else.
    std::size_t row =
        matrix.elements <= 0xffffffffU
            ? static_cast<std::uint32_t>(first) / static_cast<std::uint32_t>(matrix.columns)
            : first / matrix.columns;
    std::size_t left = (row + 1) * matrix.columns - first;  // of the row
    float scale = matrix.scales[row];
    std::uint64_t word = 0;
    if (count == code_vector) {
        word = *reinterpret_cast<const std::uint64_t*>(codes);
    } else {
        for (unsigned i = 0; i < count; ++i)
            word |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(codes[i])) << (8 * i);
    }
#pragma unroll
    for (unsigned i = 0; i < code_vector; ++i) {
        if (i < count && left == 0) {
            scale = matrix.scales[++row];
            left = matrix.columns;
        }
        --left;
        const auto code = static_cast<std::int8_t>(word >> (8 * i) & 255);
        x[i] = __fmul_rn(static_cast<float>(code), scale);
    }
}

template <code_format format, class Out>
__global__ void __launch_bounds__(code_threads)
    elements_of_codes(code_rows matrix, nf4_table table, Out* to) {
    // Lanes look up different values at once, which constant memory would give one by one. 16
    // values are in 16 banks.
    __shared__ float values[nf4_codes];
    if (format == code_format::nf4) {
        if (threadIdx.x < nf4_codes) values[threadIdx.x] = table.values[threadIdx.x];
        __syncthreads();
    }
    constexpr std::size_t step = code_threads * code_vector;
    std::size_t first = std::size_t{blockIdx.x} * (step * code_turns) + threadIdx.x * code_vector;
    for (unsigned turn = 0; turn < code_turns && first < matrix.elements; ++turn, first += step) {
        const std::size_t rest = matrix.elements - first;
        const unsigned count = rest < code_vector ? static_cast<unsigned>(rest) : code_vector;
        float x[code_vector];
        if (format == code_format::nf4)
            read_nf4(matrix, values, first, count, x);
        else
            read_int8(matrix, first, count, x);
        if (count == code_vector) {
            put_vector(x, to + first);
        } else {
#pragma unroll
            for (unsigned i = 0; i < code_vector; ++i)
                if (i < count) put(x[i], to + first + i);
        }
    }
}

template <code_format format, class Out>
void launch(const code_rows& matrix, unsigned blocks, void* to, device_stream stream) {
    nf4_table table{};
    for (std::size_t i = 0; i < nf4_codes; ++i) table.values[i] = nf4_values[i];
    elements_of_codes<format>
        <<<blocks, code_threads, 0, stream>>>(matrix, table, static_cast<Out*>(to));
}

template <code_format format>
void launch(const code_rows& matrix, unsigned blocks, void* to, value_type type,
            device_stream stream) {
    if (type == value_type::bfloat16)
        launch<format, __nv_bfloat16>(matrix, blocks, to, stream);
    else
        launch<format, float>(matrix, blocks, to, stream);
}

bool is_multiple(const void* address, std::uintptr_t of) {
    return reinterpret_cast<std::uintptr_t>(address) % of == 0;
}

bool has_scales(const code_rows& matrix) {
    const nested_scales& nested = matrix.nested;
    if (matrix.scales != nullptr) return is_multiple(matrix.scales, sizeof(float));
    return matrix.format == code_format::nf4 && nested.codes != nullptr &&
           nested.groups != nullptr && nested.values != nullptr;
}

}  // namespace

device_error dequantise(const code_rows& matrix, void* to, value_type type, device_stream stream) {
    if (matrix.elements == 0) return cudaSuccess;
    constexpr std::size_t part = std::size_t{code_threads} * code_vector * code_turns;
    const std::size_t blocks = (matrix.elements - 1) / part + 1;
    const bool int8 = matrix.format == code_format::int8;
    if (blocks > 0x7fffffffU || !is_multiple(matrix.codes, 8) || !is_multiple(to, 16) ||
        !has_scales(matrix) || (int8 && matrix.columns == 0))
        return cudaErrorInvalidValue;
    if (int8)
        launch<code_format::int8>(matrix, static_cast<unsigned>(blocks), to, type, stream);
    else
        launch<code_format::nf4>(matrix, static_cast<unsigned>(blocks), to, type, stream);
    return cudaGetLastError();
}

}  // namespace cuset::kernels

// The GPU version of token_loss.h: one block for each row.
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cfloat>
#include <cstdint>

#include "block_reduce.cuh"
#include "cuset/kernels/token_loss.h"
#include "elements.cuh"

namespace cuset::kernels {
namespace {

/// The number of 16-byte vectors that a thread requests before it uses the first. With 1024 threads
/// 64 KiB are in flight on each multiprocessor: twice memory's latency times its rate.
constexpr unsigned batch = 4;

struct loss_arguments {
    const void* logits;
    void* gradient;
    std::size_t stride, gradient_stride;
    unsigned vocabulary;
    unsigned cached;  ///< 16-byte vectors of a row that shared memory keeps
    const std::int32_t* targets;
    const float* scale;
    float *log_probability, *entropy;
};

/// A row as its thread sees it: up to `width` - 1 elements before the first 16-byte boundary and as
/// many after the last, one for each thread, and the vectors between them.
template <class In>
struct row_parts {
    static constexpr unsigned width = 16 / sizeof(In);
    const In* row;
    const uint4* body;
    uint4* cache;
    unsigned head, vectors, singles, cached;

    __device__ row_parts(const In* from, unsigned size, uint4* shared, unsigned most_cached)
        : row(from), cache(shared) {
        const auto misplaced = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % 16);
        head = misplaced == 0 ? 0 : (16 - misplaced) / static_cast<unsigned>(sizeof(In));
        if (head > size) head = size;
        vectors = (size - head) / width;
        singles = size - vectors * width;
        body = reinterpret_cast<const uint4*>(from + head);
        cached = most_cached < vectors ? most_cached : vectors;
    }
    /// The position of single element k.
    __device__ unsigned single(unsigned k) const { return k < head ? k : k + vectors * width; }
    /// A thread reads only what it wrote to the cache itself, so no barrier is needed between.
    __device__ uint4 again(unsigned v) const { return v < cached ? cache[v] : body[v]; }

    /// Calls each(x) for this thread's elements.
    template <class Each>
    __device__ void for_own(Each& each) const {
        if (threadIdx.x < singles) each(widened(row[single(threadIdx.x)]));
        for (unsigned v = threadIdx.x; v < vectors; v += blockDim.x) {
            float x[width];
            unpack(again(v), x);
#pragma unroll
            for (unsigned i = 0; i < width; ++i) each(x[i]);
        }
    }
};

/// Σ e^(x - maximum) of the elements so far (online softmax: Milakov and Gimelshein, arXiv
/// 1805.02867). The maximum starts at the lowest float, so that -inf gives e^-inf = 0 and never
/// -inf - -inf. NaN compares false and reaches the sum, as does +inf - +inf.
struct running_sum {
    float maximum = -FLT_MAX, sum = 0;

    __device__ void add(float x) {
        raise(x);
        sum += __expf(x - maximum);
    }
    template <unsigned n>
    __device__ void add(const float (&x)[n]) {
        float most = x[0];
#pragma unroll
        for (unsigned i = 1; i < n; ++i) most = fmaxf(most, x[i]);
        raise(most);
        float part = 0;
#pragma unroll
        for (unsigned i = 0; i < n; ++i) part += __expf(x[i] - maximum);
        sum += part;
    }
    __device__ void raise(float x) {
        if (x > maximum) {
            sum *= __expf(maximum - x);
            maximum = x;
        }
    }
};

/// The largest of a thread's elements below a level, and how many equal the level.
struct below_level {
    float level, next = -INFINITY;
    unsigned equal = 0;
    __device__ void operator()(float x) {
        if (x == level) ++equal;
        if (x < level && x > next) next = x;
    }
};

/// The entropy of the largest top_entropy_tokens elements; only thread 0's result counts. The block
/// takes its largest value, as often as it occurs, and then the next one: the threads that hold it
/// search their own elements for their next. `own` is the thread's largest.
template <class In>
__device__ float entropy_of_largest(const row_parts<In>& parts, float own, float largest,
                                    float* float_warps, unsigned* count_warps) {
    unsigned taken = 0;
    double sum = 0, weighted = 0;  // of e^(x - largest) and of (x - largest) · e^(x - largest)
    while (taken < top_entropy_tokens) {
        const float level = block_reduce(own, -INFINITY, float_warps, larger_of());
        if (level == -INFINITY) break;
        unsigned equal = 0;
        if (own == level) {
            below_level found{level};
            parts.for_own(found);
            own = found.next;
            equal = found.equal;
        }
        unsigned count = block_reduce(equal, 0U, count_warps, sum_of());
        const auto left = static_cast<unsigned>(top_entropy_tokens) - taken;
        if (count > left) count = left;
        taken += count;
        if (threadIdx.x == 0) {
            const double below = static_cast<double>(level) - static_cast<double>(largest);
            sum += count * exp(below);
            weighted += count * (below * exp(below));
        }
    }
    return static_cast<float>(log(sum) - weighted / sum);
}

template <class In, class Out>
__device__ void write_gradient(const row_parts<In>& parts, Out* to, float maximum, float factor) {
    constexpr unsigned width = row_parts<In>::width;
    if (threadIdx.x < parts.singles) {
        const unsigned i = parts.single(threadIdx.x);
        put(__expf(widened(parts.row[i]) - maximum) * factor, to + i);
    }
    Out* const body = to + parts.head;
    const bool aligned = reinterpret_cast<std::uintptr_t>(body) % (width * sizeof(Out)) == 0;
    // Goes backwards: if shared memory cannot hold a row, its end is most likely in L2.
    const unsigned step = blockDim.x;
    const unsigned turns =
        parts.vectors > threadIdx.x ? (parts.vectors - threadIdx.x - 1) / step + 1 : 0;
    for (unsigned done = 0; done < turns; done += batch) {
        uint4 held[batch];
#pragma unroll
        for (unsigned b = 0; b < batch; ++b)
            if (done + b < turns)
                held[b] = parts.again(threadIdx.x + (turns - 1 - done - b) * step);
#pragma unroll
        for (unsigned b = 0; b < batch; ++b) {
            if (done + b >= turns) break;
            float x[width];
            unpack(held[b], x);
#pragma unroll
            for (unsigned i = 0; i < width; ++i) x[i] = __expf(x[i] - maximum) * factor;
            Out* const at =
                body + (threadIdx.x + (turns - 1 - done - b) * step) * std::size_t{width};
            if (aligned) {
                put_vector(x, at);
            } else {
#pragma unroll
                for (unsigned i = 0; i < width; ++i) put(x[i], at + i);
            }
        }
    }
}

template <class In, class Out>
__global__ void __launch_bounds__(1024) loss_of_rows(loss_arguments a) {
    extern __shared__ uint4 row_cache[];
    __shared__ float float_warps[warp_threads];
    __shared__ unsigned count_warps[warp_threads];
    const std::size_t row = blockIdx.x;
    const In* const from = static_cast<const In*>(a.logits) + row * a.stride;
    const row_parts<In> parts(from, a.vocabulary, row_cache, a.cached);
    const std::int32_t target = a.targets[row];
    const float target_logit = widened(from[target]);

    running_sum running;
    if (threadIdx.x < parts.singles) running.add(widened(from[parts.single(threadIdx.x)]));
    for (unsigned first = threadIdx.x; first < parts.vectors; first += batch * blockDim.x) {
        uint4 held[batch];
#pragma unroll
        for (unsigned b = 0; b < batch; ++b) {
            const unsigned v = first + b * blockDim.x;
            if (v < parts.vectors) held[b] = parts.body[v];
        }
#pragma unroll
        for (unsigned b = 0; b < batch; ++b) {
            const unsigned v = first + b * blockDim.x;
            if (v >= parts.vectors) break;
            if (v < parts.cached) parts.cache[v] = held[b];
            float x[row_parts<In>::width];
            unpack(held[b], x);
            running.add(x);
        }
    }
    const float maximum = block_reduce(running.maximum, -FLT_MAX, float_warps, larger_of());
    const float total =
        block_reduce(running.sum * __expf(running.maximum - maximum), 0.0F, float_warps, sum_of());
    // There is no distribution if every logit is -inf.
    const bool is_distribution = total > 0 && total < INFINITY;

    if (a.entropy != nullptr) {
        const float entropy = is_distribution ? entropy_of_largest(parts, running.maximum, maximum,
                                                                   float_warps, count_warps)
                                              : NAN;
        if (threadIdx.x == 0) a.entropy[row] = entropy;
    }
    const float log_p = (target_logit - maximum) - logf(total);
    if (threadIdx.x == 0)
        a.log_probability[row] = is_distribution ? (log_p > 0 ? 0.0F : log_p) : NAN;

    if (a.gradient == nullptr) return;
    Out* const to = static_cast<Out*>(a.gradient) + row * a.gradient_stride;
    const float scale = a.scale == nullptr ? 1.0F : a.scale[row];
    write_gradient(parts, to, maximum, is_distribution ? scale / total : NAN);
    __syncthreads();  // so that this is the last word on the target
    if (threadIdx.x == 0)
        put(is_distribution ? (__expf(target_logit - maximum) / total - 1.0F) * scale : NAN,
            to + target);
}

/// The dynamic shared memory in bytes for rows of `row_bytes`, and the threads of a block. Rows
/// that leave room for two blocks hide each other's latency; larger rows get all of the memory.
struct block_shape {
    unsigned threads, cache_bytes;
};

block_shape shape_for(std::size_t row_bytes, int most_bytes) {
    const std::size_t most = static_cast<std::size_t>(most_bytes) / 1024 * 1024 - 2048;
    const std::size_t half = most / 2048 * 1024;
    const std::size_t bytes = row_bytes / 16 * 16;
    if (bytes <= half) return {bytes < 16384 ? 256U : 512U, static_cast<unsigned>(bytes)};
    return {1024U, static_cast<unsigned>(bytes < most ? bytes : most)};
}

template <class In, class Out>
cudaError_t launch(loss_arguments arguments, std::size_t rows, cudaStream_t stream) {
    int device = 0, most_bytes = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error =
            cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error != cudaSuccess) return error;
    const block_shape shape = shape_for(arguments.vocabulary * sizeof(In), most_bytes);
    arguments.cached = shape.cache_bytes / 16;
    error = cudaFuncSetAttribute(loss_of_rows<In, Out>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(shape.cache_bytes));
    if (error != cudaSuccess) return error;
    loss_of_rows<In, Out>
        <<<static_cast<unsigned>(rows), shape.threads, shape.cache_bytes, stream>>>(arguments);
    return cudaGetLastError();
}

}  // namespace

device_error token_loss(const token_loss_rows& rows, device_stream stream) {
    if (!is_valid(rows)) return cudaErrorInvalidValue;
    if (rows.rows == 0) return cudaSuccess;
    const loss_arguments arguments{rows.logits,
                                   rows.gradient,
                                   rows.stride,
                                   rows.gradient_stride,
                                   static_cast<unsigned>(rows.vocabulary),
                                   0,
                                   rows.targets,
                                   rows.scale,
                                   rows.log_probability,
                                   rows.entropy};
    if (rows.type == logit_type::bfloat16)
        return launch<__nv_bfloat16, __nv_bfloat16>(arguments, rows.rows, stream);
    if (rows.gradient != nullptr && rows.gradient_type == logit_type::bfloat16)
        return launch<float, __nv_bfloat16>(arguments, rows.rows, stream);
    return launch<float, float>(arguments, rows.rows, stream);
}

}  // namespace cuset::kernels

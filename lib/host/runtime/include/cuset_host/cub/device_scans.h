// CUB's device-wide scans, also of parts with the same key.
#pragma once

#include <cuset_host/cub/device_algorithms.h>

namespace cub {

/// Scans may be made in place.
struct DeviceScan {
    template <class In, class Out, class Op, class T, class N, cuset_host::if_number<N> = 0>
    static cudaError_t ExclusiveScan(void* storage, std::size_t& bytes, In in, Out out, Op op,
                                     T first, N count, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            cuset_host::accumulator_of<Op, T, cuset_host::item_of<In>> sum = first;
            for (N i = 0; i < count; ++i) {
                const auto next = op(sum, in[i]);
                out[i] = sum;
                sum = next;
            }
        });
    }
    template <class In, class Op, class T, class N, cuset_host::if_number<N> = 0>
    static cudaError_t ExclusiveScan(void* storage, std::size_t& bytes, In in, Op op, T first,
                                     N count, cudaStream_t stream = nullptr) {
        return ExclusiveScan(storage, bytes, in, in, op, first, count, stream);
    }
    template <class In, class Out, class Op, class N, cuset_host::if_number<N> = 0>
    static cudaError_t InclusiveScan(void* storage, std::size_t& bytes, In in, Out out, Op op,
                                     N count, cudaStream_t stream = nullptr) {
        using T = cuset_host::item_of<In>;
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            if (count <= 0) return;
            cuset_host::accumulator_of<Op, T, T> sum = in[0];
            out[0] = sum;
            for (N i = 1; i < count; ++i) out[i] = sum = op(sum, in[i]);
        });
    }
    template <class In, class Op, class N, cuset_host::if_number<N> = 0>
    static cudaError_t InclusiveScan(void* storage, std::size_t& bytes, In in, Op op, N count,
                                     cudaStream_t stream = nullptr) {
        return InclusiveScan(storage, bytes, in, in, op, count, stream);
    }
    template <class In, class Out, class N, cuset_host::if_number<N> = 0>
    static cudaError_t ExclusiveSum(void* storage, std::size_t& bytes, In in, Out out, N count,
                                    cudaStream_t stream = nullptr) {
        return ExclusiveScan(storage, bytes, in, out, cub::Sum(), cuset_host::item_of<In>(), count,
                             stream);
    }
    template <class In, class N, cuset_host::if_number<N> = 0>
    static cudaError_t ExclusiveSum(void* storage, std::size_t& bytes, In in, N count,
                                    cudaStream_t stream = nullptr) {
        return ExclusiveSum(storage, bytes, in, in, count, stream);
    }
    template <class In, class Out, class N, cuset_host::if_number<N> = 0>
    static cudaError_t InclusiveSum(void* storage, std::size_t& bytes, In in, Out out, N count,
                                    cudaStream_t stream = nullptr) {
        return InclusiveScan(storage, bytes, in, out, cub::Sum(), count, stream);
    }
    template <class In, class N, cuset_host::if_number<N> = 0>
    static cudaError_t InclusiveSum(void* storage, std::size_t& bytes, In in, N count,
                                    cudaStream_t stream = nullptr) {
        return InclusiveSum(storage, bytes, in, in, count, stream);
    }
    template <class In, class Out, class Op, class T, class N>
    static cudaError_t InclusiveScanInit(void* storage, std::size_t& bytes, In in, Out out, Op op,
                                         T first, N count, cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            cuset_host::accumulator_of<Op, T, cuset_host::item_of<In>> sum = first;
            for (N i = 0; i < count; ++i) {
                sum = op(sum, in[i]);
                out[i] = sum;
            }
        });
    }
    template <class Keys, class In, class Out, class Op, class N, class Same = Equality,
              cuset_host::if_number<N> = 0>
    static cudaError_t InclusiveScanByKey(void* storage, std::size_t& bytes, Keys keys, In in,
                                          Out out, Op op, N count, Same same = {},
                                          cudaStream_t stream = nullptr) {
        using T = cuset_host::item_of<In>;
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            cuset_host::accumulator_of<Op, T, T> sum{};
            for (N i = 0; i < count; ++i) {
                if (i == 0 || !same(keys[i - 1], keys[i]))
                    sum = in[i];
                else
                    sum = op(sum, in[i]);
                out[i] = sum;
            }
        });
    }
    template <class Keys, class In, class Out, class Op, class T, class N, class Same = Equality,
              cuset_host::if_number<N> = 0>
    static cudaError_t ExclusiveScanByKey(void* storage, std::size_t& bytes, Keys keys, In in,
                                          Out out, Op op, T first, N count, Same same = {},
                                          cudaStream_t stream = nullptr) {
        return cuset_host::library_call(storage, bytes, stream, [=]() mutable {
            cuset_host::accumulator_of<Op, T, cuset_host::item_of<In>> sum = first;
            for (N i = 0; i < count; ++i) {
                if (i == 0 || !same(keys[i - 1], keys[i])) sum = first;
                const auto next = op(sum, in[i]);
                out[i] = sum;
                sum = next;
            }
        });
    }
    template <class Keys, class In, class Out, class N, class Same = Equality>
    static cudaError_t InclusiveSumByKey(void* storage, std::size_t& bytes, Keys keys, In in,
                                         Out out, N count, Same same = {},
                                         cudaStream_t stream = nullptr) {
        return InclusiveScanByKey(storage, bytes, keys, in, out, cub::Sum(), count, same, stream);
    }
    template <class Keys, class In, class Out, class N, class Same = Equality>
    static cudaError_t ExclusiveSumByKey(void* storage, std::size_t& bytes, Keys keys, In in,
                                         Out out, N count, Same same = {},
                                         cudaStream_t stream = nullptr) {
        return ExclusiveScanByKey(storage, bytes, keys, in, out, cub::Sum(),
                                  cuset_host::item_of<In>(), count, same, stream);
    }
};

}  // namespace cub

// What a program with Thrust has besides: the names of Thrust's CUDA system, which here is its
// sequential one.
#pragma once

#include <thrust/execution_policy.h>

// What a program finds that includes any header of Thrust.
#include <cuset_host/library_work.h>

#include <cmath>
#include <iostream>
#include <utility>

THRUST_NAMESPACE_BEGIN
namespace cuda {

/// A policy of the sequential system that takes a stream, which means nothing to it.
template <class Base>
struct policy_on : Base {
    using Base::Base;
    explicit policy_on(const Base& base) : Base(base) {}
    Base on(cudaStream_t) const { return *this; }
};

/// thrust::cuda::par: `par` itself, `par.on(stream)` and `par(allocator).on(stream)`.
struct policy : policy_on<thrust::system::cpp::detail::par_t> {
    template <class Allocator>
    auto operator()(Allocator&& allocator) const {
        const thrust::system::cpp::detail::par_t& all = *this;
        return policy_on<decltype(all(static_cast<Allocator&&>(allocator)))>(
            all(static_cast<Allocator&&>(allocator)));
    }
};
static const policy par{};
static const policy par_nosync{};

}  // namespace cuda
namespace system {
namespace cuda {
using thrust::cuda::par;
using thrust::cuda::par_nosync;
}  // namespace cuda
}  // namespace system
THRUST_NAMESPACE_END

namespace cuset_host {
inline const bool thrust_works = begin_library_work();
}  // namespace cuset_host

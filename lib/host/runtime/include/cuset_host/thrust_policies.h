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

/// thrust::cuda::par: `par` itself and `par.on(stream)` are the sequential system's policy.
struct policy : thrust::system::cpp::detail::par_t {
    thrust::system::cpp::detail::par_t on(cudaStream_t) const { return {}; }
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

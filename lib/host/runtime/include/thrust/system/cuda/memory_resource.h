// In place of Thrust's file of this name: Thrust's CUDA system is its sequential one here.
#pragma once

#include <thrust/system/cpp/memory_resource.h>

THRUST_NAMESPACE_BEGIN
namespace system {
namespace cuda {
using thrust::system::cpp::memory_resource;
using thrust::system::cpp::universal_host_pinned_memory_resource;
using thrust::system::cpp::universal_memory_resource;
}  // namespace cuda
}  // namespace system
namespace cuda {
using namespace thrust::system::cuda;
}  // namespace cuda
THRUST_NAMESPACE_END

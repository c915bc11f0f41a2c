// In place of Thrust's file of this name: Thrust's CUDA system is its sequential one here.
#pragma once

#include <thrust/system/cpp/memory.h>
#include <thrust/system/cpp/pointer.h>
#include <thrust/system/cuda/memory_resource.h>

THRUST_NAMESPACE_BEGIN
namespace system {
namespace cuda {
using thrust::system::cpp::allocator;
using thrust::system::cpp::free;
using thrust::system::cpp::malloc;
using thrust::system::cpp::pointer;
using thrust::system::cpp::reference;
using thrust::system::cpp::universal_allocator;
using thrust::system::cpp::universal_host_pinned_allocator;
using thrust::system::cpp::universal_pointer;
}  // namespace cuda
}  // namespace system
namespace cuda {
using namespace thrust::system::cuda;
}  // namespace cuda
THRUST_NAMESPACE_END

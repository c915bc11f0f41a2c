// In place of Thrust's file of this name: what its vectors hold is memory that kernels see.
#pragma once

#include <thrust/mr/memory_resource.h>

#include <cuset_host/library_work.h>

THRUST_NAMESPACE_BEGIN
namespace mr {

class new_delete_resource_base : public memory_resource<> {
public:
    void* do_allocate(std::size_t bytes, std::size_t = THRUST_MR_DEFAULT_ALIGNMENT) override {
        void* const made = ::cuset_host::library_memory(bytes);
        if (made == nullptr) throw std::bad_alloc();
        return made;
    }
    void do_deallocate(void* p, std::size_t, std::size_t = THRUST_MR_DEFAULT_ALIGNMENT) override {
        ::cuset_host::free_library_memory(p);
    }
};

class new_delete_resource final : public new_delete_resource_base {};

}  // namespace mr
THRUST_NAMESPACE_END

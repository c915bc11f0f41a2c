// Kernels by address or name: how to launch them, and what they need.
#include <algorithm>
#include <cstring>

#include "core/launch_log.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/launch_bounds.h"
#include "cuset_host/threads/named_kernels.h"
#include "shared_layout.h"

namespace cuset_host {

namespace {

const registration*& first_registration() {
    static const registration* first = nullptr;
    return first;
}

// Attributes that older headers do not name.
constexpr int launch_attribute_memory_domain_map = 9, launch_attribute_memory_domain = 10,
              launch_attribute_preferred_cluster = 11, launch_attribute_preferred_carveout = 14;

const kernel_needs*& first_needs() {
    static const kernel_needs* first = nullptr;
    return first;
}

const instance_bounds*& first_bounds() {
    static const instance_bounds* first = nullptr;
    return first;
}

}  // namespace

void registration::add() {
    next_ = first_registration();
    first_registration() = this;
}

const registration* registration::find(const void* function) {
    for (const registration* r = first_registration(); r != nullptr; r = r->next_)
        if (r->function_ == function) return r;
    return nullptr;
}

kernel_needs::kernel_needs(const char* name, unsigned max_threads,
                           std::initializer_list<int> shared, dim3 cluster)
    : name_(name),
      max_threads_(max_threads),
      count_(shared.size()),
      cluster_(cluster),
      next_(first_needs()) {
    shared_ = std::copy(shared.begin(), shared.end(), new int[count_]) - count_;
    first_needs() = this;
}

const kernel_needs* kernel_needs::find(const void* function, const char* name) {
    if (const registration* known = registration::find(function)) name = known->name();
    for (const kernel_needs* n = first_needs(); n != nullptr; n = n->next_)
        if (std::strcmp(n->name_, name) == 0) return n;
    return nullptr;
}

instance_bounds::instance_bounds(const void* kernel, unsigned most)
    : kernel_(kernel), most_(most), next_(first_bounds()) {
    first_bounds() = this;
}

unsigned instance_bounds::find(const void* kernel) {
    if (kernel == nullptr) return 0;
    for (const instance_bounds* b = first_bounds(); b != nullptr; b = b->next_)
        if (b->kernel_ == kernel) return b->most_;
    return 0;
}

unsigned bounds_of(const void* function, const char* name) {
    const kernel_needs* needs = kernel_needs::find(function, name);
    const unsigned most = needs == nullptr ? 0 : needs->max_threads();
    return most != 0 ? most : instance_bounds::find(function);
}

std::size_t kernel_needs::shared_bytes() const {
    std::size_t sum = 0;
    for (const int* number = shared_; number != shared_ + count_; ++number) {
        std::size_t least = 0;
        for (const auto& v : shared_variables())
            if (v.number == *number) least = least == 0 ? v.bytes : std::min(least, v.bytes);
        sum += least;
    }
    return sum;
}

cudaError_t named_launch::by_address(const void* f, const configuration& shape, void** arguments,
                                     bool cooperative) const {
    const registration* known = registration::find(f);
    if (known == nullptr) return set_error(cudaErrorInvalidDeviceFunction);
    return returned(known->run(at_, shape, arguments, cooperative));
}

cudaError_t named_launch::returned(cudaError_t error) {
    log_asked();
    return error;
}

configuration named_launch::shape_of(const cudaLaunchConfig_t& c) {
    configuration shape(c.gridDim, c.blockDim, c.dynamicSmemBytes, c.stream);
    for (unsigned i = 0; i < c.numAttrs; ++i) {
        const cudaLaunchAttribute& a = c.attrs[i];
        switch (static_cast<int>(a.id)) {
            case cudaLaunchAttributeClusterDimension:
                shape.cluster = {a.val.clusterDim.x, a.val.clusterDim.y, a.val.clusterDim.z};
                break;
            case cudaLaunchAttributeCooperative:
            // Kernels run one after another: what only changes their overlap or their place is
            // nothing here.
            case cudaLaunchAttributeIgnore:
            case cudaLaunchAttributePriority:
            case cudaLaunchAttributeAccessPolicyWindow:
            case cudaLaunchAttributeSynchronizationPolicy:
            case cudaLaunchAttributeClusterSchedulingPolicyPreference:
            case launch_attribute_memory_domain_map:
            case launch_attribute_memory_domain:
            case launch_attribute_preferred_cluster:
            case launch_attribute_preferred_carveout: break;
            case cudaLaunchAttributeProgrammaticStreamSerialization:
                shape.overlaps = a.val.programmaticStreamSerializationAllowed != 0;
                note_overlap(c.stream, shape.overlaps);
                break;
            // The launch is done when the call returns.
            case cudaLaunchAttributeProgrammaticEvent:
                cudaEventRecord(a.val.programmaticEvent.event, c.stream);
                break;
            case cudaLaunchAttributeLaunchCompletionEvent:
                cudaEventRecord(a.val.launchCompletionEvent.event, c.stream);
                break;
            default:
                fail("unsupported", "launch attribute " + std::to_string(static_cast<int>(a.id)));
        }
    }
    return shape;
}

bool named_launch::is_cooperative(const cudaLaunchConfig_t& c) {
    bool cooperative = false;
    for (unsigned i = 0; i < c.numAttrs; ++i)
        if (c.attrs[i].id == cudaLaunchAttributeCooperative)
            cooperative = c.attrs[i].val.cooperative != 0;
    return cooperative;
}

}  // namespace cuset_host

// Kernels by address, and launches that name one so.
#include "cuset_host/execution.h"
#include "cuset_host/faults.h"

namespace cuset_host {

namespace {

const registration*& first_registration() {
    static const registration* first = nullptr;
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

cudaError_t named_launch::by_address(const void* f, const configuration& shape, void** arguments,
                                     bool cooperative) const {
    const registration* known = registration::find(f);
    if (known == nullptr) return set_error(cudaErrorInvalidDeviceFunction);
    return known->run(at_, shape, arguments, cooperative);
}

bool named_launch::is_cooperative(const cudaLaunchConfig_t& c) {
    bool cooperative = false;
    for (unsigned i = 0; i < c.numAttrs; ++i) {
        const cudaLaunchAttribute& a = c.attrs[i];
        if (a.id == cudaLaunchAttributeCooperative) {
            cooperative = a.val.cooperative != 0;
        } else if (a.id != cudaLaunchAttributePriority && a.id != cudaLaunchAttributeIgnore) {
            fail("unsupported", "launch attribute " + std::to_string(static_cast<int>(a.id)));
        }
    }
    return cooperative;
}

}  // namespace cuset_host

// __launch_bounds__ that only an instance of a kernel template knows. Other bounds are part of
// kernel_needs (named_kernels.h).
#pragma once

#include <cuset_host/threads/execution.h>

namespace cuset_host {

/// The bounds of an instance, known by its address before the program's main().
class instance_bounds {
public:
    instance_bounds(const void* kernel, unsigned most);
    /// 0 where nothing is known.
    static unsigned find(const void* kernel);

private:
    const void* kernel_;
    unsigned most_;
    const instance_bounds* next_;
};
template <auto kernel, unsigned most>
struct known_bounds {
    static const instance_bounds of_kernel;
};
template <auto kernel, unsigned most>
const instance_bounds known_bounds<kernel, most>::of_kernel(reinterpret_cast<const void*>(kernel),
                                                            most);

/// The most threads a block of a kernel, by __launch_bounds__; 0: any number. Kernels are known by
/// their address, or else by their name.
unsigned bounds_of(const void* function, const char* name);

/// The launch that runs fails as one that a device refuses.
void refuse_launch();

/// Whether the block that runs has more threads than that. The translator lets such a kernel return
/// before its first statement: a launch whose instance nobody knows comes that far.
template <unsigned most>
inline bool exceeds_bounds() {
    if (most == 0 || blockDim.x * blockDim.y * blockDim.z <= most) return false;
    refuse_launch();
    return true;
}
template <auto kernel, unsigned most>
inline bool exceeds_bounds() {
    static_cast<void>(&known_bounds<kernel, most>::of_kernel);
    return exceeds_bounds<most>();
}

}  // namespace cuset_host

// unmodelled: hipDeviceProp_t::numXcc
#include <hip/hip_runtime.h>

int main() {
    hipDeviceProp_t about;
    (void)hipGetDeviceProperties(&about, 0);
    return about.numXcc;
}

// unmodelled: <rocprim/rocprim.hpp>
#include <hip/hip_runtime.h>
#include <rocprim/rocprim.hpp>

int main() { return hipDeviceSynchronize(); }

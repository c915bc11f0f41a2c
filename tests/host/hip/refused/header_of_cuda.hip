// refused: program.cu(3): error: cuda_runtime.h is no header of HIP
#include <hip/hip_runtime.h>
#include <cuda_runtime.h>

int main() { return hipDeviceSynchronize(); }

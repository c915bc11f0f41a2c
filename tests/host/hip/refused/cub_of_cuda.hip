// refused: program.cu(3): error: cub/cub.cuh is no header of HIP
#include <hip/hip_runtime.h>
#include <cub/cub.cuh>

int main() { return hipDeviceSynchronize(); }

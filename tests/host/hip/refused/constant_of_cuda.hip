// refused: program.cu(4): error: CUDA_R_32F is no name of HIP
#include <hip/hip_runtime.h>

hipDataType type() { return CUDA_R_32F; }
int main() { return type() == HIP_R_32F ? 0 : 1; }

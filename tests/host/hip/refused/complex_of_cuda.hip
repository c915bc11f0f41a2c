// refused: program.cu(5): error: cuComplex is no name of HIP
#include <hip/hip_runtime.h>
#include <hip/hip_complex.h>

__global__ void square(cuComplex* z) { *z = hipCmulf(*z, *z); }
int main() {
    hipFloatComplex* z;
    hipMalloc(&z, sizeof *z);
    square<<<1, 1>>>(z);
    return hipFree(z);
}

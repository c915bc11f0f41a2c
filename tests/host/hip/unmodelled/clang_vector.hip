// unmodelled: the attribute ext_vector_type
#include <hip/hip_runtime.h>

typedef float four __attribute__((ext_vector_type(4)));
__global__ void copy(const float* a, float* b) { *(four*)(b + 4 * threadIdx.x) = *(const four*)(a + 4 * threadIdx.x); }
int main() {
    float* x;
    hipMalloc(&x, 256);
    copy<<<1, 8>>>(x, x + 32);
    return hipFree(x);
}

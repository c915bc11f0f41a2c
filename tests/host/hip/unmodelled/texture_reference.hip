// unmodelled: texture references
#include <hip/hip_runtime.h>
texture<float, 1, hipReadModeElementType> values;
__global__ void copy(float* out) { out[threadIdx.x] = tex1Dfetch(values, threadIdx.x); }
int main() {
    float *x, *y;
    hipMalloc(&x, 256); hipMalloc(&y, 256);
    hipBindTexture(nullptr, values, x, 256);
    copy<<<1, 64>>>(y);
    return hipDeviceSynchronize();
}

// wrong: a kernel may begin before the one whose values it reads has ended, and does not
// wait for it: cudaGridDependencySynchronize() is missing (A and B).
// Compile for sm_90.
#include "checked_calls.h"

const int N = 1024, BLOCK = 128;

__global__ void produce(int *x) {
    cudaTriggerProgrammaticLaunchCompletion();
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    x[i] = 3 * i + 1;  // race A
}

__global__ void consume(const int *x, int *y) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    y[i] = x[N - 1 - i];  // race B
}

int main() {
    std::vector<int> got(N);
    int *x, *y;
    CHECK(cudaMalloc(&x, N * sizeof(int)));
    CHECK(cudaMalloc(&y, N * sizeof(int)));
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t shape{};
    shape.gridDim = dim3(N / BLOCK);
    shape.blockDim = dim3(BLOCK);
    shape.attrs = &early;
    shape.numAttrs = 1;
    produce<<<N / BLOCK, BLOCK>>>(x);
    CHECK(cudaLaunchKernelEx(&shape, consume, (const int *)x, y));
    CHECK(cudaMemcpy(got.data(), y, N * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < N; ++i) ok = ok && got[i] == 3 * (N - 1 - i) + 1;
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}

// wrong: a large array of which the search looks at a part of the pages alone. Each element is
// written by two threads of different blocks (A).
#include "checked_calls.h"

__global__ void scatter(float *cells, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cells[i % n] += 1.0f;  // race A
}

int main() {
    const int n = 4 << 20;
    float *cells;
    CHECK(cudaMalloc(&cells, n * sizeof(float)));
    CHECK(cudaMemset(cells, 0, n * sizeof(float)));
    scatter<<<2 * n / 256, 256>>>(cells, n);
    CHECK(cudaGetLastError());
    std::vector<float> got(n);
    CHECK(cudaMemcpy(got.data(), cells, n * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(cells));
    for (const float value : got)
        if (value != 2.0f) return puts("wrong sums"), 1;
    return puts("ok"), 0;
}

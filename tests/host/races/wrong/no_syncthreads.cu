// wrong: threads of a block read their neighbour's cell of a global array with no
// __syncthreads after it is stored, the two lines that race: the store and the read of tmp.
#include "checked_calls.h"

__global__ void differences(const int *in, int *tmp, int *out) {
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    tmp[i] = in[i] * in[i];  // race A
    // missing: __syncthreads()
    int left = tid > 0 ? tmp[i - 1] : 0;  // race B
    out[i] = in[i] * in[i] - left;
}

int main() {
    const int n = 2048, block = 128;
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i * 29 % 103;
    int *in, *tmp, *out;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&tmp, n * sizeof(int)));
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    differences<<<n / block, block>>>(in, tmp, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i)
        ok = ok && got[i] == h[i] * h[i] - (i % block ? h[i - 1] * h[i - 1] : 0);
    CHECK(cudaFree(in));
    CHECK(cudaFree(tmp));
    CHECK(cudaFree(out));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}

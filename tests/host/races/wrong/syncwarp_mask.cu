// wrong: the lower half warp stores and syncs only with itself; the mask leaves out the
// upper lanes, which read, the two lines that race: the store and the read of buf[].
#include "checked_calls.h"

__global__ void mirror(const int *in, int *buf, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int warp = i / 32, lane = i % 32;
    if (lane < 16) {
        buf[warp * 16 + lane] = in[warp * 16 + lane] * 3;  // race A
        __syncwarp(0x0000ffffu);  // should be a full __syncwarp() outside the if
    }
    if (lane >= 16) out[warp * 16 + lane - 16] = buf[warp * 16 + 31 - lane];  // race B
}

int main() {
    const int warps = 24, n = warps * 16;
    std::vector<int> h(n), got(n);
    for (int i = 0; i < n; ++i) h[i] = i * 5 % 71;
    int *in, *buf, *out;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&buf, n * sizeof(int)));
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    mirror<<<warps / 4, 128>>>(in, buf, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i) ok = ok && got[i] == h[i / 16 * 16 + 15 - i % 16] * 3;
    CHECK(cudaFree(in));
    CHECK(cudaFree(buf));
    CHECK(cudaFree(out));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}

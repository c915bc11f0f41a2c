// finds: out_of_bounds line 9
// Threads of the host that launch at the same time, one of them a block too many.
#include <cstdio>
#include <thread>

__global__ void reversed(int* values) {
    __shared__ int cells[64];
    const int t = threadIdx.x;
    cells[t] = values[blockIdx.x * 64 + t];
    __syncthreads();
    values[blockIdx.x * 64 + t] = cells[63 - t];
}

int main() {
    const int rounds = 200;
    std::thread threads[2];
    for (int h = 0; h < 2; ++h)
        threads[h] = std::thread([h] {
            int* values = nullptr;
            int got[64] = {};
            cudaMalloc(&values, sizeof got);
            cudaMemcpy(values, got, sizeof got, cudaMemcpyHostToDevice);
            for (int r = 0; r < rounds; ++r) reversed<<<1, 64>>>(values);
            if (h == 1) reversed<<<2, 64>>>(values);
            cudaMemcpy(got, values, sizeof got, cudaMemcpyDeviceToHost);
            cudaFree(values);
        });
    for (auto& t : threads) t.join();
    std::puts("done");
    return 0;
}

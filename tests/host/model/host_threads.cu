// Threads of the host that launch at the same time, each with a stream and memory of its own.
#include <cstdio>
#include <thread>
#include <vector>

__global__ void fill(int* p, int n, int value) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        p[i] = value + i % 3;
}

int main() {
    const int n = 20000, rounds = 25;
    int wrong[5] = {};
    std::vector<std::thread> threads;
    for (int t = 0; t < 5; ++t)
        threads.emplace_back([t, &wrong] {
            cudaStream_t stream;
            int* memory = nullptr;
            wrong[t] += cudaStreamCreate(&stream) != cudaSuccess;
            wrong[t] += cudaMalloc(&memory, n * sizeof(int)) != cudaSuccess;
            std::vector<int> got(n);
            for (int r = 0; r < rounds; ++r) {
                fill<<<32, 128, 0, stream>>>(memory, n, t * 100 + r);
                cudaMemcpyAsync(got.data(), memory, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
                cudaStreamSynchronize(stream);
                for (int i = 0; i < n; ++i) wrong[t] += got[i] != t * 100 + r + i % 3;
            }
            wrong[t] += cudaFree(memory) != cudaSuccess;
            cudaStreamDestroy(stream);
        });
    for (auto& t : threads) t.join();
    int all = 0;
    for (const int w : wrong) all += w;
    std::puts(all == 0 ? "ok" : "wrong");
    return all != 0;
}

// The cost of a barrier: blocks of 2 and of 256 threads that do nothing else. Prints for each the
// nanoseconds of one thread at one barrier; on the host model this is one switch of fibers.
#include <chrono>
#include <cstdio>

__global__ void wait(int count, int* out) {
    for (int i = 0; i < count; ++i) __syncthreads();
    if (threadIdx.x == 0) *out = count;
}

int main() {
    int* out = nullptr;
    cudaMalloc(&out, sizeof(int));
    for (const int threads : {2, 256}) {
        const int count = 4000000 / threads;
        double least = 1e30;
        for (int round = 0; round <= 5; ++round) {
            const auto start = std::chrono::steady_clock::now();
            wait<<<1, threads>>>(count, out);
            cudaDeviceSynchronize();
            const double took =
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            if (round > 0 && took < least) least = took;
        }
        std::printf("%d %.2f\n", threads, least * 1e9 / count / threads);
    }
    int counted = 0;
    cudaMemcpy(&counted, out, sizeof(int), cudaMemcpyDeviceToHost);
    return counted != 4000000 / 256;
}

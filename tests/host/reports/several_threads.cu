// reports: launches 2; from-kernels 800000
// Threads of the host that share the device: all of its memory counts.
#include <thread>
#include <vector>

__global__ void nothing(float*) {}

int main() {
    const auto work = [] {
        float* a;
        std::vector<float> y(100000);
        cudaMalloc(&a, 400000);
        nothing<<<1, 1>>>(a);
        cudaMemcpy(y.data(), a, 400000, cudaMemcpyDeviceToHost);
    };
    float* mine;
    cudaMalloc(&mine, 4);
    std::thread(work).join();
    std::thread(work).join();
    return 0;
}

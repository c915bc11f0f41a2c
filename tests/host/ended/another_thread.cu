// ends: cuset-host: crash: host code touches device memory
// A thread of the host that has launched nothing itself writes, after others' launches.
#include <thread>

__global__ void set(int* x) { x[threadIdx.x] = 7; }

int main() {
    int* x = nullptr;
    cudaMalloc(&x, 4096);
    std::thread first([=] { set<<<4, 1024>>>(x); });
    first.join();
    std::thread second([=] { x[0] = 1; });
    second.join();
    return 0;
}

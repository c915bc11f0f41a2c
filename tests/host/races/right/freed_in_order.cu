// Memory is given back in another stream than the one that used it: behind an event, or behind a wait of the host.
#include <cstdio>

constexpr int n = 1024;

__global__ void fill(int* x) { x[threadIdx.x] = static_cast<int>(threadIdx.x); }
__global__ void turn(const int* x, int* y) { y[threadIdx.x] = x[n - 1 - threadIdx.x]; }

int main() {
    cudaStream_t work, cleaning;
    cudaEvent_t done;
    cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&cleaning, cudaStreamNonBlocking);
    cudaEventCreate(&done);
    int *x, *y, found[n], wrong = 0;
    cudaMalloc(&y, sizeof found);
    for (int way = 0; way < 3; ++way) {
        cudaMallocAsync(&x, sizeof found, work);
        fill<<<1, n, 0, work>>>(x);
        turn<<<1, n, 0, work>>>(x, y);
        cudaEventRecord(done, work);
        if (way == 0) cudaStreamWaitEvent(cleaning, done, 0);
        if (way == 1) cudaEventSynchronize(done);
        cudaFreeAsync(x, way == 2 ? work : cleaning);
        cudaStreamSynchronize(work);
        cudaMemcpy(found, y, sizeof found, cudaMemcpyDeviceToHost);
        for (int i = 0; i < n; ++i) wrong += found[i] != n - 1 - i;
    }
    cudaFree(y);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}

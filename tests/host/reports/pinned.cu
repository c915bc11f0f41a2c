// reports: launches 1; from-kernels 409600
// Zero-copy memory, and the C library's own reads into pinned memory between launches.
#include <cstdio>
#include <cstdlib>

__global__ void twice(const char* from, char* to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}

int main() {
    const int n = 400 << 10;
    char *x, *y;
    cudaHostAlloc(&x, n, cudaHostAllocMapped);
    cudaHostAlloc(&y, n, cudaHostAllocMapped);
    std::FILE* file = std::fopen("/proc/self/exe", "rb");
    std::setvbuf(file, nullptr, _IONBF, 0);
    const size_t got = std::fread(x, 1, n, file);
    twice<<<(n + 255) / 256, 256>>>(x, y, n);
    cudaDeviceSynchronize();
    std::rewind(file);
    return std::fread(x, 1, got, file) == got && y[1] == 'E' ? 0 : 1;
}

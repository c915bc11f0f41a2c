// ends: cuset-host: illegal_address: host code, line 8: std::sort with a pointer to device memory works on the host
#include <algorithm>

int main() {
    int* x = nullptr;
    cudaMalloc(&x, 4096);
    cudaMemset(x, 0, 4096);
    std::sort(x, x + 1024);
    return 0;
}

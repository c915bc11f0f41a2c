// finds: uninitialised_read line 9
// atomicMax compares with what was never set.
#include <cstdio>
#include <vector>

__global__ void findMax(const int* values, int* result, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicMax(result, values[i]);
    }
}

int main() {
    const int n = 1777;
    std::vector<int> values(n);
    int expected = -1000000;
    for (int i = 0; i < n; i++) {
        values[i] = -((i * 7919) % 5000) - 1;
        if (values[i] > expected) expected = values[i];
    }
    int *d_values, *d_result, result = 0;
    cudaMalloc(&d_values, n * sizeof(int));
    cudaMalloc(&d_result, sizeof(int));
    cudaMemcpy(d_values, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
//=     cudaMemcpy(d_result, values.data(), sizeof(int), cudaMemcpyHostToDevice);
    findMax<<<(n + 255) / 256, 256>>>(d_values, d_result, n);
    cudaMemcpy(&result, d_result, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_values);
    cudaFree(d_result);
    return result != expected;
}

// Host code that names a variable of the device has one of its own, which is zero at first and
// which no kernel sees; nvcc only warns. Used by the host alone, it works as any variable does.
#include "check.h"

__device__ int counter = 5;
__device__ int table[4] = {1, 2, 3, 4};
__constant__ float factor = 2;
__device__ float* buffer;
__device__ double wide, other;

__global__ void count() { counter += 1; }
__global__ void fill(float* to) { to[threadIdx.x] = threadIdx.x * factor; }
__global__ void look(int* out) {
    out[0] = counter;
    out[1] = table[1];
    out[2] = buffer == nullptr;
}

template <class T>
static void upload(T& symbol, const T& value) {
    OK(cudaMemcpyToSymbol(symbol, &value, sizeof value));
}
static int doubled(const int& x) { return 2 * x; }

int main() {
    MUST(counter == 0 && table[1] == 0 && factor == 0);
    counter = 40;
    table[1] = 7;
    counter++;
    MUST(doubled(counter) == 82);
    count<<<1, 1>>>();
    int value = 0, *seen = managed<int>(3);
    OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    MUST(value == 6 && counter == 41);

    // The host's pointer takes the memory, and hands it to a kernel.
    OK(cudaMalloc(&buffer, 32 * sizeof(float)));
    fill<<<1, 32>>>(buffer);
    float got[32];
    OK(cudaMemcpy(got, buffer, sizeof got, cudaMemcpyDeviceToHost));
    MUST(got[31] == 62);
    look<<<1, 1>>>(seen);
    OK(cudaDeviceSynchronize());
    MUST(seen[0] == 6 && seen[1] == 2 && seen[2] == 1);
    OK(cudaFree(buffer));

    // The address of the host's array is no memory of the device.
    REFUSED(cudaMemcpy(table, got, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    upload(wide, 2.5);
    double read = 0;
    OK(cudaMemcpyFromSymbol(&read, wide, sizeof read));
    MUST(read == 2.5 && other == 0);
    void* address = nullptr;
    OK(cudaGetSymbolAddress(&address, wide));
    OK(cudaMemcpy(&read, address, sizeof read, cudaMemcpyDeviceToHost));
    MUST(read == 2.5);
    OK(cudaFree(seen));
    return verdict();
}

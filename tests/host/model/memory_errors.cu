// Errors of memory functions, and when an error stays: bad pointers, sizes, directions.
#include "check.h"

__global__ void fill(int* values, int value) { values[threadIdx.x] = value; }

static void gives(const char* what, cudaError_t got, cudaError_t want) {
    expect(what, 0, got, want);
    expect(what, 1, cudaPeekAtLastError(), want);
    expect(what, 2, cudaPeekAtLastError(), want);
    expect(what, 3, cudaGetLastError(), want);
    expect(what, 4, cudaGetLastError(), cudaSuccess);
}

int main() {
    const int n = 256;
    const cudaError_t invalid = cudaErrorInvalidValue;
    std::vector<int> host(2 * n, 3);
    int* values = device<int>(n);
    gives("none", cudaSuccess, cudaSuccess);

    int on_stack = 0;
    gives("free of the stack", cudaFree(&on_stack), invalid);
    int* again = device<int>(n);
    OK(cudaFree(again));
    gives("freed twice", cudaFree(again), invalid);
    gives("free of the middle", cudaFree(values + 1), invalid);
    gives("cudaFreeHost of the stack", cudaFreeHost(&on_stack), invalid);

    gives("one too many to the device",
          cudaMemcpy(values, host.data(), (n + 1) * sizeof(int), cudaMemcpyHostToDevice), invalid);
    gives("one too many from the device",
          cudaMemcpy(host.data(), values + 1, n * sizeof(int), cudaMemcpyDeviceToHost), invalid);
    gives("memset past the end", cudaMemset(values, 0, (n + 1) * sizeof(int)), invalid);
    gives("null", cudaMemcpy(nullptr, host.data(), 4, cudaMemcpyHostToDevice), invalid);
    gives("wrong direction: both on the host",
          cudaMemcpy(host.data(), host.data() + n, 4, cudaMemcpyDeviceToHost), invalid);
    gives("wrong direction: to the device, told the other way",
          cudaMemcpy(values, host.data(), 4, cudaMemcpyDeviceToHost), invalid);
    gives("wrong direction: from the device, told the other way",
          cudaMemcpy(host.data(), values, 4, cudaMemcpyHostToDevice), invalid);
    gives("no such direction", cudaMemcpy(values, host.data(), 4, (cudaMemcpyKind)9),
          cudaErrorInvalidMemcpyDirection);
    gives("pitch below the width",
          cudaMemcpy2D(values, 8, host.data(), 64, 16, 4, cudaMemcpyHostToDevice),
          cudaErrorInvalidPitchValue);
    // Nothing of all that has changed a thing.
    std::vector<int> got(n);
    OK(cudaMemcpy(got.data(), values, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) {
        expect("device memory", i, got[i], -1);
        expect("host memory", i, host[i], 3);
    }

    // A copy that works does not clear the error, nor does a launch.
    expect("an error", 0, cudaFree(&on_stack), invalid);
    OK(cudaMemcpy(values, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    fill<<<1, n>>>(values, 8);
    OK(cudaDeviceSynchronize());
    gives("kept meanwhile", invalid, invalid);
    OK(cudaMemcpy(got.data(), values, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) expect("went on", i, got[i], 8);
    OK(cudaFree(values));

    // Names and texts.
    expect("name", 0, std::strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"),
           0);
    expect("text", 0, std::strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"),
           0);
    expect("text", 1, std::strcmp(cudaGetErrorString(cudaSuccess), "no error"), 0);
    expect("text", 2, std::strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"),
           0);
    expect("text", 3,
           std::strcmp(cudaGetErrorString(cudaErrorInvalidConfiguration),
                       "invalid configuration argument"),
           0);
    return verdict();
}

// A pragma that makes an error of a warning is about warnings that nobody asks for.
#include "check.h"

#pragma GCC diagnostic error "-Wfloat-conversion"

__global__ void store(int* i, float x) { *i = x; }

int main() {
    int* i;
    OK(cudaMallocManaged(&i, sizeof *i));
    store<<<1, 1>>>(i, 7.5f);
    OK(cudaDeviceSynchronize());
    expect("stored", 0, *i, 7);
    return verdict();
}

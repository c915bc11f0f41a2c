// finds: out_of_bounds line 9
// Managed variables lie side by side: what is written past one ends in the next, which nobody reads.
#include <cstdio>
constexpr int size = 851;
__managed__ float given[size], doubled[size], spare[64];

__global__ void twice(float* to, const float* from, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n + 8) to[i] = 2 * from[i < n ? i : 0];  // wrong
//=     if (i < n) to[i] = 2 * from[i];
}

int main() {
    for (int i = 0; i < size; ++i) given[i] = i;
    twice<<<(size + 255) / 256, 256>>>(doubled, given, size);
    cudaDeviceSynchronize();
    for (int i = 0; i < size; ++i)
        if (doubled[i] != 2 * i) return 1;
    return 0;
}

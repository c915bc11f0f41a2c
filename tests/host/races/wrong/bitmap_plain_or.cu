// wrong: different bits of one word are set by different threads with a plain |=, which
// rewrites the whole word, the two lines that race: the |= with itself (A and B).
#include "checked_calls.h"

const int WORDS = 64;

__global__ void mark(const int *item, int n, unsigned *bitmap) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bitmap[item[i] / 32] |= 1u << (item[i] % 32);  // race A B
}

int main() {
    const int n = WORDS * 32 / 2, block = 128;
    std::vector<int> h(n);
    std::vector<unsigned> want(WORDS, 0), got(WORDS);
    for (int i = 0; i < n; ++i) {  // each item once; a word's items are WORDS threads apart
        h[i] = i % WORDS * 32 + i / WORDS * 2 + i % 2;
        want[h[i] / 32] |= 1u << (h[i] % 32);
    }
    int *item;
    unsigned *bitmap;
    CHECK(cudaMalloc(&item, n * sizeof(int)));
    CHECK(cudaMalloc(&bitmap, WORDS * sizeof(unsigned)));
    CHECK(cudaMemcpy(item, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(bitmap, 0, WORDS * sizeof(unsigned)));
    mark<<<(n + block - 1) / block, block>>>(item, n, bitmap);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), bitmap, WORDS * sizeof(unsigned), cudaMemcpyDeviceToHost));
    bool ok = got == want;
    CHECK(cudaFree(item));
    CHECK(cudaFree(bitmap));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}

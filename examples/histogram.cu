// Counts letters; one thing is wrong in it, which the README has cuset-run find.
#include <cstdio>
#include <cstring>

__global__ void histogram(const char* text, int length, int* counts) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < length) counts[text[i] - 'a'] += 1;
}

int main() {
    const char* const words = "thequickbrownfoxjumpsoverthelazydog";
    const int length = static_cast<int>(std::strlen(words));
    char* text = nullptr;
    int *counts = nullptr, found[26] = {};
    cudaMalloc(&text, length);
    cudaMalloc(&counts, sizeof found);
    cudaMemcpy(text, words, length, cudaMemcpyHostToDevice);
    cudaMemset(counts, 0, sizeof found);
    histogram<<<1, 64>>>(text, length, counts);
    cudaMemcpy(found, counts, sizeof found, cudaMemcpyDeviceToHost);
    for (const int count : found) std::printf("%d ", count);
    std::printf("\n");
    cudaFree(text);
    cudaFree(counts);
}

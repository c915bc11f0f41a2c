// right: the bytes (and 16-bit halves) of one 32-bit word are stored by threads of
// different blocks; every byte has one writer, and memory locations do not overlap.
#include "checked_calls.h"

struct Pixel {
    unsigned char r, g;
    unsigned short depth;
};

// grid.y picks the field, so three blocks write the same words at once
__global__ void paint(Pixel *image, unsigned char *planes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (blockIdx.y == 0) image[i].r = (unsigned char)(i * 3);
    if (blockIdx.y == 1) image[i].g = (unsigned char)(i * 5);
    if (blockIdx.y == 2) image[i].depth = (unsigned short)(i * 7);
    planes[3 * i + blockIdx.y] = (unsigned char)(i + blockIdx.y);
}

int main() {
    const int n = 3000, block = 128;
    std::vector<Pixel> got(n);
    std::vector<unsigned char> bytes(3 * n);
    Pixel *image;
    unsigned char *planes;
    CHECK(cudaMalloc(&image, n * sizeof(Pixel)));
    CHECK(cudaMalloc(&planes, 3 * n));
    paint<<<dim3((n + block - 1) / block, 3), block>>>(image, planes, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), image, n * sizeof(Pixel), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(bytes.data(), planes, 3 * n, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; ++i) {
        ok = ok && got[i].r == (unsigned char)(i * 3) && got[i].g == (unsigned char)(i * 5) &&
             got[i].depth == (unsigned short)(i * 7);
        for (int c = 0; c < 3; ++c) ok = ok && bytes[3 * i + c] == (unsigned char)(i + c);
    }
    CHECK(cudaFree(image));
    CHECK(cudaFree(planes));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}

// finds: barrier_divergence line 14,20
// The vote names all lanes, but those on the other side of the branch never come to it.
#include <cstdio>

constexpr int width = 64;

__global__ void places(const int* x, int* place) {
    const int t = threadIdx.x, lane = t % 32;
    place[t] = -1;
    const bool is_kept = x[t] > 5;
//=     const unsigned all = __ballot_sync(0xffffffffu, is_kept);
    if (is_kept) {
        const unsigned kept =  // wrong
            __ballot_sync(0xffffffffu, is_kept);  // wrong
//=         const unsigned kept = all;
        place[t] = __popc(kept & ((1u << lane) - 1));
    } else {
        place[t] = -2;
    }
    __syncwarp();
    place[t] += lane;
}

int main() {
    int *x, *place;
    if (cudaMallocManaged(&x, width * sizeof(int)) != cudaSuccess) return 1;
    if (cudaMallocManaged(&place, width * sizeof(int)) != cudaSuccess) return 1;
    for (int i = 0; i < width; ++i) x[i] = i % 13;
    places<<<1, width>>>(x, place);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int i = 0; i < width; ++i) {
        int before = 0;
        for (int k = i / 32 * 32; k < i; ++k) before += x[k] > 5;
        if (place[i] != (x[i] > 5 ? before : -2) + i % 32) return 1;
    }
    std::puts("ok");
    return cudaFree(x) != cudaSuccess || cudaFree(place) != cudaSuccess;
}

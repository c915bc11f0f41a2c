// finds: uninitialised_read line 19
// A slice of a volume that was never set comes along when the volume is copied. Objects with padding
// are copied beside it: those are set where it matters.
#include <cstdio>

struct weight {
    float value;
    bool is_used;
};

__global__ void sum(cudaPitchedPtr volume, weight* weights, float* out) {
    const int x = threadIdx.x;
    weights[x].value = 2;
    weights[x].is_used = true;
    __shared__ weight shared[32];
    shared[x].value = 2;
    shared[x].is_used = true;
    const weight mine = x % 2 == 0 ? weights[x] : shared[x];
    const float* row = (const float*)((char*)volume.ptr + (2 * 4 + 1) * volume.pitch); float v = row[x];
    weights[(x + 1) % 32 + 32] = mine;
    out[x] = v * mine.value;
}

int main() {
    cudaPitchedPtr first, second;
    const cudaExtent whole = make_cudaExtent(32 * sizeof(float), 4, 3);
    cudaExtent part = whole;
    part.depth = 2;  // wrong
    cudaMalloc3D(&first, whole);
    cudaMalloc3D(&second, whole);
    cudaMemset3D(first, 0x40, part);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = first;
    copy.dstPtr = second;
    copy.extent = whole;
    copy.kind = cudaMemcpyDeviceToDevice;
    cudaMemcpy3D(&copy);
    weight* weights;
    float *out, got[32];
    cudaMalloc(&weights, 64 * sizeof(weight));
    cudaMalloc(&out, sizeof got);
    sum<<<1, 32>>>(second, weights, out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    const unsigned bits = 0x40404040;
    float value;
    memcpy(&value, &bits, sizeof value);
    return got[31] == 2 * value ? 0 : 1;
}

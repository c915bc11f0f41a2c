// finds: out_of_bounds line 21
// An index of another scale: the write lands megabytes away.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CUDA_CHECK(call)                                                                       \
    do {                                                                                       \
        cudaError_t err = call;                                                                \
        if (err != cudaSuccess) {                                                              \
            fprintf(stderr, "CUDA error at line %d: %s\n", __LINE__, cudaGetErrorString(err)); \
            exit(1);                                                                           \
        }                                                                                      \
    } while (0)

// out[order[i]] = in[i]
__global__ void scatter(const int* in, const int* order, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int target = order[i];
        out[target * n] = in[i];  // wrong
//=         out[target] = in[i];
    }
}

int main() {
    const int n = 4096;
    std::vector<int> in(n), order(n), out(n);
    for (int i = 0; i < n; i++) {
        in[i] = i * i;
        order[i] = (i * 7 + 100) % n;
    }
    int *d_in, *d_order, *d_out;
    size_t bytes = n * sizeof(int);
    CUDA_CHECK(cudaMalloc(&d_in, bytes));
    CUDA_CHECK(cudaMalloc(&d_order, bytes));
    CUDA_CHECK(cudaMalloc(&d_out, bytes));
    CUDA_CHECK(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_order, order.data(), bytes, cudaMemcpyHostToDevice));
    scatter<<<n / 256, 256>>>(d_in, d_order, d_out, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (out[order[i]] != in[i]) return 1;
    cudaFree(d_in);
    cudaFree(d_order);
    cudaFree(d_out);
    return 0;
}

// A scan in dynamic shared memory, with its template's type.
#include <cuda_runtime.h>

#include <cstdio>

template <class T>
__global__ void scan(const T* in, T* out, int n) {
    extern __shared__ unsigned char memory[];
    T* values = reinterpret_cast<T*>(memory);
    const int i = threadIdx.x;
    values[i] = i < n ? in[i] : T(0);
    for (int step = 1; step < (int)blockDim.x; step *= 2) {
        __syncthreads();
        const T add = i >= step ? values[i - step] : T(0);
        __syncthreads();
        values[i] += add;
    }
    if (i < n) out[i] = values[i];
}

template <class T>
void run(const char* format) {
    T host[200], *in, *out;
    for (int i = 0; i < 200; ++i) host[i] = T(i % 5) / T(2);
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    scan<T><<<1, 256, 256 * sizeof(T)>>>(in, out, 200);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    std::printf(format, host[0], host[7], host[199]);
    cudaFree(in);
    cudaFree(out);
}

int main() {
    run<int>("%d %d %d\n");
    run<double>("%g %g %g\n");
}

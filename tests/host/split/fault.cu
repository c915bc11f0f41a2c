// splits: reach
// exits: 97
// A fault's message names the thread that runs, also behind a barrier.
__device__ void touch(int* x) { *x = threadIdx.x; }

__global__ void reach(int* out) {
    __shared__ int s[6];
    int t = threadIdx.x + 3 * threadIdx.y;
    s[t] = t;
    __syncthreads();
    if (s[5 - t] == 1 && blockIdx.x == 2) touch(out + (1L << 44));
    __syncthreads();
    out[t] = s[t];
}

int main() {
    int* out = nullptr;
    cudaMalloc(&out, 64);
    reach<<<4, dim3(3, 2)>>>(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}

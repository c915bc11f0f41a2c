// finds: out_of_bounds line 12
// Threads of the host that launch at the same time, one of them a block too many. Where programs
// are checked, one kernel runs after the other.
#include <cstdio>
#include <thread>

//= __device__ int running, together;
__global__ void reversed(int* values) {
    __shared__ int cells[64];
    const int t = threadIdx.x;
//=     if (t == 0 && atomicAdd(&running, 1) != 0) atomicAdd(&together, 1);
    cells[t] = values[blockIdx.x * 64 + t];
    __syncthreads();
    values[blockIdx.x * 64 + t] = cells[63 - t];
//=     __syncthreads();
//=     if (t == 0) atomicSub(&running, 1);
}

int main() {
    const int rounds = 200;  // wrong
//=     const int rounds = 2000;
//=     int wrong[2] = {};
    std::thread threads[2];
    for (int h = 0; h < 2; ++h)
        threads[h] = std::thread([h] {  // wrong
//=         threads[h] = std::thread([h, &wrong] {
            int* values = nullptr;
            int got[64] = {};  // wrong
//=             int got[64];
//=             for (int i = 0; i < 64; ++i) got[i] = i + h;
            cudaMalloc(&values, sizeof got);
            cudaMemcpy(values, got, sizeof got, cudaMemcpyHostToDevice);
            for (int r = 0; r < rounds; ++r) reversed<<<1, 64>>>(values);
            if (h == 1) reversed<<<2, 64>>>(values);  // wrong
            cudaMemcpy(got, values, sizeof got, cudaMemcpyDeviceToHost);
//=             for (int i = 0; i < 64; ++i) wrong[h] += got[i] != i + h;
            cudaFree(values);
        });
    for (auto& t : threads) t.join();
    std::puts("done");  // wrong
    return 0;  // wrong
//=     int overlaps = -1;
//=     cudaMemcpyFromSymbol(&overlaps, together, sizeof overlaps);
//=     std::printf("%d wrong, %d at once\n", wrong[0] + wrong[1], overlaps);
//=     return wrong[0] + wrong[1] + overlaps != 0;
}

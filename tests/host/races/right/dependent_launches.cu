// right: kernels that begin before the one before them in their stream has ended wait for it
// before they touch what it writes or reads, by the function or by the instruction. What they do
// before that is their own. The last one may begin early, but the one before lets none begin.
// Compile for sm_90.
#include "checked_calls.h"

const int N = 1024, BLOCK = 128, STEPS = 5;

__global__ void step(const int *from, int *to, int *own, int number) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    own[number * N + i] = i * number;
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
    to[i] = from[(i + 1) % N] + own[number * N + i];
}

__global__ void step_by_instructions(const int *from, int *to) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    asm volatile("griddepcontrol.wait;" ::: "memory");
    to[i] = from[(i + 1) % N];
}

__global__ void last(const int *from, int *to) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    to[i] = 2 * from[i];
}

int main() {
    std::vector<int> now(N), next(N), got(N);
    int *buffers[2], *own;
    for (auto &b : buffers) CHECK(cudaMalloc(&b, N * sizeof(int)));
    CHECK(cudaMalloc(&own, STEPS * N * sizeof(int)));
    for (int i = 0; i < N; ++i) now[i] = i * i % 101;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpyAsync(buffers[0], now.data(), N * sizeof(int), cudaMemcpyHostToDevice, stream));
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t shape{};
    shape.gridDim = dim3(N / BLOCK);
    shape.blockDim = dim3(BLOCK);
    shape.stream = stream;
    shape.attrs = &early;
    shape.numAttrs = 1;
    for (int s = 0; s < STEPS; ++s)
        CHECK(cudaLaunchKernelEx(&shape, step, (const int *)buffers[s % 2], buffers[(s + 1) % 2],
                                 own, s));
    CHECK(cudaLaunchKernelEx(&shape, step_by_instructions, (const int *)buffers[1], buffers[0]));
    CHECK(cudaLaunchKernelEx(&shape, last, (const int *)buffers[0], buffers[1]));
    CHECK(cudaMemcpyAsync(got.data(), buffers[1], N * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int s = 0; s < STEPS; ++s) {
        for (int i = 0; i < N; ++i) next[i] = now[(i + 1) % N] + i * s;
        now.swap(next);
    }
    bool ok = true;
    for (int i = 0; i < N; ++i) ok = ok && got[i] == 2 * now[(i + 1) % N];
    CHECK(cudaStreamDestroy(stream));
    for (auto &b : buffers) CHECK(cudaFree(b));
    CHECK(cudaFree(own));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}

// Streams that wait for values in memory, which the host or other streams write later.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>

#define CHECK(what) \
    if (!(what)) return std::printf("line %d: %s\n", __LINE__, #what), 1

__global__ void store(int* p, int value) { *p = value; }

int main() {
    CHECK(cuInit(0) == CUDA_SUCCESS);
    unsigned* words;
    int* out;
    CHECK(cudaHostAlloc(&words, 64, cudaHostAllocMapped) == cudaSuccess);
    CHECK(cudaMallocManaged(&out, 2 * sizeof(int)) == cudaSuccess);
    volatile unsigned* const seen = words;
    for (int i = 0; i < 16; ++i) seen[i] = 0;
    out[0] = out[1] = 0;
    const auto at = reinterpret_cast<CUdeviceptr>(words);
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking) == cudaSuccess);
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking) == cudaSuccess);

    CHECK(cuStreamWaitValue32(first, at, 5, CU_STREAM_WAIT_VALUE_GEQ) == CUDA_SUCCESS);
    store<<<1, 1, 0, first>>>(out, 1);
    CHECK(cudaStreamQuery(first) == cudaErrorNotReady && out[0] == 0);
    seen[0] = 4;  // not enough
    CHECK(cudaStreamQuery(first) == cudaErrorNotReady);
    CHECK(cuStreamWriteValue32(second, at, 9, 0) == CUDA_SUCCESS);
    CHECK(cudaStreamSynchronize(first) == cudaSuccess);
    CHECK(out[0] == 1 && seen[0] == 9);

    // A batch: waits for a bit and for 64 bits, then writes.
    CUstreamBatchMemOpParams batch[3] = {};
    batch[0].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    batch[0].waitValue.address = at + 8;
    batch[0].waitValue.value = 4;
    batch[0].waitValue.flags = CU_STREAM_WAIT_VALUE_AND;
    batch[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
    batch[1].waitValue.address = at + 16;
    batch[1].waitValue.value64 = 1ULL << 40;
    batch[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    batch[2].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    batch[2].writeValue.address = at + 24;
    batch[2].writeValue.value = 77;
    CHECK(cuStreamBatchMemOp(first, 3, batch, 0) == CUDA_SUCCESS);
    store<<<1, 1, 0, first>>>(out + 1, 2);
    seen[2] = 2 | 8;
    CHECK(cudaStreamQuery(first) == cudaErrorNotReady);
    seen[2] = 6;
    reinterpret_cast<volatile unsigned long long*>(words)[2] = 1ULL << 40;
    CHECK(cudaStreamSynchronize(first) == cudaSuccess);
    CHECK(out[1] == 2 && seen[6] == 77);
    batch[0].operation = static_cast<CUstreamBatchMemOpType>(99);
    CHECK(cuStreamBatchMemOp(first, 1, batch, 0) == CUDA_ERROR_INVALID_VALUE);
    CHECK(cudaStreamDestroy(first) == cudaSuccess && cudaStreamDestroy(second) == cudaSuccess);
    return 0;
}

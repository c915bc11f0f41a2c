// Host functions of a stream that wait for what the host does after it gave them to the stream.
#include <cuda_runtime.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>

#define CHECK(what) \
    if (!(what)) return std::printf("line %d: %s\n", __LINE__, #what), 1

static std::mutex mutex;
static std::condition_variable opened;
static bool is_open = false;
static std::atomic<int> calls{0};

static void wait_for_opening(void*) {
    std::unique_lock lock(mutex);
    opened.wait(lock, [] { return is_open; });
    ++calls;
}

static void count_status(cudaStream_t, cudaError_t status, void* data) {
    if (status == cudaSuccess) calls += *static_cast<int*>(data);
}

__global__ void store(int* p, int value) { *p = value; }

int main() {
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream) == cudaSuccess);
    int *p, ten = 10;
    CHECK(cudaMallocManaged(&p, sizeof *p) == cudaSuccess);
    *p = 0;
    CHECK(cudaLaunchHostFunc(stream, wait_for_opening, nullptr) == cudaSuccess);
    CHECK(cudaStreamAddCallback(stream, count_status, &ten, 0) == cudaSuccess);
    store<<<1, 1, 0, stream>>>(p, 5);
    CHECK(calls == 0 && *p == 0);
    {
        const std::lock_guard lock(mutex);
        is_open = true;
    }
    opened.notify_all();
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(calls == 11 && *p == 5);
    CHECK(cudaFree(p) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess);
    return 0;
}

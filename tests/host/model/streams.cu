// Streams and events: what order is promised, elapsed times, host functions, queries.
#include <atomic>

#include "check.h"

__global__ void append(int* list, int* length, int value) { list[atomicAdd(length, 1)] = value; }
__global__ void add(int* values, int n, int amount) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += amount;
}

struct note {
    std::atomic<int> calls{0};
    const int* seen = nullptr;
    int value = 0;
};
static void CUDART_CB on_host(void* data) {
    note* n = static_cast<note*>(data);
    ++n->calls;
    n->value = n->seen ? *n->seen : -1;
}
static void CUDART_CB on_stream(cudaStream_t, cudaError_t status, void* data) {
    if (status == cudaSuccess) ++static_cast<note*>(data)->calls;
}

int main() {
    const int n = 1000;
    int *list = device<int>(16), *length = device<int>(1);
    OK(cudaMemset(length, 0, sizeof(int)));
    cudaStream_t first, second, third;
    OK(cudaStreamCreate(&first));
    OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithPriority(&third, cudaStreamDefault, 0));
    cudaEvent_t from_first, from_second, start, stop;
    OK(cudaEventCreateWithFlags(&from_first, cudaEventDisableTiming));
    OK(cudaEventCreate(&from_second));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&stop));
    OK(cudaDeviceSynchronize());

    // first: 1 2 | second: 3 | third: 4 | first: 5, each after the one before by an event.
    OK(cudaEventRecord(start, first));
    append<<<1, 1, 0, first>>>(list, length, 1);
    append<<<1, 1, 0, first>>>(list, length, 2);
    OK(cudaEventRecord(from_first, first));
    OK(cudaStreamWaitEvent(second, from_first, 0));
    append<<<1, 1, 0, second>>>(list, length, 3);
    OK(cudaEventRecord(from_second, second));
    OK(cudaStreamWaitEvent(third, from_second));
    append<<<1, 1, 0, third>>>(list, length, 4);
    OK(cudaEventRecord(from_first, third));
    OK(cudaStreamWaitEvent(first, from_first, 0));
    append<<<1, 1, 0, first>>>(list, length, 5);
    OK(cudaEventRecord(stop, first));
    OK(cudaEventSynchronize(stop));
    OK(cudaEventQuery(stop));
    OK(cudaStreamQuery(first));
    float milliseconds = -1;
    OK(cudaEventElapsedTime(&milliseconds, start, stop));
    expect("elapsed", 0, milliseconds >= 0 && milliseconds < 100000, 1);
    expect("no timing", 0, cudaEventElapsedTime(&milliseconds, from_first, stop) != cudaSuccess, 1);
    (void)cudaGetLastError();
    const std::vector<int> order = taken(list, 16);
    for (int i = 0; i < 16; ++i) expect("order", i, order[i], i < 5 ? i + 1 : -1);
    expect("length", 0, taken(length, 1)[0], 5);

    // Copies, memsets, kernels and host functions of one stream follow each other.
    int *pinned = nullptr, *values = device<int>(n);
    OK(cudaMallocHost(&pinned, n * sizeof(int)));
    for (int i = 0; i < n; ++i) pinned[i] = i;
    OK(cudaDeviceSynchronize());
    note between, after, callback;
    between.seen = &pinned[7];
    after.seen = &pinned[9];
    OK(cudaMemcpyAsync(values, pinned, n * sizeof(int), cudaMemcpyHostToDevice, second));
    add<<<8, 128, 0, second>>>(values, n, 100);
    OK(cudaMemcpyAsync(pinned, values, n * sizeof(int), cudaMemcpyDeviceToHost, second));
    OK(cudaLaunchHostFunc(second, on_host, &between));
    OK(cudaMemsetAsync(values, 0, n * sizeof(int), second));
    add<<<8, 128, 0, second>>>(values, n, 5);
    OK(cudaMemcpyAsync(pinned, values, n * sizeof(int), cudaMemcpyDefault, second));
    OK(cudaStreamAddCallback(second, on_stream, &callback, 0));
    OK(cudaLaunchHostFunc(second, on_host, &after));
    OK(cudaStreamSynchronize(second));
    expect("host function", 0, between.calls.load(), 1);
    expect("what it saw", 0, between.value, 107);
    expect("host function", 1, after.calls.load(), 1);
    expect("what it saw", 1, after.value, 5);
    expect("callback", 0, callback.calls.load(), 1);
    for (int i = 0; i < n; ++i) expect("copied", i, pinned[i], 5);
    OK(cudaFreeHost(pinned));
    OK(cudaFree(values));

    // The default stream, its names, and memory of a stream's own.
    int* ordered = nullptr;
    OK(cudaMallocAsync((void**)&ordered, n * sizeof(int), first));
    OK(cudaMemsetAsync(ordered, 0, n * sizeof(int), first));
    add<<<8, 128, 0, first>>>(ordered, n, 3);
    std::vector<int> back(n);
    OK(cudaMemcpyAsync(back.data(), ordered, n * sizeof(int), cudaMemcpyDeviceToHost, first));
    OK(cudaFreeAsync(ordered, first));
    OK(cudaStreamSynchronize(first));
    for (int i = 0; i < n; ++i) expect("of a stream", i, back[i], 3);
    values = device<int>(n);
    OK(cudaMemsetAsync(values, 0, n * sizeof(int)));
    add<<<8, 128, 0, cudaStreamLegacy>>>(values, n, 1);
    add<<<8, 128, 0, nullptr>>>(values, n, 2);
    const std::vector<int> sums = taken(values, n);
    for (int i = 0; i < n; ++i) expect("default stream", i, sums[i], 3);
    OK(cudaEventDestroy(from_first));
    OK(cudaEventDestroy(from_second));
    OK(cudaEventDestroy(start));
    OK(cudaEventDestroy(stop));
    OK(cudaStreamDestroy(first));
    OK(cudaStreamDestroy(second));
    OK(cudaStreamDestroy(third));
    // What has been destroyed is no handle any more.
    cudaStream_t gone;
    cudaEvent_t over;
    OK(cudaStreamCreate(&gone));
    OK(cudaEventCreate(&over));
    OK(cudaStreamDestroy(gone));
    OK(cudaEventDestroy(over));
    REFUSED(cudaStreamDestroy(gone), cudaErrorInvalidResourceHandle);
    REFUSED(cudaEventDestroy(over), cudaErrorInvalidResourceHandle);
    return verdict();
}

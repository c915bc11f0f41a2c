// Kernels that wait for what the host does after their launch: streams work while its code goes on.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(what) \
    if (!(what)) return std::printf("line %d: %s\n", __LINE__, #what), 1

__global__ void wait_for_flag(volatile int* flag, int wanted, int* out) {
    while (*flag != wanted) {
    }
    *out = wanted;
}

__global__ void set_flag(volatile int* flag, int value) { *flag = value; }

__global__ void answer(volatile int* question, volatile int* reply, int rounds) {
    for (int i = 1; i <= rounds; ++i) {
        while (*question != i) {
        }
        *reply = 10 * i;
        __threadfence_system();
    }
}

__global__ void add(int* p, int n) { *p += n; }

__global__ void add_one(int* p, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += 1;
}

static int polls_the_host() {
    int *flag, *out, *flag_on_device;
    CHECK(cudaHostAlloc(&flag, 2 * sizeof(int), cudaHostAllocMapped) == cudaSuccess);
    CHECK(cudaHostGetDevicePointer(&flag_on_device, flag, 0) == cudaSuccess);
    out = flag + 1;
    *flag = *out = 0;
    cudaStream_t stream;
    cudaEvent_t before, after;
    CHECK(cudaStreamCreate(&stream) == cudaSuccess);
    CHECK(cudaEventCreate(&before) == cudaSuccess && cudaEventCreate(&after) == cudaSuccess);
    CHECK(cudaEventRecord(before, stream) == cudaSuccess);
    wait_for_flag<<<1, 32, 0, stream>>>(flag_on_device, 7, out);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaEventRecord(after, stream) == cudaSuccess);
    CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
    CHECK(cudaEventQuery(after) == cudaErrorNotReady);
    CHECK(cudaGetLastError() == cudaSuccess);
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, before, after) == cudaErrorNotReady);
    CHECK(cudaGetLastError() == cudaErrorNotReady);
    CHECK(*out == 0);
    *static_cast<volatile int*>(flag) = 7;
    CHECK(cudaEventSynchronize(after) == cudaSuccess);
    CHECK(*out == 7 && cudaStreamQuery(stream) == cudaSuccess);
    CHECK(cudaEventElapsedTime(&milliseconds, before, after) == cudaSuccess && milliseconds >= 0);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess && cudaFreeHost(flag) == cudaSuccess);
    return 0;
}

static int talks_with_the_host() {
    int* words;
    CHECK(cudaMallocManaged(&words, 2 * sizeof(int)) == cudaSuccess);
    volatile int* const shared = words;
    shared[0] = shared[1] = 0;
    answer<<<1, 1>>>(words, words + 1, 5);
    for (int i = 1; i <= 5; ++i) {
        shared[0] = i;
        while (shared[1] != 10 * i) {
        }
    }
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(cudaFree(words) == cudaSuccess);
    return 0;
}

static int waits_for_another_stream() {
    int *flag, out = 0, *device_out;
    CHECK(cudaMalloc(&flag, sizeof(int)) == cudaSuccess);
    CHECK(cudaMalloc(&device_out, sizeof(int)) == cudaSuccess);
    CHECK(cudaMemset(flag, 0, sizeof(int)) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);  // streams that do not block would not wait
    cudaStream_t first, second, third;
    for (cudaStream_t* s : {&first, &second, &third})
        CHECK(cudaStreamCreateWithFlags(s, cudaStreamNonBlocking) == cudaSuccess);
    wait_for_flag<<<4, 64, 0, first>>>(flag, 3, device_out);
    cudaEvent_t done;
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming) == cudaSuccess);
    CHECK(cudaEventRecord(done, first) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(third, done, 0) == cudaSuccess);
    add_one<<<1, 1, 0, third>>>(device_out, 1);
    CHECK(cudaStreamQuery(third) == cudaErrorNotReady);
    set_flag<<<1, 1, 0, second>>>(flag, 3);
    CHECK(cudaStreamSynchronize(third) == cudaSuccess);
    // The default stream does not wait for these; its copy comes after what was waited for.
    CHECK(cudaMemcpy(&out, device_out, sizeof out, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(out == 4);
    for (cudaStream_t s : {first, second, third}) CHECK(cudaStreamDestroy(s) == cudaSuccess);
    CHECK(cudaFree(flag) == cudaSuccess && cudaFree(device_out) == cudaSuccess);
    return 0;
}

// What else streams do then: copies, memory, graphs, errors, the default stream's order.
static int works_in_order() {
    constexpr int n = 5000;
    std::vector<int> from(n, 1), to(n, -1);
    int* volatile_memory;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream) == cudaSuccess);
    CHECK(cudaMallocAsync(&volatile_memory, n * sizeof(int), stream) == cudaSuccess);
    CHECK(cudaMemcpyAsync(volatile_memory, from.data(), n * sizeof(int), cudaMemcpyHostToDevice,
                          stream) == cudaSuccess);
    from.assign(n, 100);  // pageable memory has been read
    add_one<<<(n + 255) / 256, 256, 0, stream>>>(volatile_memory, n);
    add_one<<<1, 2048, 0, stream>>>(volatile_memory, n);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    // The default stream waits for blocking ones, and they for it.
    add_one<<<(n + 255) / 256, 256>>>(volatile_memory, n);
    add_one<<<(n + 255) / 256, 256, 0, stream>>>(volatile_memory, n);
    CHECK(cudaMemcpyAsync(to.data(), volatile_memory, n * sizeof(int), cudaMemcpyDeviceToHost,
                          stream) == cudaSuccess);
    CHECK(cudaFreeAsync(volatile_memory, stream) == cudaSuccess);
    for (int x : to) CHECK(x == 4);  // pageable memory has been written
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);

    int* counted;
    CHECK(cudaMalloc(&counted, sizeof(int)) == cudaSuccess);
    CHECK(cudaMemsetAsync(counted, 0, sizeof(int), stream) == cudaSuccess);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    add_one<<<1, 1, 0, stream>>>(counted, 1);
    add_one<<<1, 1, 0, stream>>>(counted, 1);
    CHECK(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    CHECK(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
    for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess);
    CHECK(cudaGraphExecDestroy(exec) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
    int count = 0;
    CHECK(cudaMemcpy(&count, counted, sizeof count, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(count == 6);
    CHECK(cudaFree(counted) == cudaSuccess && cudaStreamDestroy(stream) == cudaSuccess);
    return 0;
}

// What is given to streams stays as it was given, whatever becomes of them.
static int waits_behind_a_gate() {
    int *gate, *data, *other, opened = 0, value = 0;
    CHECK(cudaMallocManaged(&gate, 2 * sizeof(int)) == cudaSuccess);
    CHECK(cudaMalloc(&data, sizeof(int)) == cudaSuccess);
    CHECK(cudaMalloc(&other, sizeof(int)) == cudaSuccess);
    CHECK(cudaMemset(data, 0, sizeof(int)) == cudaSuccess);
    volatile int* const door = gate;
    for (const bool leaves : {false, true}) {
        cudaStream_t stream;
        CHECK(cudaStreamCreate(&stream) == cudaSuccess);
        CHECK(cudaDeviceSynchronize() == cudaSuccess);
        door[0] = 0;
        wait_for_flag<<<1, 1, 0, stream>>>(gate, ++opened, gate + 1);
        int one = 1, ten = 10;
        void* arguments[] = {&data, &one};
        cudaGraph_t graph;
        cudaGraphNode_t node;
        cudaGraphExec_t exec;
        cudaKernelNodeParams p = {};
        p.func = reinterpret_cast<void*>(add);
        p.gridDim = p.blockDim = dim3(1);
        p.kernelParams = arguments;
        CHECK(cudaGraphCreate(&graph, 0) == cudaSuccess);
        CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p) == cudaSuccess);
        CHECK(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
        CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess);
        arguments[1] = &ten;
        CHECK(cudaGraphExecKernelNodeSetParams(exec, node, &p) == cudaSuccess);
        CHECK(cudaGraphLaunch(exec, stream) == cudaSuccess);
        cudaEvent_t reached;
        CHECK(cudaEventCreate(&reached) == cudaSuccess);
        CHECK(cudaEventRecordWithFlags(reached, stream, cudaEventRecordExternal) == cudaSuccess);
        CHECK(cudaStreamWaitEvent(stream, reached, cudaEventWaitExternal) == cudaSuccess);
        if (leaves) CHECK(cudaStreamDestroy(stream) == cudaSuccess);
        CHECK(cudaEventQuery(reached) == cudaErrorNotReady);
        CHECK(cudaMemset(other, 0, sizeof(int)) == cudaSuccess);  // does not wait for it
        CHECK(cudaMemcpyAsync(other, nullptr, 4, cudaMemcpyHostToDevice, nullptr) ==
              cudaErrorInvalidValue);
        CHECK(cudaGetLastError() == cudaErrorInvalidValue);
        door[0] = opened;
        CHECK((leaves ? cudaEventSynchronize(reached) : cudaDeviceSynchronize()) == cudaSuccess);
        CHECK(door[1] == opened);
        CHECK(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost) == cudaSuccess);
        CHECK(value == 11 * opened);
        if (!leaves) CHECK(cudaStreamDestroy(stream) == cudaSuccess);
        CHECK(cudaGraphExecDestroy(exec) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess);
    }
    CHECK(cudaFree(gate) == cudaSuccess && cudaFree(data) == cudaSuccess);
    CHECK(cudaFree(other) == cudaSuccess);
    return 0;
}

int main() {
    return polls_the_host() || talks_with_the_host() || waits_for_another_stream() ||
           works_in_order() || waits_behind_a_gate();
}

// A struct with an address of the host goes to the device and back, by all ways of copying, and
// comes back as it was: the host goes on with it, and kernels use its other members.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstring>
#include <vector>

#include "check.h"

struct numbers {
    const float* data;
    long count;
};
__global__ void grow(numbers* n) { n->count += n->data != nullptr; }

/// Takes the struct to the device and back.
template <class There, class Back>
void round_trip(const There& there, const Back& back) {
    std::vector<float> values(32, 1);
    numbers given{values.data(), 32}, got{};
    numbers* d = nullptr;
    OK(cudaMalloc(&d, sizeof given));
    there(d, &given);
    grow<<<1, 1>>>(d);
    OK(cudaDeviceSynchronize());
    back(&got, d);
    MUST(got.data == values.data() && got.count == 33 && got.data[31] == 1);
    OK(cudaFree(d));
}

constexpr std::size_t bytes = sizeof(numbers);

void copy_3d(void* to, const void* from, cudaMemcpyKind kind) {
    cudaMemcpy3DParms p{};
    p.srcPtr = make_cudaPitchedPtr(const_cast<void*>(from), bytes, bytes, 1);
    p.dstPtr = make_cudaPitchedPtr(to, bytes, bytes, 1);
    p.extent = make_cudaExtent(bytes, 1, 1);
    p.kind = kind;
    OK(cudaMemcpy3D(&p));
}

void copy_by_graph(void* to, const void* from, cudaMemcpyKind kind) {
    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaGraphNode_t node;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, to, from, bytes, kind));
    OK(cudaGraphInstantiate(&made, graph, 0));
    OK(cudaGraphLaunch(made, nullptr));
    OK(cudaDeviceSynchronize());
    OK(cudaGraphExecDestroy(made));
    OK(cudaGraphDestroy(graph));
}

void copy_in_batch(void* to, const void* from) {
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    cudaMemcpyAttributes how{};
    how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    std::size_t size = bytes, first = 0;
    void* target = to;
    const void* source = from;
    OK(cudaMemcpyBatchAsync(&target, &source, &size, 1, &how, &first, 1, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaStreamDestroy(stream));
}

int main() {
    round_trip([](void* d, const void* h) { OK(cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice)); },
               [](void* h, const void* d) { OK(cudaMemcpy(h, d, bytes, cudaMemcpyDefault)); });
    round_trip(
        [](void* d, const void* h) {
            OK(cudaMemcpy2D(d, 8, h, 8, 8, bytes / 8, cudaMemcpyHostToDevice));
        },
        [](void* h, const void* d) {
            OK(cudaMemcpy2D(h, 8, d, 8, 8, bytes / 8, cudaMemcpyDeviceToHost));
        });
    round_trip([](void* d, const void* h) { copy_3d(d, h, cudaMemcpyHostToDevice); },
               [](void* h, const void* d) { copy_3d(h, d, cudaMemcpyDeviceToHost); });
    round_trip([](void* d, const void* h) { copy_by_graph(d, h, cudaMemcpyHostToDevice); },
               [](void* h, const void* d) { copy_by_graph(h, d, cudaMemcpyDeviceToHost); });
    round_trip([](void* d, const void* h) { copy_in_batch(d, h); },
               [](void* h, const void* d) { copy_in_batch(h, d); });
    round_trip([](void* d,
                  const void* h) { OK(cuMemcpyHtoD(reinterpret_cast<CUdeviceptr>(d), h, bytes)); },
               [](void* h, const void* d) {
                   OK(cuMemcpyDtoH(h, reinterpret_cast<CUdeviceptr>(const_cast<void*>(d)), bytes));
               });
    // Through another place of the device, and by way of pinned memory.
    round_trip(
        [](void* d, const void* h) {
            void *other = nullptr, *pinned = nullptr;
            OK(cudaMalloc(&other, bytes));
            OK(cudaMallocHost(&pinned, bytes));
            std::memcpy(pinned, h, bytes);
            OK(cudaMemcpyAsync(other, pinned, bytes, cudaMemcpyHostToDevice, nullptr));
            OK(cudaMemcpyAsync(d, other, bytes, cudaMemcpyDeviceToDevice, nullptr));
            OK(cudaDeviceSynchronize());
            OK(cudaFree(other));
            OK(cudaFreeHost(pinned));
        },
        [](void* h, const void* d) { OK(cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost)); });
    return verdict();
}

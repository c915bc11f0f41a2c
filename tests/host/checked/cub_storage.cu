// What --check sees of temporary storage: checked.py puts each number for CASE.
// 0 finds: nothing
// 1 finds: out_of_bounds: CUB, in its temporary storage: writes
// 2 finds: illegal_address: CUB, in its temporary storage: writes device memory through a pointer to host memory
// 3 finds: use_after_free: CUB, in its temporary storage: writes
// 4 finds: nothing
// 5 finds: out_of_bounds: CUB, in its temporary storage: writes
// 6 finds: nothing
#include <cub/cub.cuh>

#include <algorithm>
#include <vector>

int main() {
    const int n = 20000;
    std::vector<unsigned> keys(n), got(n);
    for (int i = 0; i < n; ++i) keys[i] = i * 2654435761u;
    unsigned *in, *out;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&out, n * sizeof *out);
    cudaMemcpy(in, keys.data(), n * sizeof *in, cudaMemcpyHostToDevice);
    size_t bytes = 0, few = 0;
    cub::DeviceRadixSort::SortKeys(nullptr, bytes, (unsigned*)nullptr, (unsigned*)nullptr, n);
    cub::DeviceRadixSort::SortKeys(nullptr, few, in, out, 100);
    void* storage = nullptr;
    // 1: the storage of a smaller call. 5: it begins behind the first bytes of a buffer for it.
    cudaMalloc(&storage, CASE == 1 ? few : bytes);
    std::vector<char> hosts(bytes);
    if (CASE == 2) storage = hosts.data();
    if (CASE == 3) cudaFree(storage);
    if (CASE == 5) storage = (char*)storage + 256;
    if (CASE == 4) bytes = few;  // is refused
    cudaError_t end = cudaSuccess;
    if (CASE == 6) {  // the storage is that of a graph
        cudaStream_t stream;
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        void* of_graph;
        cudaStreamCreate(&stream);
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        cudaMallocAsync(&of_graph, bytes, stream);
        end = cub::DeviceRadixSort::SortKeys(of_graph, bytes, in, out, n, 0, 32, stream);
        cudaFreeAsync(of_graph, stream);
        cudaStreamEndCapture(stream, &graph);
        cudaGraphInstantiate(&exec, graph, 0);
        cudaGraphLaunch(exec, stream);
        cudaStreamSynchronize(stream);
        cudaGraphExecDestroy(exec);
        cudaGraphDestroy(graph);
        cudaStreamDestroy(stream);
    } else {
        end = cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, n);
    }
    if (CASE == 4) return end == cudaErrorInvalidValue ? 0 : 1;
    // Two buffers of the program's are enough, and so is any storage for keys of one pass.
    size_t least = 0;
    cub::DoubleBuffer<unsigned> both(in, out);
    cub::DeviceRadixSort::SortKeys(nullptr, least, both, n);
    if (least >= n) return 2;
    cudaMemcpy(got.data(), out, n * sizeof *out, cudaMemcpyDeviceToHost);
    std::sort(keys.begin(), keys.end());
    cudaFree(in);
    cudaFree(out);
    cudaFree(storage);
    return end == cudaSuccess && got == keys ? 0 : 1;
}

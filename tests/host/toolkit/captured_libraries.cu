// Calls of CUB, cuBLAS and cuFFT in a captured stream: done at each launch of the graph, with the
// factors that the host gave at the time of the capture.
#include <cublas_v2.h>
#include <cufft.h>

#include <cub/cub.cuh>

#include "check.h"

struct add_one {
    __device__ void operator()(int& x) const { ++x; }
};

__global__ void count_down(cudaGraphConditionalHandle handle, int* left) {
    cudaGraphSetConditional(handle, --*left > 0 ? 1 : 0);
}

__global__ void fill(float* x, int n, float base) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = base + static_cast<float>(i % 7);
}

int main() {
    constexpr int n = 512;
    float *x = managed<float>(n), *sum = managed<float>(2), *product = managed<float>(64),
          *y = managed<float>(n);
    cufftComplex* waves = managed<cufftComplex>((n / 2 + 1));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    void* storage = nullptr;
    std::size_t bytes = 0;
    cub::DeviceReduce::Sum(storage, bytes, x, sum, n, stream);
    cudaMalloc(&storage, bytes);
    cublasHandle_t blas;
    cublasCreate(&blas);
    cublasSetStream(blas, stream);
    cufftHandle plan;
    cufftPlan1d(&plan, n, CUFFT_R2C, 1);
    cufftSetStream(plan, stream);
    for (int i = 0; i < n; ++i) x[i] = 0, y[i] = 1;
    for (int i = 0; i < 64; ++i) product[i] = -1;
    sum[0] = sum[1] = -1;
    int *counters = managed<int>(10), *bins = managed<int>(7);
    for (int i = 0; i < 10; ++i) counters[i] = 0;

    cudaGraph_t graph;
    cudaGraphExec_t exec;
    float base = 2;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    fill<<<2, 256, 0, stream>>>(x, n, base);
    OK(cub::DeviceReduce::Sum(storage, bytes, x, sum, n, stream));
    OK(cub::DeviceFor::ForEach(counters, counters + 10, add_one{}, stream));
    {
        int *lists[1] = {bins}, levels[1] = {8};
        float low[1] = {2}, high[1] = {9};
        MUST((cub::DeviceHistogram::MultiHistogramEven<1, 1>(storage, bytes, x, lists, levels, low,
                                                             high, n, stream) == cudaSuccess));
        lists[0] = nullptr, levels[0] = 0, low[0] = high[0] = 0;
    }
    {
        float alpha = 0.5F, beta = 0;
        OK(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 8, 8, 8, &alpha, x, 8, x + 64, 8, &beta,
                       product, 8));
        OK(cublasSaxpy(blas, n, &alpha, x, 1, y, 1));
        alpha = 100;  // after the calls
    }
    cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE);
    OK(cublasSdot(blas, n, x, 1, x, 1, sum + 1));
    OK(cufftExecR2C(plan, x, waves));
    OK(cudaStreamEndCapture(stream, &graph));
    MUST(sum[0] == -1 && product[0] == -1 && y[0] == 1);  // nothing has run
    std::size_t nodes = 0;
    MUST(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess && nodes == 8);
    unsigned long long flags = 1;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphExecGetFlags(exec, &flags) == cudaSuccess && flags == 0);

    for (int turn = 1; turn <= 2; ++turn) {
        sum[0] = sum[1] = -1;
        OK(cudaGraphLaunch(exec, stream));
        OK(cudaStreamSynchronize(stream));
        double total = 0, squares = 0;
        for (int i = 0; i < n; ++i) total += x[i], squares += double(x[i]) * x[i];
        MUST(x[8] == 3 && sum[0] == static_cast<float>(total));
        for (int i = 0; i < 10; ++i) MUST(counters[i] == turn);
        for (int i = 0; i < 7; ++i) MUST(bins[i] == n / 7 + (i < n % 7 ? 1 : 0));
        MUST(std::fabs(sum[1] - squares) < 1e-3);
        MUST(std::fabs(waves[0].x - total) < 1e-2 && std::fabs(waves[0].y) < 1e-2);
        for (int i = 0; i < n; ++i) MUST(y[i] == 1 + 0.5F * static_cast<float>(turn) * x[i]);
        for (int row = 0; row < 8; ++row)
            for (int column = 0; column < 8; ++column) {
                float expected = 0;
                for (int k = 0; k < 8; ++k) expected += x[k * 8 + row] * x[64 + column * 8 + k];
                MUST(product[column * 8 + row] == 0.5F * expected);
            }
    }
    // In a loop within a graph, each turn begins anew.
    cudaGraph_t loop;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t node;
    cudaGraphNodeParams params{};
    int* left;
    cudaMallocManaged(&left, sizeof *left);
    *left = 3;
    OK(cudaGraphCreate(&loop, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, loop, 1, cudaGraphCondAssignDefault));
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    OK(cudaGraphAddNode(&node, loop, nullptr, nullptr, 0, &params));
    cudaGraph_t body = params.conditional.phGraph_out[0];
    OK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0,
                                     cudaStreamCaptureModeGlobal));
    OK(cub::DeviceFor::ForEach(counters, counters + 10, add_one{}, stream));
    count_down<<<1, 1, 0, stream>>>(handle, left);
    OK(cudaStreamEndCapture(stream, &body));
    OK(cudaGraphInstantiate(&exec, loop, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 10; ++i) MUST(counters[i] == 2 + 3);
    return verdict();
}

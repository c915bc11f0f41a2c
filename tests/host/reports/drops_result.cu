// reports: call cudaMemcpy in line 15 returned invalid argument
// must not report: cudaFree
// The first call that fails and whose result the program drops. A result that it looks at, and a
// call that is not ready or succeeds, are not told.
int main(int count, char**) {
    float* to = nullptr;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    if (cudaMalloc(&to, 64) != cudaSuccess) return 1;
    const cudaError_t seen = cudaSetDevice(3);
    if (seen == cudaSuccess) return 2;
    if (count > 5)
        cudaFree(to);
    else
        cudaMemcpy(
            to, &count, 65, cudaMemcpyHostToDevice);
    cudaFree(to + 1);
    cudaStreamDestroy(stream);
    return 0;
}

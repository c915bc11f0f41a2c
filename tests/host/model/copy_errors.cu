// The call reports what is wrong with a copy or a fill, whatever the stream has to do.
#include "check.h"

int main() {
    cudaStream_t s;
    char *p, *q, *h;
    cudaStreamCreate(&s);
    cudaMalloc(&p, 256), cudaMalloc(&q, 256), cudaMallocHost(&h, 256);
    const auto format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    cudaMallocArray(&array, &format, 6, 4);
    const auto d2d = cudaMemcpyDeviceToDevice;
    REFUSED(cudaMemcpy2DAsync(q, 4, p, 9, 5, 3, d2d, s), cudaErrorInvalidPitchValue);
    REFUSED(cudaMemcpy2DAsync(q, 9, p, 9, 5, 3, cudaMemcpyHostToDevice, s), cudaErrorInvalidValue);
    REFUSED(cudaMemcpyPeerAsync(q, 9, p, 0, 8, s), cudaErrorInvalidDevice);
    cudaMemcpy3DPeerParms b{};
    b.srcPtr = make_cudaPitchedPtr(p, 8, 8, 1), b.dstPtr = make_cudaPitchedPtr(q, 8, 8, 1);
    b.extent = make_cudaExtent(8, 1, 1), b.srcDevice = 9;
    REFUSED(cudaMemcpy3DPeerAsync(&b, s), cudaErrorInvalidDevice);
    cudaMemcpy3DParms c{};
    c.srcPtr = b.srcPtr, c.dstPtr = b.dstPtr, c.extent = make_cudaExtent(9, 1, 1), c.kind = d2d;
    REFUSED(cudaMemcpy3DAsync(&c, s), cudaErrorInvalidPitchValue);
    REFUSED(cudaMemcpyToArrayAsync(array, 0, 0, h, 100, cudaMemcpyHostToDevice, s),
            cudaErrorInvalidValue);
    REFUSED(cudaMemcpyFromArrayAsync(h, array, 0, 0, 100, cudaMemcpyDeviceToHost, s),
            cudaErrorInvalidValue);
    REFUSED(cudaMemcpy2DToArrayAsync(array, 4, 2, h, 24, 8, 3, cudaMemcpyHostToDevice, s),
            cudaErrorInvalidValue);
    REFUSED(cudaMemcpy2DFromArrayAsync(h, 4, array, 0, 0, 8, 3, cudaMemcpyDeviceToHost, s),
            cudaErrorInvalidPitchValue);
    REFUSED(cudaMemsetAsync(p, 1, 1 << 30, s), cudaErrorInvalidValue);
    REFUSED(cudaMemset2DAsync(p, 4, 1, 5, 2, s), cudaErrorInvalidValue);
    REFUSED(cudaStreamSynchronize(s), cudaSuccess);
    return verdict();
}

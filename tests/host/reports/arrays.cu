// reports: launches 1; from-kernels 65536
// What comes out of a CUDA array counts once a kernel has run, and 2D copies row by row.
#include <vector>

__global__ void write(cudaSurfaceObject_t to) {
    surf2Dwrite(1.0f, to, 4 * (int)(blockIdx.x * blockDim.x + threadIdx.x), (int)blockIdx.y);
}

int main() {
    cudaArray_t array;
    const cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &d, 128, 128, cudaArraySurfaceLoadStore);
    cudaResourceDesc about = {};
    about.resType = cudaResourceTypeArray;
    about.res.array.array = array;
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &about);
    write<<<dim3(1, 128), 128>>>(surface);
    std::vector<float> y(128 * 128);
    cudaMemcpy2DFromArray(y.data(), 512, array, 0, 0, 512, 128, cudaMemcpyDeviceToHost);
    return y[300] == 1 ? 0 : 1;
}

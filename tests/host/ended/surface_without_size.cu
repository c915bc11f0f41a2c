// ends: cuset-host: illegal_address: a kernel accesses 4 bytes at byte * of a surface's row: x counts bytes, and has to be a multiple
// x is that of the texture: the size of an element is forgotten.
__global__ void fill(cudaSurfaceObject_t surface, int width, int height) {
    int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height) surf2Dwrite(float(x + y), surface, x, y);
}

int main() {
    const int width = 16, height = 8;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore);
    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeArray;
    what.res.array.array = array;
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &what);
    fill<<<1, dim3(width, height)>>>(surface, width, height);
    return cudaDeviceSynchronize();
}

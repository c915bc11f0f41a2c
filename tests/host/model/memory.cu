// Memory of all kinds: pinned, mapped, managed, pitched; copies in one and two dimensions; memset.
#include <cstdlib>

#include "check.h"

__managed__ int shared_counter = 5;
__managed__ float shared_row[4];

__global__ void add(int* values, int n, int amount) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += amount;
}
__global__ void pitched(char* base, std::size_t pitch, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) ((float*)(base + y * pitch))[x] += 1000 * y + x;
}
__global__ void count_managed() {
    atomicAdd(&shared_counter, 2);
    shared_row[threadIdx.x % 4] = threadIdx.x % 4 + 0.5f;
}
struct node {
    int value;
    node* next;
};
__global__ void double_list(node* head) {
    for (node* n = head; n; n = n->next) n->value *= 2;
}

int main() {
    const int n = 1000;
    // Managed memory: written by the host, changed by a kernel, read by the host.
    int* managed = nullptr;
    OK(cudaMallocManaged(&managed, n * sizeof(int)));
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < n; ++i) managed[i] = i;
        add<<<8, 128>>>(managed, n, 7);
        OK(cudaDeviceSynchronize());
        for (int i = 0; i < n; ++i) expect("managed", i, managed[i], i + 7);
    }
    OK(cudaMemset(managed, 0, n * sizeof(int)));
    OK(cudaDeviceSynchronize());
    expect("managed, memset", 0, managed[n - 1], 0);
    OK(cudaFree(managed));
    shared_counter += 10;
    count_managed<<<1, 32>>>();
    OK(cudaDeviceSynchronize());
    expect("__managed__", 0, shared_counter, 79);
    for (int i = 0; i < 4; ++i) expect("__managed__ array", i, shared_row[i], i + 0.5f);
    node* nodes = nullptr;
    OK(cudaMallocManaged((void**)&nodes, 10 * sizeof(node), cudaMemAttachGlobal));
    for (int i = 0; i < 10; ++i) nodes[i] = {i, i < 9 ? &nodes[i + 1] : nullptr};
    double_list<<<1, 1>>>(nodes);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 10; ++i) expect("list", i, nodes[i].value, i * 2);
    OK(cudaFree(nodes));

    // Pinned memory that kernels see too.
    int *pinned = nullptr, *seen = nullptr;
    OK(cudaHostAlloc(&pinned, n * sizeof(int), cudaHostAllocMapped));
    for (int i = 0; i < n; ++i) pinned[i] = -i;
    OK(cudaHostGetDevicePointer(&seen, pinned, 0));
    add<<<8, 128>>>(seen, n, 4);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) expect("mapped", i, pinned[i], 4 - i);
    OK(cudaFreeHost(pinned));
    int* own = static_cast<int*>(std::malloc(n * sizeof(int)));
    OK(cudaHostRegister(own, n * sizeof(int), cudaHostRegisterDefault));
    for (int i = 0; i < n; ++i) own[i] = i;
    int* values = device<int>(n);
    OK(cudaMemcpy(values, own, n * sizeof(int), cudaMemcpyDefault));
    OK(cudaHostUnregister(own));
    std::free(own);

    // From device to device, parts, and bytes.
    int* other = device<int>(n);
    OK(cudaMemcpy(other + 10, values + 20, 100 * sizeof(int), cudaMemcpyDeviceToDevice));
    OK(cudaMemset(other + 500, 0x5a, 8));
    const std::vector<int> moved = taken(other, n);
    for (int i = 0; i < n; ++i)
        expect("device to device", i, moved[i],
               i == 500 || i == 501 ? 0x5a5a5a5a
               : i >= 10 && i < 110 ? i + 10
                                    : -1);
    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, values + 3));
    expect("type of memory", 0, attributes.type, cudaMemoryTypeDevice);
    OK(cudaFree(values));

    // Rows of a pitch.
    const int width = 37, height = 11;
    float* image = nullptr;
    std::size_t pitch = 0;
    OK(cudaMallocPitch(&image, &pitch, width * sizeof(float), height));
    expect("pitch", 0, pitch >= width * sizeof(float) && pitch % 32 == 0, 1);
    OK(cudaMemset2D(image, pitch, 0, width * sizeof(float), height));
    pitched<<<dim3(3, 2), dim3(16, 8)>>>((char*)image, pitch, width, height);
    float rows[height][40];
    for (auto& row : rows)
        for (float& cell : row) cell = -1;
    OK(cudaMemcpy2D(rows, 40 * sizeof(float), image, pitch, width * sizeof(float), height,
                    cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < 40; ++x)
            expect("pitched", y * 40 + x, rows[y][x], x < width ? 1000 * y + x : -1);
    // A part of the rows, back to the device.
    OK(cudaMemcpy2D((char*)image + 2 * pitch + 4, pitch, &rows[5][10], 40 * sizeof(float),
                    6 * sizeof(float), 3, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(rows, 40 * sizeof(float), image, pitch, width * sizeof(float), height,
                    cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const bool part = y >= 2 && y < 5 && x >= 1 && x < 7;
            expect("part", y * 40 + x, rows[y][x], part ? 1000 * (y + 3) + x + 9 : 1000 * y + x);
        }
    OK(cudaFree(image));

    // Nothing, and much.
    OK(cudaFree(nullptr));
    OK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    std::size_t unused = 0, all = 0;
    OK(cudaMemGetInfo(&unused, &all));
    expect("memory", 0, unused > 0 && unused <= all, 1);
    void* pointer = &unused;
    expect("too much", 0, cudaMalloc(&pointer, std::size_t(1) << 50), cudaErrorMemoryAllocation);
    expect("its error", 0, cudaGetLastError(), cudaErrorMemoryAllocation);
    return verdict();
}

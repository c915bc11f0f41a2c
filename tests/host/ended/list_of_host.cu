// ends: cuset-host: illegal_address: kernel sum, block (0,0,0), thread (0,0,0): uses a pointer to host memory that was copied to the device
// The nodes of a list are copied one by one, with the host's links.
#include <cuda_runtime.h>
struct node {
    int value;
    node* next;
};
__global__ void sum(const node* at, int* total) {
    for (; at != nullptr; at = at->next) *total += at->value;
}

int main() {
    node* head = nullptr;
    for (int i = 0; i < 5; ++i) head = new node{i, head};
    node* copies = nullptr;
    int* total = nullptr;
    cudaMalloc(&copies, 5 * sizeof(node));
    cudaMalloc(&total, sizeof(int));
    cudaMemset(total, 0, sizeof(int));
    int i = 0;
    for (const node* at = head; at != nullptr; at = at->next)
        cudaMemcpy(copies + i++, at, sizeof *at, cudaMemcpyHostToDevice);
    sum<<<1, 1>>>(copies, total);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}

// malloc, free, new and delete in kernels; pointers to what they give, and to a device's variables,
// come back as arguments of later launches.
#include <cstdio>

#include "check.h"

struct node {
    int value;
    node* next;
};
__device__ node pool[10];

template <int How>
__global__ void make(node** out) {
    node* head = nullptr;
    for (int i = 0; i < 10; ++i) {
        node* made;
        if (How == 0) {
            made = (node*)malloc(sizeof(node));
            made->value = i;
            made->next = head;
        } else if (How == 1) {
            made = new node{i, head};
        } else {
            made = pool + i;
            pool[i] = {i, head};
        }
        head = made;
    }
    *out = head;
}
__global__ void sum(const node* from, int* to) {
    *to = 0;
    for (; from != nullptr; from = from->next) *to += from->value;
}
template <int How>
__global__ void drop(node* from) {
    while (from != nullptr) {
        node* next = from->next;
        if (How == 0) free(from);
        if (How == 1) delete from;
        from = next;
    }
}
__global__ void reverse_in_own_memory(const int* in, int* out, int n) {
    int* mine = new int[n];
    for (int i = 0; i < n; ++i) mine[i] = in[i] + threadIdx.x;
    for (int i = 0; i < n; ++i) out[threadIdx.x * n + i] = mine[n - 1 - i];
    delete[] mine;
}
__device__ __host__ int on_both_sides(int n) {
    int* mine = (int*)malloc(n * sizeof(int));
    for (int i = 0; i < n; ++i) mine[i] = i;
    const int last = mine[n - 1];
    free(mine);
    return last;
}
__global__ void ask(int* to) { *to = on_both_sides(10); }

template <int How>
static void round_trip() {
    node **out, *head = nullptr;
    int* to;
    int got = 0;
    cudaMalloc(&out, sizeof *out);
    cudaMalloc(&to, sizeof *to);
    make<How><<<1, 1>>>(out);
    cudaMemcpy(&head, out, sizeof head, cudaMemcpyDeviceToHost);
    sum<<<1, 1>>>(head, to);
    cudaMemcpy(&got, to, sizeof got, cudaMemcpyDeviceToHost);
    drop<How><<<1, 1>>>(head);
    ask<<<1, 1>>>(to);
    int last = 0;
    cudaMemcpy(&last, to, sizeof last, cudaMemcpyDeviceToHost);
    expect("sum", How, got, 45);
    expect("last", How, last, 9);
    MUST(on_both_sides(5) == 4);
    cudaFree(out);
    cudaFree(to);
}

// The heap has 8 MiB until the program asks for more.
__global__ void fill_heap(std::size_t piece, int* got) {
    void* pieces[16];
    *got = 0;
    for (auto& p : pieces) *got += (p = malloc(piece)) != nullptr;
    for (void* p : pieces) free(p);
}

__global__ void leave_in_heap(std::size_t bytes) { malloc(bytes); }

static void limits() {
    int* got = managed<int>(1);
    const auto filled = [&](std::size_t piece) {
        fill_heap<<<1, 1>>>(piece, got);
        wait_for_device();
        return *got;
    };
    MUST(filled(1 << 20) <= 8 && *got >= 6);
    MUST(filled((1 << 20) - (64 << 10)) <= 8 && *got >= 6);  // what was freed is there again
    MUST(filled(1 << 10) == 16);
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20);
    MUST(filled(1 << 20) == 16);
    MUST(filled(std::size_t{64} << 20) <= 1);
    // What is never freed counts until the device is reset.
    leave_in_heap<<<1, 1>>>(std::size_t{60} << 20);
    MUST(filled(1 << 20) <= 4);
    cudaDeviceReset();
    got = managed<int>(1);
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20);
    MUST(filled(1 << 20) == 16);
}

int main() {
    limits();
    round_trip<0>(), round_trip<1>(), round_trip<2>();
    const int n = 100, threads = 64;
    int *in = managed<int>(n), *out = managed<int>(threads * n);
    for (int i = 0; i < n; ++i) in[i] = i;
    reverse_in_own_memory<<<1, threads>>>(in, out, n);
    wait_for_device();
    for (int i = 0; i < threads * n; ++i) MUST(out[i] == n - 1 - i % n + i / n);
    int* hosts = new int[3];
    delete[] hosts;
    return verdict();
}

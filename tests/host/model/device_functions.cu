// Addresses of functions, and objects with virtual functions, that come from the device: kernels
// may use them, by whatever way the host gives them back.
#include <new>

#include "check.h"

#define EQ(got, wanted) expect(#got, __LINE__, got, wanted)

typedef int (*operation)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int next(int x) { return x + 1; }
__host__ __device__ int square(int x) { return x * x; }

__device__ operation d_twice = twice;
__device__ operation d_table[] = {twice, next, square};
__constant__ operation c_table[] = {next, square};
__constant__ operation c_filled[2];
__managed__ operation m_table[2] = {twice, square};
__managed__ operation m_chosen;

struct stage {
    operation function;
    int times;
};

__global__ void call(operation f, int x, int* to) { *to = f(x); }
__global__ void call_all(const operation* f, int n, int x, int* to) {
    for (int i = 0; i < n; ++i) to[i] = f[i](x);
}
__global__ void call_stage(stage s, int x, int* to) {
    for (int i = 0; i < s.times; ++i) x = s.function(x);
    *to = x;
}
__global__ void call_tables(int x, int* to) {
    to[0] = d_table[2](x);
    to[1] = c_table[0](x);
    to[2] = c_filled[0](x);
    to[3] = c_filled[1](x);
}
template <operation f>
__global__ void call_constant(int x, int* to) {
    *to = f(x);
}
template <class F>
__global__ void call_any(F f, int x, int* to) {
    *to = f(x);
}
__global__ void choose(operation* to, int which) {
    *to = which == 0 ? twice : which == 1 ? next : square;
}
__global__ void choose_in_variable(int which) { m_chosen = which == 0 ? twice : next; }
__global__ void call_later(int x, int* to) {
    const operation f = next;
    const stage s{square, 2};
#ifdef __CUDA_ARCH__
    call<<<1, 1>>>(f, x, to);
    call_stage<<<1, 1>>>(s, x, to + 1);
#endif
}

static int answer(int* d, int i = 0) {
    int got[8];
    OK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    return got[i];
}

struct adder {
    int by;
    __host__ __device__ int operator()(int x) const { return x + by; }
};

static void from_symbols(int* d) {
    operation f = nullptr;
    OK(cudaMemcpyFromSymbol(&f, d_twice, sizeof f));
    call<<<1, 1>>>(f, 5, d);
    EQ(answer(d), 10);
    call_any<<<1, 1>>>(f, 7, d);
    EQ(answer(d), 14);
    call_stage<<<1, 1>>>(stage{f, 3}, 1, d);
    EQ(answer(d), 8);

    operation all[3];
    OK(cudaMemcpyFromSymbol(all, d_table, sizeof all));
    operation* copied = nullptr;
    OK(cudaMalloc(&copied, sizeof all));
    OK(cudaMemcpy(copied, all, sizeof all, cudaMemcpyHostToDevice));
    call_all<<<1, 1>>>(copied, 3, 6, d);
    EQ(answer(d, 0), 12);
    EQ(answer(d, 1), 7);
    EQ(answer(d, 2), 36);
    OK(cudaFree(copied));

    operation constants[2];
    OK(cudaMemcpyFromSymbol(constants, c_table, sizeof constants));
    OK(cudaMemcpyToSymbol(c_filled, constants, sizeof constants));
    call_tables<<<1, 1>>>(4, d);
    EQ(answer(d, 0), 16);
    EQ(answer(d, 1), 5);
    EQ(answer(d, 2), 5);
    EQ(answer(d, 3), 16);

    void* at = nullptr;
    OK(cudaGetSymbolAddress(&at, d_table));
    OK(cudaMemcpy(&f, static_cast<operation*>(at) + 1, sizeof f, cudaMemcpyDeviceToHost));
    call<<<1, 1>>>(f, 9, d);
    EQ(answer(d), 10);
    call_all<<<1, 1>>>(static_cast<operation*>(at), 2, 9, d);
    EQ(answer(d, 1), 10);
}

static void from_kernels(int* d) {
    operation f = nullptr, *place = nullptr;
    OK(cudaMalloc(&place, sizeof f));
    choose<<<1, 1>>>(place, 1);
    OK(cudaMemcpy(&f, place, sizeof f, cudaMemcpyDeviceToHost));
    OK(cudaFree(place));
    call<<<1, 1>>>(f, 1, d);
    EQ(answer(d), 2);

    // Managed memory that is gone, or has another function's address, when the kernel is launched.
    operation first = nullptr, second = nullptr;
    OK(cudaMallocManaged(&place, sizeof f));
    choose<<<1, 1>>>(place, 2);
    OK(cudaDeviceSynchronize());
    first = *place;
    choose<<<1, 1>>>(place, 0);
    OK(cudaDeviceSynchronize());
    second = *place;
    OK(cudaFree(place));
    call<<<1, 1>>>(first, 3, d);
    EQ(answer(d), 9);
    call<<<1, 1>>>(second, 3, d);
    EQ(answer(d), 6);

    OK(cudaMallocHost(&place, sizeof f));
    choose<<<1, 1>>>(place, 2);
    OK(cudaDeviceSynchronize());
    call_stage<<<1, 1>>>(stage{*place, 2}, 2, d);
    EQ(answer(d), 16);
    OK(cudaFreeHost(place));

    // In the middle of a large one.
    OK(cudaMallocManaged(&place, 100000 * sizeof f));
    choose<<<1, 1>>>(place + 50000, 1);
    OK(cudaDeviceSynchronize());
    call<<<1, 1>>>(place[50000], 3, d);
    EQ(answer(d), 4);
    OK(cudaFree(place));

    call<<<1, 1>>>(m_table[1], 5, d);
    EQ(answer(d), 25);
    choose_in_variable<<<1, 1>>>(0);
    OK(cudaDeviceSynchronize());
    call<<<1, 1>>>(m_chosen, 5, d);
    EQ(answer(d), 10);

    call_later<<<1, 1>>>(3, d);
    OK(cudaDeviceSynchronize());
    EQ(answer(d, 0), 4);
    EQ(answer(d, 1), 81);
}

static void without_addresses(int* d) {
    call_constant<twice><<<1, 1>>>(8, d);
    EQ(answer(d), 16);
    call_constant<square><<<1, 1>>>(8, d);
    EQ(answer(d), 64);
    call_any<<<1, 1>>>(adder{3}, 8, d);
    EQ(answer(d), 11);
    // Addresses that no kernel calls.
    call_stage<<<1, 1>>>(stage{square, 0}, 8, d);
    EQ(answer(d), 8);
}

struct shape {
    __host__ __device__ virtual ~shape() {}
    __host__ __device__ virtual int corners() const = 0;
};
struct polygon : shape {
    int n;
    __host__ __device__ explicit polygon(int corners) : n(corners) {}
    __host__ __device__ int corners() const override { return n; }
};
__global__ void make(polygon* to, int n) {
    for (int i = 0; i < n; ++i) new (to + i) polygon(i + 3);
}
__global__ void count(const polygon* all, int n, int* to) {
    *to = 0;
    for (int i = 0; i < n; ++i) {
        const shape& s = all[i];
        *to += s.corners();
    }
}
__global__ void count_of_value(polygon one, const shape* other, int* to) {
    const shape* const both[] = {&one, other};
    *to = 0;
    for (const shape* s : both) *to += s->corners();
}

/// The bytes of objects that kernels have made go through the host and come back.
static void objects(int* d, int n) {
    polygon *made = nullptr, *moved = nullptr;
    const std::size_t bytes = n * sizeof(polygon);
    OK(cudaMalloc(&made, bytes));
    OK(cudaMalloc(&moved, bytes));
    make<<<1, 1>>>(made, n);
    std::vector<unsigned char> kept(bytes);
    OK(cudaMemcpy(kept.data(), made, bytes, cudaMemcpyDeviceToHost));
    OK(cudaMemset(made, 0, bytes));
    OK(cudaMemcpy(moved, kept.data(), bytes, cudaMemcpyHostToDevice));
    count<<<1, 1>>>(moved, n, d);
    EQ(answer(d), n * (n + 5) / 2);
    for (int i = 0; i < n; ++i)
        OK(cudaMemcpy(made + i, kept.data() + i * sizeof(polygon), sizeof(polygon),
                      cudaMemcpyHostToDevice));
    count<<<1, 1>>>(made, n, d);
    EQ(answer(d), n * (n + 5) / 2);
    count_of_value<<<1, 1>>>(*reinterpret_cast<polygon*>(kept.data()), made, d);
    EQ(answer(d), 6);
    OK(cudaFree(made));
    OK(cudaFree(moved));
}

/// Plain members of an object that host code has made.
__global__ void read_member(const polygon* p, polygon by_value, int* to) {
    *to = p->n + by_value.n;
}
static void members(int* d) {
    const polygon here(7);
    polygon* there = nullptr;
    OK(cudaMalloc(&there, sizeof here));
    OK(cudaMemcpy(there, &here, sizeof here, cudaMemcpyHostToDevice));
    read_member<<<1, 1>>>(there, here, d);
    EQ(answer(d), 14);
    alignas(polygon) unsigned char back[sizeof here];
    OK(cudaMemcpy(back, there, sizeof here, cudaMemcpyDeviceToHost));
    const shape* const s = reinterpret_cast<polygon*>(back);
    EQ(s->corners(), 7);
    OK(cudaFree(there));
}

int main() {
    int* d = nullptr;
    OK(cudaMalloc(&d, 8 * sizeof(int)));
    OK(cudaMemset(d, 0, 8 * sizeof(int)));
    without_addresses(d);
    members(d);
    from_symbols(d);
    from_kernels(d);
    objects(d, 10);
    objects(d, 1000);
    OK(cudaFree(d));
    return verdict();
}

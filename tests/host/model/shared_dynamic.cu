// Dynamic shared memory: several types carved from one array, kernels with other types, its size.
#include "check.h"

// As the Programming Guide does it: largest alignment first.
extern __shared__ double whole[];

__global__ void carved(double* out, int n) {
    double* d = whole;
    float* f = (float*)&d[n];
    int* i = (int*)&f[n];
    unsigned char* c = (unsigned char*)&i[n];
    const int t = threadIdx.x;
    d[t] = t * 0.5;
    f[t] = t * 2.0f;
    i[t] = -t;
    c[t] = 255 - t;
    __syncthreads();
    const int o = n - 1 - t;
    out[t] = d[o] * 1e9 + f[o] * 1e6 + i[o] * 1e3 + c[o];
}

__global__ void reversed(short* values) {
    extern __shared__ short shorts[];
    const int t = threadIdx.x;
    shorts[t] = values[t];
    __syncthreads();
    values[t] = shorts[blockDim.x - 1 - t];
}

struct cell {
    int key;
    double value;
};
__global__ void of_structs(double* out) {
    extern __shared__ cell cells[];
    const int t = threadIdx.x;
    cells[t] = {t, t * 1.5};
    __syncthreads();
    const cell& other = cells[(t + 1) % blockDim.x];
    out[t] = other.key + other.value;
}

// Templates cannot have one name for two types: the usual way around.
template <class T>
struct shared_memory {
    __device__ operator T*() {
        extern __shared__ int raw[];
        return (T*)raw;
    }
};
template <class T>
__global__ void sum(const T* values, T* out) {
    T* s = shared_memory<T>();
    __shared__ int beside[64];
    const int t = threadIdx.x;
    beside[t % 64] = 1;
    s[t] = values[t];
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (t < step) s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0) *out = s[0] + (beside[63] - 1);
}

// Seen from a device function too: it is the same memory.
__device__ int& slot(int i) {
    extern __shared__ int slots[];
    return slots[i];
}
__global__ void through_function(int* out) {
    extern __shared__ int mine[];
    mine[threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    out[threadIdx.x] = slot(blockDim.x - 1 - threadIdx.x);
}

template <class T>
static void check_sum(const char* what) {
    std::vector<T> values(128);
    for (int i = 0; i < 128; ++i) values[i] = i + 1;
    T *in = device<T>(128), *out = device<T>(1);
    OK(cudaMemcpy(in, values.data(), 128 * sizeof(T), cudaMemcpyHostToDevice));
    sum<T><<<1, 128, 128 * sizeof(T)>>>(in, out);
    expect(what, 0, taken(out, 1)[0], 128 * 129 / 2);
    OK(cudaFree(in));
}

int main() {
    const int n = 200;
    double* out = device<double>(n);
    carved<<<1, n, n*(sizeof(double) + sizeof(float) + sizeof(int) + 1)>>>(out, n);
    std::vector<double> got = taken(out, n);
    for (int t = 0; t < n; ++t) {
        const int o = n - 1 - t;
        expect("carved", t, got[t], o * 0.5e9 + o * 2e6 - o * 1e3 + (255 - o));
    }
    std::vector<short> numbers(1000);
    for (int i = 0; i < 1000; ++i) numbers[i] = i * 30;
    short* shorts = device<short>(1000);
    OK(cudaMemcpy(shorts, numbers.data(), 2000, cudaMemcpyHostToDevice));
    reversed<<<1, 1000, 2000>>>(shorts);
    const std::vector<short> back = taken(shorts, 1000);
    for (int i = 0; i < 1000; ++i) expect("reversed", i, back[i], numbers[999 - i]);

    out = device<double>(100);
    of_structs<<<1, 100, 100 * sizeof(cell)>>>(out);
    got = taken(out, 100);
    for (int t = 0; t < 100; ++t) expect("of structs", t, got[t], (t + 1) % 100 * 2.5);

    check_sum<int>("sum of int");
    check_sum<double>("sum of double");
    check_sum<float>("sum of float");
    check_sum<unsigned short>("sum of unsigned short");

    int* slots = device<int>(96);
    const dim3 grid(1), block(96);
    const std::size_t bytes = 96 * sizeof(int);
    through_function<<<grid, block, bytes, 0>>>(slots);
    const std::vector<int> slot_values = taken(slots, 96);
    for (int t = 0; t < 96; ++t) expect("through a function", t, slot_values[t], (95 - t) * 3);
    return verdict();
}

// Kernels by pointer, cudaLaunchKernel, cudaLaunchKernelEx, and arguments by value.
#include "check.h"

struct matrix {
    float* data;
    int rows, columns;
    struct {
        double scale;
        char name[8];
    } more;
    __host__ __device__ float& at(int r, int c) { return data[r * columns + c]; }
};

__global__ void fill(matrix m, float base) {
    const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (r >= m.rows || c >= m.columns) return;
    m.at(r, c) = base + r * 100 + c + m.more.scale + m.more.name[1];
    m.rows = 0;  // a copy: nobody else's
}

__global__ void add(int* values, int n, int amount) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += amount;
}
__global__ void twice(int* values, int n, int) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= 2;
}
template <int by>
__global__ void less(int* values, int n, int) {
    extern __shared__ int kept[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    kept[threadIdx.x] = by;
    __syncthreads();
    if (i < n) values[i] -= kept[blockDim.x - 1 - threadIdx.x];
}

typedef void (*kernel)(int*, int, int);
struct step {
    kernel run;
    int amount;
};

__device__ int plus(int a, int b) { return a + b; }
__device__ int times(int a, int b) { return a * b; }
typedef int (*operation)(int, int);
__device__ operation operations[2] = {plus, times};
__global__ void through_pointers(int* out) {
    out[threadIdx.x] = operations[threadIdx.x % 2](threadIdx.x, 10);
}

int main() {
    const int n = 300, rows = 20, columns = 33;
    float* cells = device<float>(rows * columns);
    matrix m = {cells, rows, columns, {0.5, "name"}};
    fill<<<dim3(3, 2), dim3(16, 16)>>>(m, 1000);
    const std::vector<float> got = taken(cells, rows * columns);
    for (int i = 0; i < rows * columns; ++i)
        expect("struct", i, got[i], 1000.5 + i / columns * 100 + i % columns + 'a');
    expect("the host's own", 0, m.rows, rows);

    int* values = device<int>(n);
    OK(cudaMemset(values, 0, n * sizeof(int)));
    const step steps[] = {{add, 5}, {twice, 0}, {&add, 1}, {less<4>, 0}};
    for (const step& s : steps) s.run<<<3, 100, 400>>>(values, n, s.amount);
    kernel chosen = n > 1 ? &twice : add;
    chosen<<<3, 100>>>(values, n, 0);
    (*chosen)<<<3, 100>>>(values, n, 0);

    int amount = 3, count = n;
    void* arguments[] = {&values, &count, &amount};
    OK(cudaLaunchKernel((void*)add, dim3(3), dim3(100), arguments, 0, 0));
    OK(cudaLaunchKernel(reinterpret_cast<const void*>(&less<2>), dim3(3), dim3(100), arguments, 400,
                        nullptr));
    OK(cudaLaunchKernel(twice, dim3(3), dim3(100), arguments));
    // What the arguments are is taken when the launch is made.
    amount = 1000;
    cudaLaunchConfig_t configuration = {};
    configuration.gridDim = dim3(3);
    configuration.blockDim = dim3(100);
    OK(cudaLaunchKernelEx(&configuration, add, values, n, 7));
    const std::vector<int> after = taken(values, n);
    const int want = ((((0 + 5) * 2 + 1 - 4) * 2 * 2) + 3 - 2) * 2 + 7;
    for (int i = 0; i < n; ++i) expect("kernels by pointer", i, after[i], want);

    int* out = device<int>(64);
    through_pointers<<<1, 64>>>(out);
    const std::vector<int> results = taken(out, 64);
    for (int i = 0; i < 64; ++i)
        expect("functions by pointer", i, results[i], i % 2 ? i * 10 : i + 10);
    return verdict();
}

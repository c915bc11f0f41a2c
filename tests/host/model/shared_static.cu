// Static shared memory: scalars, structs, two dimensions, templates, device functions, scopes.
#include "check.h"

struct particle {
    float position[3];
    int id;
    double mass;
};

__global__ void structs(double* out) {
    __shared__ particle particles[64];
    __shared__ struct {
        int count;
        float top;
    } summary;
    const int t = threadIdx.x;
    particles[t] = {{t + 0.5f, t + 0.25f, t + 0.125f}, 63 - t, t * 2.0};
    if (t == 0) summary = {0, -1.0f};
    __syncthreads();
    atomicAdd(&summary.count, particles[63 - t].id);
    if (t == 5) summary.top = particles[40].position[2];
    __syncthreads();
    out[blockIdx.x * 64 + t] = summary.count + summary.top + particles[(t + 1) % 64].mass;
}

__global__ void transpose(const float* in, float* out, int width, int height) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

// Every instance has an array of its own, and so has every function.
template <class T, int n>
__device__ T total(T value) {
    __shared__ T cells[n];
    cells[threadIdx.x] = value;
    __syncthreads();
    T sum = 0;
    for (int i = 0; i < n; ++i) sum += cells[i];
    __syncthreads();
    return sum;
}
template <class T, int n>
__global__ void totals(double* out) {
    __shared__ T kept;
    if (threadIdx.x == 3) kept = 7;
    const T a = total<T, n>(threadIdx.x), b = total<int, n>(2), c = total<T, n>(kept);
    out[blockIdx.x * n + threadIdx.x] = a * 100 + b + c;
}

// Two of one name in two scopes are two; a static one keeps its value from call to call.
__global__ void scopes(int* out) {
    const int t = threadIdx.x;
    {
        __shared__ int cell[32];
        cell[t] = t + 1;
        __syncwarp();
        out[t] = cell[31 - t];
    }
    __syncthreads();
    for (int round = 0; round < 3; ++round) {
        __shared__ int seen[2], last;
        if (t == round) seen[round % 2] = round * 10, last = t;
        __syncthreads();
        if (t == 31) out[32 + round] = seen[round % 2] + last;
        __syncthreads();
    }
    static __shared__ unsigned short small[4];
    if (t < 4) small[t] = 65535 + t;
    __syncthreads();
    if (t < 4) out[35 + t] = small[3 - t];
}

// No block sees another's.
__global__ void own(int* out) {
    __shared__ int cell;
    if (threadIdx.x == 0) cell = 0;
    __syncthreads();
    for (int i = 0; i < 10; ++i) {
        atomicAdd(&cell, blockIdx.x);
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = cell;
}

int main() {
    double* sums = device<double>(128);
    structs<<<2, 64>>>(sums);
    std::vector<double> got = taken(sums, 128);
    for (int i = 0; i < 128; ++i) expect("structs", i, got[i], 2016 + 40.125 + (i + 1) % 64 * 2);

    const int width = 70, height = 45;
    std::vector<float> matrix(width * height);
    for (int i = 0; i < width * height; ++i) matrix[i] = i;
    float *in = device<float>(width * height), *out = device<float>(width * height);
    OK(cudaMemcpy(in, matrix.data(), matrix.size() * sizeof(float), cudaMemcpyHostToDevice));
    transpose<<<dim3(3, 2), dim3(32, 8)>>>(in, out, width, height);
    const std::vector<float> turned = taken(out, width * height);
    OK(cudaFree(in));
    for (int i = 0; i < width * height; ++i)
        expect("transpose", i, turned[i], i % height * width + i / height);

    sums = device<double>(2 * 40);
    totals<double, 40><<<2, 40>>>(sums);
    got = taken(sums, 80);
    for (int i = 0; i < 80; ++i) expect("totals of double", i, got[i], 78000 + 80 + 280);
    sums = device<double>(8);
    totals<int, 8><<<1, 8>>>(sums);
    got = taken(sums, 8);
    for (int i = 0; i < 8; ++i) expect("totals of int", i, got[i], 2800 + 16 + 56);

    int* numbers = device<int>(39);
    scopes<<<1, 32>>>(numbers);
    const std::vector<int> scope = taken(numbers, 39);
    const int want[7] = {0, 11, 22, 2, 1, 0, 65535};
    for (int i = 0; i < 39; ++i) expect("scopes", i, scope[i], i < 32 ? 32 - i : want[i - 32]);

    numbers = device<int>(200);
    own<<<200, 50>>>(numbers);
    const std::vector<int> mine = taken(numbers, 200);
    for (int b = 0; b < 200; ++b) expect("own", b, mine[b], b * 500);
    return verdict();
}

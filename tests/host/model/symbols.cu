// __constant__ and __device__ variables, copied to and from, their addresses and sizes.
#include "check.h"

__constant__ float weights[5] = {1, 2, 3, 4, 5};
__constant__ int scale;
__constant__ struct {
    int a;
    double b[2];
} settings = {1, {2.5, 3.5}};
__device__ int counter;
__device__ int table[4][8] = {{1, 2}, {3}};
__device__ double sums[16];
__device__ const unsigned char primes[] = {2, 3, 5, 7, 11};
__device__ float* buffer;
namespace deep {
static __device__ long long wide = 1LL << 40;
template <class T>
struct box {
    T value;
};
__device__ box<int> boxed = {9};
}  // namespace deep
constexpr int limit = 12;

__global__ void weigh(float* out) {
    float sum = 0;
    for (int i = 0; i < 5; ++i) sum += weights[i] * (i + 1);
    out[threadIdx.x] = sum * scale + settings.a + settings.b[threadIdx.x % 2] + limit;
}
__global__ void change() {
    atomicAdd(&counter, 1);
    if (threadIdx.x < 32) atomicAdd(&table[threadIdx.x / 8][threadIdx.x % 8], threadIdx.x);
    if (threadIdx.x < 5) sums[threadIdx.x] = primes[threadIdx.x];
    if (threadIdx.x == 0 && blockIdx.x == 0) deep::wide += deep::boxed.value;
}
__global__ void through_buffer() { buffer[threadIdx.x] = threadIdx.x * 0.5f; }

int main() {
    const int factor = 10;
    OK(cudaMemcpyToSymbol(scale, &factor, sizeof factor));
    float* out = device<float>(2);
    weigh<<<1, 2>>>(out);
    std::vector<float> got = taken(out, 2);
    expect("constants", 0, got[0], 55 * 10 + 1 + 2.5 + 12);
    expect("constants", 1, got[1], 55 * 10 + 1 + 3.5 + 12);

    const float some[2] = {0, -4};
    OK(cudaMemcpyToSymbol(weights, some, sizeof some, 3 * sizeof(float)));
    weigh<<<1, 2>>>(out = device<float>(2));
    expect("part of a constant", 0, taken(out, 2)[0], (14 - 20) * 10 + 15.5);
    float read[5] = {};
    OK(cudaMemcpyFromSymbol(read, weights, sizeof read));
    const float want[5] = {1, 2, 3, 0, -4};
    for (int i = 0; i < 5; ++i) expect("read back", i, read[i], want[i]);

    change<<<4, 100>>>();
    change<<<1, 100>>>();
    int count = -1;
    OK(cudaMemcpyFromSymbol(&count, counter, sizeof count, 0, cudaMemcpyDeviceToHost));
    expect("counter", 0, count, 500);
    count = 7;
    OK(cudaMemcpyToSymbol(counter, &count, sizeof count));
    change<<<1, 1>>>();
    OK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    expect("counter set", 0, count, 8);
    long long wide = 0;
    OK(cudaMemcpyFromSymbol(&wide, deep::wide, sizeof wide));
    expect("in a namespace", 0, wide, (1LL << 40) + 27);
    double five[5];
    OK(cudaMemcpyFromSymbol(five, sums, sizeof five));
    const double primes_want[5] = {2, 3, 5, 7, 11};
    for (int i = 0; i < 5; ++i) expect("sums", i, five[i], primes_want[i]);

    // By address: the same memory for kernels, copies and cudaMemset.
    void* address = nullptr;
    std::size_t size = 0;
    OK(cudaGetSymbolAddress(&address, table));
    OK(cudaGetSymbolSize(&size, table));
    expect("size", 0, size, sizeof table);
    int* row = static_cast<int*>(address) + 8;
    OK(cudaMemset(address, 0, sizeof table));
    const int eight = 8;
    OK(cudaMemcpy(row + 2, &eight, sizeof eight, cudaMemcpyHostToDevice));
    change<<<1, 64>>>();
    int back[4][8];
    OK(cudaMemcpyFromSymbol(back, table, sizeof back));
    for (int i = 0; i < 32; ++i) expect("table", i, back[i / 8][i % 8], i + (i == 10 ? 8 : 0));
    int* direct = nullptr;
    OK(cudaGetSymbolAddress((void**)&direct, counter));
    OK(cudaMemcpy(&count, direct, sizeof count, cudaMemcpyDeviceToHost));
    expect("counter by address", 0, count, 8 + 64);

    // A pointer kept on the device.
    float* memory = device<float>(32);
    OK(cudaMemcpyToSymbol(buffer, &memory, sizeof memory));
    through_buffer<<<1, 32>>>();
    got = taken(memory, 32);
    for (int i = 0; i < 32; ++i) expect("through a pointer", i, got[i], i * 0.5f);
    return verdict();
}

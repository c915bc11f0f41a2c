// Kernels with the names of functions that C, C++ and CUDA's mathematics overload.
#include "check.h"

__global__ void round(unsigned* out) { out[threadIdx.x] = 7; }
__global__ void gamma(float* out, float g) { out[threadIdx.x] = g; }
__global__ void fma(float* a, const float* b, float alpha) {
    a[threadIdx.x] += alpha * b[threadIdx.x];
}
__global__ void div(int* a, int by) { a[threadIdx.x] /= by; }
__global__ void max(int* a, const unsigned* b) {
    const int other = static_cast<int>(b[threadIdx.x]);
    a[threadIdx.x] = a[threadIdx.x] > other ? a[threadIdx.x] : other;
}
template <class T>
__global__ void abs(T* a) {
    a[threadIdx.x] = a[threadIdx.x] < 0 ? -a[threadIdx.x] : a[threadIdx.x];
}

int main() {
    constexpr int n = 32;
    unsigned* sevens = managed<unsigned>(n);
    float* floats = managed<float>(n);
    int* numbers = managed<int>(n);
    for (int i = 0; i < n; ++i) numbers[i] = -2 * i;
    round<<<1, n>>>(sevens);
    gamma<<<1, n>>>(floats, 2.5f);
    fma<<<1, n>>>(floats, floats, 2.0f);
    abs<<<1, n>>>(numbers);
    div<<<1, n>>>(numbers, 2);
    max<<<1, n>>>(numbers, sevens);
    wait_for_device();
    for (int i = 0; i < n; ++i)
        MUST(sevens[i] == 7 && floats[i] == 7.5f && numbers[i] == (i > 7 ? i : 7));
    MUST(std::round(2.6) == 3);
    return verdict();
}

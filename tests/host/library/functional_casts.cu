// A cast in the form of a call that g++ 12 takes for a declaration of the template's parameter.
#include <cstddef>
#include <cstdio>
#include <vector>

__global__ void square(float* x, std::size_t n) {
    const std::size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= x[i];
}

// Declarations in brackets stay what they are.
int twice(int(x), int y = 2);
int twice(int(x), int y) { return x * y; }

template <typename T, int N>
static bool squares(int batch) {
    std::vector<T> in(size_t(N) * batch), out(std::size_t(N) * batch);
    const int count(int(N) * batch), half(int(N) / 2), more(int(N) + 1), masked(unsigned(N) & 7u);
    const std::vector<int> twos(size_t(N), 2), shifted(size_t(N) << 1);
    const bool is_less(int(N) < batch), is_other(int(N) != 3);
    if (half != N / 2 || more != N + 1 || masked != (N & 7) || twos.size() != N || twos[0] != 2 ||
        shifted.size() != 2 * N || is_less != (N < batch) || !is_other)
        return false;
    for (int i = 0; i < count; ++i) in[i] = T(i);
    T* x;
    cudaMalloc(&x, in.size() * sizeof(T));
    cudaMemcpy(x, in.data(), in.size() * sizeof(T), cudaMemcpyHostToDevice);
    square<<<(count + 63) / 64, 64>>>(x, in.size());
    cudaMemcpy(out.data(), x, out.size() * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(x);
    for (int i = 0; i < count; ++i)
        if (out[i] != T(i) * T(i)) return false;
    return count == N * batch;
}

int main() {
    const bool is_right = squares<float, 20>(5) && twice(4) == 8;
    std::printf(is_right ? "right\n" : "wrong\n");
    return is_right ? 0 : 1;
}

// How launches are written: templates with >>>, namespaces, overloads, defaults, macros, lambdas.
#include <utility>

#include "check.h"

constexpr int n = 96;

template <int a, int b>
struct pair_of {
    static constexpr int sum = a + b;
};
template <class T, T value>
struct constant {};
template <class P>
__global__ void of_type(int* out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = P::sum;
}
template <class T, int factor = 3>
__global__ void scaled(T* out, T add = T(1)) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = T(i * factor) + add;
}
template <bool up, class T, class... Rest>
__global__ void many(T* out, Rest... rest) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = up ? (T(i) + ... + rest) : -T(i);
}

namespace outer {
namespace {
__global__ void hidden(int* out, int value) { out[blockIdx.x * blockDim.x + threadIdx.x] = value; }
}  // namespace
inline namespace inner {
template <class T>
__global__ void fill(T* out, T value) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
}  // namespace inner
struct launcher {
    int blocks;
    void operator()(int* out) const { hidden<<<blocks, n / blocks>>>(out, blocks + 40); }
    template <class F>
    static void with(F f) {
        f();
    }
};
}  // namespace outer

__global__ void overloaded(int* out, int) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void overloaded(int* out, float) { out[blockIdx.x * blockDim.x + threadIdx.x] = 2; }
__global__ void overloaded(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 3; }
extern "C" __global__ void c_kernel(int* out, const int value) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
static __global__ void __launch_bounds__(128, 2) bounded(int* out, unsigned char narrow) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = narrow;
}
__global__ void forward(int* out, bool flag);

#define LAUNCH(kernel, ...) kernel<<<2, n / 2>>>(__VA_ARGS__)
#define GRID 3

template <class T>
static void launch_scaled(T* out, int blocks) {
    scaled<T><<<blocks, n / blocks>>>(out);
}
static void check(const char* what, int* out, int base, int step = 0) {
    const std::vector<int> got = taken(out, n);
    for (int i = 0; i < n; ++i) expect(what, i, got[i], base + i * step);
}

int main() {
    int* out = device<int>(n);
    of_type<pair_of<(8 >> 1), pair_of<2, 3>::sum>><<<2, n / 2>>>(out);
    check("nested >>", out, 9);
    of_type<pair_of<1, 2>><<<dim3(2), dim3(n / 2), 0, nullptr>>>(out = device<int>(n));
    check("templates in a template", out, 3);
    scaled<int><<<3, n / 3>>>(out = device<int>(n), 7);
    check("default template argument", out, 7, 3);
    // clang-format off
    scaled<int, (n > 32 ? 5 : 6)><<<n >> 5, 32>>>(out = device<int>(n));
    check("comparison and shift in brackets", out, 1, 5);
    c_kernel << <2, n / 2>> > (out = device<int>(n), 23);
    check("angles apart", out, 23);
    c_kernel << /*grid*/ <2, n / 2>> /* > */
        > (out = device<int>(n), 24);
    check("angles apart with comments", out, 24);
    scaled<int> << <3, n / 3>> >(out = device<int>(n), 7);
    check("angles apart of a template", out, 7, 3);
    // clang-format on
    many<true><<<1, n>>>(out = device<int>(n), 1, short(2), 3u, 4.0);
    check("pack", out, 10, 1);
    many<false, int><<<1, n>>>(out = device<int>(n));
    check("empty pack", out, 0, -1);
    outer::launcher{4}(out = device<int>(n));
    check("operator()", out, 44);
    outer::fill<int><<<1, n>>>(out = device<int>(n), 'A');
    check("namespace, converted", out, 65);
    ::outer::inner::fill<<<1, n>>>(out = device<int>(n), 12);
    check("deduced", out, 12);
    overloaded<<<1, n>>>(out = device<int>(n), 0);
    check("overloaded, int", out, 1);
    overloaded<<<1, n>>>(out = device<int>(n), 0.0f);
    check("overloaded, float", out, 2);
    overloaded<<<1, n>>>(out = device<int>(n));
    check("overloaded, none", out, 3);
    LAUNCH(c_kernel, out = device<int>(n), 17);
    check("macro", out, 17);
    bounded<<<1, n>>>(out = device<int>(n), 256 + 33);
    check("narrowed argument", out, 33);
    forward<<<1, n>>>(out = device<int>(n), 5);
    check("defined below", out, 1);
    out = device<int>(n);
    for (int i = 0; i < 3; i++) c_kernel<<<1, 32>>>(out + 32 * i, 5);
    check("loop", out, 5);
    out = device<int>(n);
    auto launch = [&, blocks = 2](int value) { c_kernel<<<blocks, n / blocks>>>(out, value); };
    outer::launcher::with([&] { launch(19); });
    check("lambda", out, 19);
    launch_scaled(out = device<int>(n), 1);
    check("template function", out, 1, 3);
    const int dims[2] = {2, n / 2};
    std::pair<int, int> config(3, n / 3);
    if (dims[0] > 1) c_kernel<<<dims[0], dims[1]>>>(out = device<int>(n), (out != nullptr, 20));
    check("comma in an argument", out, 20);
    c_kernel<<<GRID, n / GRID>>>(out = device<int>(n), 18);
    check("sizes in a macro", out, 18);
    c_kernel<<<config.first, config.second>>>(out = device<int>(n), config.first < 4 ? 21 : 0);
    check("members", out, 21);
    // clang-format off
    c_kernel <<< 1 , n >>> ( out = device<int>(n) , 22 ) ;
    // clang-format on
    check("blanks", out, 22);
    return verdict();
}

__global__ void forward(int* out, bool flag) { out[blockIdx.x * blockDim.x + threadIdx.x] = flag; }

// Objects of device code: malloc, new, virtual functions, recursion, templates, lambdas within.
#include "check.h"

struct shape {
    __device__ virtual ~shape() {}
    __device__ virtual double area() const = 0;
    __device__ virtual int corners() const { return 0; }
};
struct square : shape {
    double side;
    __device__ square(double s) : side(s) {}
    __device__ double area() const override { return side * side; }
    __device__ int corners() const override { return 4; }
};
struct box : square {
    double other;
    __device__ box(double a, double b) : square(a), other(b) {}
    __device__ ~box() override { other = 0; }
    __device__ double area() const override { return side * other; }
};
__device__ shape* shapes[96];

__global__ void create() {
    const int t = threadIdx.x;
    if (t % 2 == 0)
        shapes[t] = new square(t);
    else
        shapes[t] = new box(t, 0.5);
}
__global__ void measure(double* out) {
    const int t = threadIdx.x;
    out[t] = shapes[t]->area() * 10 + shapes[t]->corners();
}
__global__ void destroy() { delete shapes[threadIdx.x]; }

struct node {
    int value;
    node* next;
};
__global__ void lists(int* sums, int length) {
    node* head = nullptr;
    for (int i = 0; i < length; ++i) {
        node* n = static_cast<node*>(malloc(sizeof(node)));
        if (!n) return;
        n->value = threadIdx.x + i;
        n->next = head;
        head = n;
    }
    int sum = 0;
    while (head) {
        node* n = head;
        sum += n->value;
        head = n->next;
        free(n);
    }
    int* cells = new int[4];
    for (int i = 0; i < 4; ++i) cells[i] = i;
    sums[threadIdx.x] = sum * 10 + cells[3];
    delete[] cells;
    free(nullptr);
}

__device__ long long fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ int is_odd(int n);
__device__ int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
__device__ int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); }
__device__ int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
__device__ void quicksort(int* a, int low, int high) {
    if (low >= high) return;
    const int pivot = a[(low + high) / 2];
    int i = low, j = high;
    while (i <= j) {
        while (a[i] < pivot) ++i;
        while (a[j] > pivot) --j;
        if (i <= j) {
            const int kept = a[i];
            a[i++] = a[j];
            a[j--] = kept;
        }
    }
    quicksort(a, low, j);
    quicksort(a, i, high);
}
__global__ void recursion(long long* out, int* values, int each) {
    const int t = threadIdx.x;
    out[t * 3] = fibonacci(t % 16);
    out[t * 3 + 1] = is_even(t);
    out[t * 3 + 2] = ackermann(2, t % 8);
    quicksort(values, t * each, t * each + each - 1);
}

template <int n>
struct power {
    __device__ static int of(int x) { return x * power<n - 1>::of(x); }
};
template <>
struct power<0> {
    __device__ static int of(int) { return 1; }
};
__global__ void within(int* out) {
    const int t = threadIdx.x;
    int local[8];
    auto set = [&](int i, int v) { local[i] = v * t; };
    for (int i = 0; i < 8; ++i) set(i, i);
    int sum = 0;
    for (int v : local) sum += v;
    out[t] = sum + power<3>::of(t);
}

int main() {
    const int threads = 96;
    double* areas = device<double>(threads);
    create<<<1, threads>>>();
    measure<<<1, threads>>>(areas);
    destroy<<<1, threads>>>();
    const std::vector<double> area = taken(areas, threads);
    for (int t = 0; t < threads; ++t)
        expect("area", t, area[t], (t % 2 == 0 ? t * t : t * 0.5) * 10 + 4);

    int* sums = device<int>(threads);
    lists<<<1, threads>>>(sums, 20);
    std::vector<int> got = taken(sums, threads);
    for (int t = 0; t < threads; ++t) expect("lists", t, got[t], (t * 20 + 190) * 10 + 3);

    // Without it a device has 1 KiB a thread.
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    std::size_t stack = 0;
    OK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    expect("stack", 0, stack >= 8192, 1);
    const int each = 40;
    std::vector<int> values(threads * each);
    for (int i = 0; i < threads * each; ++i) values[i] = (i * 7919) % 1009;
    int* in = device<int>(threads * each);
    OK(cudaMemcpy(in, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice));
    long long* out = device<long long>(threads * 3);
    recursion<<<1, threads>>>(out, in, each);
    const std::vector<long long> numbers = taken(out, threads * 3);
    const std::vector<int> sorted = taken(in, threads * each);
    const int fibonaccis[16] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610};
    for (int t = 0; t < threads; ++t) {
        expect("fibonacci", t, numbers[t * 3], fibonaccis[t % 16]);
        expect("even", t, numbers[t * 3 + 1], t % 2 == 0);
        expect("ackermann", t, numbers[t * 3 + 2], 2 * (t % 8) + 3);
        long long before = 0, after = 0;
        for (int i = t * each; i < (t + 1) * each; ++i) {
            before += values[i] * 1LL * values[i], after += sorted[i] * 1LL * sorted[i];
            if (i > t * each) expect("sorted", i, sorted[i - 1] <= sorted[i], 1);
        }
        expect("the same values", t, after, before);
    }
    int* cubes = device<int>(threads);
    within<<<1, threads>>>(cubes);
    got = taken(cubes, threads);
    for (int t = 0; t < threads; ++t) expect("within", t, got[t], 28 * t + t * t * t);
    return verdict();
}

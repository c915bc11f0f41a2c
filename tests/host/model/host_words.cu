// Addresses of the host that go to a device and come back are what they were, and data that look
// like them stay what they are.
#include <string>

#include "check.h"

#define EQ(got, wanted) expect(#got, __LINE__, got, wanted)

struct record {
    int value;
    int* on_host;
    std::string name;
    record* next;
};
__global__ void add(record* all, int n, int by) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) all[i].value += by;
}

/// n records with all their words, of a size that is small or large.
static void there_and_back(int n) {
    std::vector<int> values(n);
    std::vector<record> all(n);
    for (int i = 0; i < n; ++i) {
        values[i] = 3 * i;
        all[i] = {i, &values[i], i % 2 == 0 ? "short" : "a name that does not fit into the string",
                  &all[(i + 1) % n]};
    }
    const std::size_t bytes = n * sizeof(record);
    std::vector<unsigned char> before(bytes), after(bytes + 1);
    std::memcpy(before.data(), all.data(), bytes);
    record *first = nullptr, *second = nullptr;
    OK(cudaMalloc(&first, bytes));
    OK(cudaMalloc(&second, bytes));
    OK(cudaMemcpy(first, all.data(), bytes, cudaMemcpyHostToDevice));
    add<<<(n + 127) / 128, 128>>>(first, n, 5);
    OK(cudaMemcpy(second, first, bytes, cudaMemcpyDeviceToDevice));
    add<<<(n + 127) / 128, 128>>>(second, n, -5);
    OK(cudaMemcpy(after.data(), second, bytes, cudaMemcpyDeviceToHost));
    MUST(std::memcmp(before.data(), after.data(), bytes) == 0);
    OK(cudaMemcpy(after.data() + 1, second, bytes, cudaMemcpyDeviceToHost));  // at an odd address
    MUST(std::memcmp(before.data(), after.data() + 1, bytes) == 0);
    OK(cudaMemcpy2D(after.data(), sizeof(record), second, sizeof(record), sizeof(record), n,
                    cudaMemcpyDeviceToHost));
    MUST(std::memcmp(before.data(), after.data(), bytes) == 0);

    OK(cudaMemcpy(static_cast<void*>(all.data()), first, bytes, cudaMemcpyDeviceToHost));
    long long sum = 0;
    const record* at = all.data();
    for (int i = 0; i < n; ++i, at = at->next) sum += at->value + *at->on_host + at->name.size();
    EQ(sum, 5LL * n + 4LL * n * (n - 1) / 2 + (n + 1) / 2 * 5LL + n / 2 * 40LL);
    OK(cudaFree(first));
    OK(cudaFree(second));
}

/// What kernels compute with such addresses, and hand on in memory that the host sees.
struct window {
    double* begin;
    double* end;
    int skipped;
};
__global__ void narrow(const window* in, window* out, double** last, int* seen) {
    *out = *in;
    out->begin += in->skipped;
    *last = out->end - 1;
    seen[0] = in->begin != nullptr;
    seen[1] = static_cast<int>(in->end - in->begin);
    seen[2] = out->begin < out->end;
}
static void handed_on() {
    std::vector<double> values(100);
    for (int i = 0; i < 100; ++i) values[i] = i;
    const window w{values.data(), values.data() + 100, 10};
    window *in = nullptr, *out = nullptr;
    double** last = nullptr;
    int* seen = nullptr;
    OK(cudaMalloc(&in, sizeof w));
    OK(cudaMalloc(&out, sizeof w));
    OK(cudaMalloc(&last, sizeof *last));
    OK(cudaMalloc(&seen, 3 * sizeof(int)));
    OK(cudaMemcpy(in, &w, sizeof w, cudaMemcpyHostToDevice));
    narrow<<<1, 1>>>(in, out, last, seen);
    window got{};
    double* end = nullptr;
    OK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(&end, last, sizeof end, cudaMemcpyDeviceToHost));
    MUST(got.begin == values.data() + 10 && got.end == w.end && end == values.data() + 99);
    EQ(*got.begin + *end, 109.0);
    const std::vector<int> flags = host(seen, 3);
    EQ(flags[0], 1);
    EQ(flags[1], 100);
    EQ(flags[2], 1);

    window* shared = nullptr;
    OK(cudaMallocManaged(&shared, sizeof w));
    OK(cudaMallocHost(&last, sizeof *last));
    narrow<<<1, 1>>>(in, shared, last, seen);
    OK(cudaDeviceSynchronize());
    EQ(*shared->begin + **last, 109.0);
    OK(cudaMemcpy(shared, in, sizeof w, cudaMemcpyDeviceToDevice));
    EQ(*shared->begin + shared->end[-1], 99.0);
}

/// Many of them at once, of which the kernel uses the distances alone.
__global__ void lengths(const window* in, int n, int* to) {
    const int i = threadIdx.x;
    if (i < n) to[i] = static_cast<int>(in[i].end - in[i].begin);
}
static void distances() {
    std::vector<std::vector<double>> values(100);
    std::vector<window> windows;
    for (int i = 0; i < 100; ++i) {
        values[i].resize(1 + 3 * i);
        windows.push_back({values[i].data(), values[i].data() + values[i].size(), 0});
    }
    window* in = device(windows);
    int* to = device<int>(100);
    lengths<<<1, 128>>>(in, 100, to);
    const std::vector<int> got = host(to, 100);
    for (int i = 0; i < 100; ++i) EQ(got[i], 1 + 3 * i);
}

/// Memory that is registered after its address has been copied.
__global__ void sum(const window* w, double* to) {
    *to = 0;
    for (const double* p = w->begin; p != w->end; ++p) *to += *p;
}
__global__ void sum_between(const double* p, const double* end, double* to) {
    *to = 0;
    for (; p != end; ++p) *to += *p;
}
static void registered() {
    std::vector<double> values(1000, 0.5);
    const window w{values.data(), values.data() + 1000, 0};
    window* in = nullptr;
    OK(cudaMalloc(&in, sizeof w));
    OK(cudaMemcpy(in, &w, sizeof w, cudaMemcpyHostToDevice));
    OK(cudaHostRegister(values.data(), 1000 * sizeof(double), cudaHostRegisterMapped));
    double* to = device<double>(1);
    sum<<<1, 1>>>(in, to);
    EQ(host(to, 1)[0], 500.0);
    // And before.
    OK(cudaMemcpy(in, &w, sizeof w, cudaMemcpyHostToDevice));
    sum<<<1, 1>>>(in, to);
    EQ(host(to, 1)[0], 500.0);
    sum_between<<<1, 1>>>(w.begin, w.end, to);
    EQ(host(to, 1)[0], 500.0);
    OK(cudaHostUnregister(values.data()));
}

/// Lists in memory that kernels have taken.
struct node {
    int value;
    node* next;
};
__global__ void push(node** head, int value) { *head = new node{value, *head}; }
__global__ void total(node* const* head, int* to) {
    *to = 0;
    for (const node* at = *head; at != nullptr; at = at->next) *to += at->value;
}
static void lists() {
    node **head = nullptr, *first = nullptr;
    OK(cudaMalloc(&head, sizeof *head));
    OK(cudaMemset(head, 0, sizeof *head));
    for (int i = 1; i <= 10; ++i) push<<<1, 1>>>(head, i);
    OK(cudaMemcpy(&first, head, sizeof first, cudaMemcpyDeviceToHost));
    OK(cudaMemset(head, 0, sizeof *head));
    OK(cudaMemcpy(head, &first, sizeof first, cudaMemcpyHostToDevice));
    int* to = device<int>(1);
    total<<<1, 1>>>(head, to);
    EQ(host(to, 1)[0], 55);
}

/// Words that lie where the program's own addresses do, but for their lower half.
template <class T>
static void same_bits(const std::vector<T>& values) {
    T* d = device(values);
    const std::vector<T> got = host(d, values.size());
    MUST(std::memcmp(got.data(), values.data(), values.size() * sizeof(T)) == 0);
    OK(cudaFree(d));
}
__global__ void differ(const int* x, int n, int first, int* count) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (x[i] != first + i) atomicAdd(count, 1);
}
static void data() {
    std::vector<int> kept(1 << 20, 7);
    const auto high = static_cast<int>(reinterpret_cast<unsigned long long>(kept.data()) >> 32);
    int* count = device(std::vector<int>{0});
    for (const int first : {0, high - 100, 32767 - 1000}) {
        std::vector<int> values(3000000);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<int>(i);
        same_bits(values);
        int* d = device(values);
        differ<<<1, 256>>>(d, 3000000, first, count);
        for (int i = 0; i < 400; ++i) {
            OK(cudaMemcpy(d, values.data() + 200 * i, 200 * sizeof(int), cudaMemcpyHostToDevice));
            differ<<<1, 256>>>(d, 200, first + 200 * i, count);
        }
        OK(cudaFree(d));
    }
    std::vector<int> pairs(2000000);
    for (std::size_t i = 0; i < pairs.size(); i += 2) {
        pairs[i] = static_cast<int>(i);
        pairs[i + 1] = high;
    }
    same_bits(pairs);
    EQ(host(count, 1)[0], 0);
}

int main() {
    there_and_back(3);
    there_and_back(500);
    handed_on();
    distances();
    registered();
    lists();
    data();
    there_and_back(20);
    return verdict();
}

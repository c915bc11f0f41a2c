// Parameters that are references, or objects with constructors and destructors of their own.
#include <cstdio>
#include <cstring>
#include <vector>

static int failures = 0;

template <class A, class B>
static void expect(const char* what, long long index, A got, B want) {
    if (got == static_cast<A>(want)) return;
    if (++failures <= 20)
        std::printf("%s [%lld]: %.17g, must be %.17g\n", what, index, static_cast<double>(got),
                    static_cast<double>(want));
}
static void ok(const char* call, cudaError_t error) {
    if (error == cudaSuccess) return;
    ++failures;
    std::printf("%s: %s\n", call, cudaGetErrorString(error));
}
#define OK(call) ok(#call, call)

/// Device memory, all bits set.
template <class T>
static T* device(std::size_t count) {
    T* memory = nullptr;
    OK(cudaMalloc(&memory, count * sizeof(T)));
    OK(cudaMemset(memory, 0xff, count * sizeof(T)));
    return memory;
}
/// What is in device memory, which is freed, after all launches.
template <class T>
static std::vector<T> taken(T* memory, std::size_t count) {
    std::vector<T> values(count);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
    OK(cudaFree(memory));
    return values;
}
static int verdict() {
    if (failures == 0) std::puts("ok");
    return failures != 0;
}


static int copies = 0, ends = 0;

struct row {
    int* values;
    int count;
    explicit row(int n) : values(nullptr), count(n) {
        OK(cudaMallocManaged(&values, n * sizeof(int)));
        for (int i = 0; i < n; ++i) values[i] = i;
    }
    row(const row& from) : row(from.count) {
        ++copies;
        std::memcpy(values, from.values, count * sizeof(int));
    }
    ~row() {
        ++ends;
        OK(cudaDeviceSynchronize());
        OK(cudaFree(values));
    }
};

/// Each thread has the parameter for itself, all have what it points to.
__global__ void by_value(row r, int* out, int n) {
    r.count += threadIdx.x;
    r.values[threadIdx.x] += 100;
    if (threadIdx.x < n) out[threadIdx.x] = r.count * 1000 + r.values[threadIdx.x];
}
/// The same in a kernel with a barrier.
__global__ void by_value_in_turns(row r, int* out) {
    r.count += threadIdx.x;
    r.values[threadIdx.x] += 100;
    __syncthreads();
    out[threadIdx.x] = r.count * 1000 + r.values[7 - threadIdx.x];
}
/// A copy constructor, but no destructor; and an object that can only be moved.
static int counted_copies = 0;
struct counted {
    int copies;
    explicit counted(int n) : copies(n) {}
    counted(const counted& from) : copies(from.copies + 1) { ++counted_copies; }
};
__global__ void count(counted c, int* out) { out[threadIdx.x] = c.copies; }
struct moved {
    int* to;
    explicit moved(int* p) : to(p) {}
    moved(const moved&) = delete;
    moved(moved&&) = default;
};
__global__ void move_in(moved m, int n) { m.to[threadIdx.x] = threadIdx.x + n; }
struct box {
    int values[8];
    int* outside;
};
__global__ void by_reference(box& b, const int& step) {
    b.values[threadIdx.x] += step;
    *b.outside = step;
}
__managed__ int steps[2] = {5, 7};

int main() {
    int* out = device<int>(8);
    {
        row r(8);
        by_value<<<1, 8>>>(r, out, 8);
        expect("copies of the launch", 0, copies, 1);
        expect("ends of the launch", 0, ends, 1);
        expect("the program's own", 0, r.count, 8);
        for (int i = 0; i < 8; ++i) expect("values", i, r.values[i], i);
    }
    std::vector<int> got = taken(out, 8);
    for (int i = 0; i < 8; ++i) expect("by value", i, got[i], (8 + i) * 1000 + i + 100);

    copies = ends = 0;
    out = device<int>(8);
    {
        row r(8);
        by_value_in_turns<<<1, 8>>>(r, out);
        expect("copies of the launch", 1, copies, 1);
        expect("ends of the launch", 1, ends, 1);
    }
    got = taken(out, 8);
    for (int i = 0; i < 8; ++i) expect("in turns", i, got[i], (8 + i) * 1000 + 7 - i + 100);

    // cudaLaunchKernel copies bytes, and constructs nothing; of a reference it gets the address.
    copies = ends = 0;
    row r(8);
    out = device<int>(8);
    int n = 8;
    void* arguments[] = {&r, &out, &n};
    OK(cudaLaunchKernel(reinterpret_cast<void*>(by_value), dim3(1), dim3(8), arguments, 0, nullptr));
    expect("copies by address", 0, copies, 0);
    expect("ends by address", 0, ends, 0);
    got = taken(out, 8);
    for (int i = 0; i < 8; ++i) expect("by address", i, got[i], (8 + i) * 1000 + i + 100);
    for (int i = 0; i < 8; ++i) expect("values by address", i, r.values[i], i + 100);

    box* b = nullptr;
    OK(cudaMallocManaged(&b, sizeof *b));
    OK(cudaMallocManaged(&b->outside, sizeof(int)));
    for (int i = 0; i < 8; ++i) b->values[i] = i;
    by_reference<<<1, 8>>>(*b, steps[0]);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 8; ++i) expect("by reference", i, b->values[i], i + 5);
    int* second = &steps[1];
    void* addresses[] = {&b, &second};
    OK(cudaLaunchKernel(reinterpret_cast<void*>(by_reference), dim3(1), dim3(8), addresses, 0, nullptr));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 8; ++i) expect("a reference's address", i, b->values[i], i + 12);
    expect("through a pointer of the object", 0, *b->outside, 7);

    counted c(0);
    count<<<1, 8>>>(c, out = device<int>(8));
    got = taken(out, 8);
    for (int i = 0; i < 8; ++i) expect("a copy constructor's work", i, got[i], 1);
    expect("copies on the host", 0, counted_copies, 1);
    move_in<<<1, 8>>>(moved(out = device<int>(8)), 3);
    got = taken(out, 8);
    for (int i = 0; i < 8; ++i) expect("moved", i, got[i], i + 3);

    // A captured launch keeps the bytes, whose object has ended when the graph is launched.
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamCreate(&stream));
    out = device<int>(8);
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    by_reference<<<1, 8, 0, stream>>>(*b, steps[1]);
    {
        const counted ended(5);
        count<<<1, 8, 0, stream>>>(ended, out);
    }
    OK(cudaStreamEndCapture(stream, &graph));
    cudaGraphNode_t nodes[2];
    size_t node_count = 2;
    OK(cudaGraphGetNodes(graph, nodes, &node_count));
    cudaKernelNodeParams params = {};
    OK(cudaGraphKernelNodeGetParams(nodes[1], &params));
    expect("the node's kernel", 0, params.func == reinterpret_cast<void*>(count), true);
    expect("the node's argument", 0, static_cast<counted*>(params.kernelParams[0])->copies, 6);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; ++i) OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 8; ++i) expect("in a graph", i, b->values[i], i + 26);
    got = taken(out, 8);
    for (int i = 0; i < 8; ++i) expect("of an object that has ended", i, got[i], 6);
    return verdict();
}

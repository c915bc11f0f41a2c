// What CUB offers besides its algorithms: the order of keys' bits, pairs, iterators, hints of loads
// and stores, reductions of a thread, versions, and an allocator.
#include <cub/cub.cuh>
#include <cub/iterator/arg_index_input_iterator.cuh>
#include <cub/iterator/cache_modified_input_iterator.cuh>
#include <cub/iterator/cache_modified_output_iterator.cuh>
#include <cub/thread/thread_load.cuh>
#include <cub/thread/thread_operators.cuh>
#include <cub/thread/thread_reduce.cuh>
#include <cub/thread/thread_store.cuh>
#include <cub/util_allocator.cuh>
#include <cub/util_device.cuh>
#include <cub/util_ptx.cuh>
#include <cub/util_type.cuh>

#include "check.h"

/// Keys in ascending order, and the bits of the lowest and the largest one.
template <class K>
void try_key_bits(const std::vector<K>& keys, unsigned long long lowest, unsigned long long most) {
    using traits = cub::Traits<const K>;
    using bits = typename traits::UnsignedBits;
    static_assert(sizeof(bits) == sizeof(K) && bits(-1) > bits(0), "another number of bits");
    const bits lowest_key = traits::LOWEST_KEY, max_key = traits::MAX_KEY;
    MUST(lowest_key == lowest && max_key == most);
    bits before = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        bits raw;
        std::memcpy(&raw, &keys[i], sizeof raw);
        const bits in = traits::TwiddleIn(raw);
        MUST(i == 0 || in > before);
        MUST(traits::TwiddleOut(in) == raw);
        before = in;
    }
}

static void key_bits() {
    try_key_bits<int>({-2147483647 - 1, -70000, -1, 0, 5, 2147483647}, 0x80000000u, 0x7fffffffu);
    try_key_bits<unsigned>({0, 3, 0x7fffffffu, 0x80000000u, 0xffffffffu}, 0, 0xffffffffu);
    try_key_bits<signed char>({-128, -1, 0, 1, 127}, 0x80, 0x7f);
    try_key_bits<unsigned short>({0, 1, 0x8000, 0xffff}, 0, 0xffff);
    try_key_bits<long long>({-5000000000, -1, 0, 5000000000}, 1ull << 63, ~0ull >> 1);
    // The largest bits of all would be those of a NaN.
    try_key_bits<float>({-3e38f, -1.5f, -1e-40f, 0, 1e-40f, 1, 3e38f}, 0xffffffffu, 0x7fffffffu);
    try_key_bits<double>({-1e300, -2.5, -1e-310, 0, 1e-310, 7, 1e300}, ~0ull, ~0ull >> 1);
}

using pair = cub::KeyValuePair<int, float>;
using indexed = cub::KeyValuePair<std::ptrdiff_t, int>;

static void pairs() {
    pair a(3, 2.5f), b(1, 2.5f), c(2, 7.0f);
    MUST(!(a != pair(3, 2.5f)) && a != b && a != c && b != pair(1, 2.0f));
    // Of equal values the one with the smaller key.
    MUST(cub::ArgMax()(a, b).key == 1 && cub::ArgMax()(b, a).key == 1);
    MUST(cub::ArgMin()(a, b).key == 1 && cub::ArgMin()(b, a).key == 1);
    MUST(cub::ArgMax()(a, c).key == 2 && cub::ArgMax()(c, a).value == 7.0f);
    MUST(cub::ArgMin()(a, c).key == 3 && cub::ArgMin()(c, a).value == 2.5f);
}

/// The iterator's numbers go on where it is moved; pairs of it are a device-wide call's items.
static void numbered_items() {
    constexpr int n = 100;
    int* const in = managed<int>(n);
    for (int i = 0; i < n; ++i) in[i] = (i * 37 + 7) % 83 - 200;
    cub::ArgIndexInputIterator<int*> numbered(in);
    const auto later = numbered + 40;
    MUST((*numbered).key == 0 && (*numbered).value == in[0]);
    MUST((*later).key == 40 && (*later).value == in[40]);
    MUST(numbered[7].key == 7 && numbered[7].value == in[7]);
    MUST(later[7].key == 47 && later[7].value == in[47]);
    cub::ArgIndexInputIterator<int*> moving(in, 3);
    MUST((*moving).key == 3 && (*moving).value == in[3]);
    MUST((*moving++).key == 3 && (*++moving).value == in[5]);
    moving += 4, moving -= 2;
    MUST((*moving).key == 7 && moving - numbered == 7 && (*(moving - 2)).value == in[5]);
    MUST(moving == numbered + 7 && moving != numbered && !(moving == later));
    int least = 40;  // the least one of all lies before
    for (int i = 41; i < n; ++i)
        if (in[i] < in[least]) least = i;
    indexed* const out = managed<indexed>(1);
    std::size_t bytes = 0;
    void* room = nullptr;
    for (int call = 0; call < 2; ++call) {
        OK(cub::DeviceReduce::Reduce(room, bytes, later, out, n - 40, cub::ArgMin(),
                                     indexed(1000, 1000)));
        if (call == 0) cudaMalloc(&room, bytes);
    }
    OK(cudaDeviceSynchronize());
    MUST(out->key == least && out->value == in[least]);
}

struct twice {
    __host__ __device__ int operator()(int a) const { return 2 * a; }
};
struct minus {
    __host__ __device__ int operator()(int a, int b) const { return a - b; }
};

constexpr int loads = 7, stores = 6;

/// What a block of 2 x 3 x 4 threads does one by one. Each kind of load and of store has its place.
__global__ void of_threads(const int* in, int* out, int* numbers) {
    const int self = cub::RowMajorTid(2, 3, 4);
    // Of a block of rows alone, the number in the row.
    if (cub::RowMajorTid(2, 1, 1) != int(threadIdx.x)) return;
    numbers[self] = threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z;
    if (self != 5) return;
    *out++ = cub::ThreadLoad<cub::LOAD_DEFAULT>(in);
    *out++ = cub::ThreadLoad<cub::LOAD_CA>(in + 1);
    *out++ = cub::ThreadLoad<cub::LOAD_CG>(in + 2);
    *out++ = cub::ThreadLoad<cub::LOAD_CS>(in + 3);
    *out++ = cub::ThreadLoad<cub::LOAD_CV>(in + 4);
    *out++ = cub::ThreadLoad<cub::LOAD_LDG>(in + 5);
    *out++ = cub::ThreadLoad<cub::LOAD_VOLATILE>(in + 6);
    cub::ThreadStore<cub::STORE_DEFAULT>(out++, 10);
    cub::ThreadStore<cub::STORE_WB>(out++, 11);
    cub::ThreadStore<cub::STORE_CG>(out++, 12);
    cub::ThreadStore<cub::STORE_CS>(out++, 13);
    cub::ThreadStore<cub::STORE_WT>(out++, 14);
    cub::ThreadStore<cub::STORE_VOLATILE>(out++, 15);
    int own[3] = {in[0], in[1], in[2]};
    *out++ = cub::ThreadReduce(own, minus());
    *out++ = cub::ThreadReduce(own, minus(), 1000);
}

static void try_threads() {
    int *const in = managed<int>(loads), *const out = managed<int>(loads + stores + 2);
    int* const numbers = managed<int>(24);
    for (int i = 0; i < loads; ++i) in[i] = 7 * i * i + 2;
    of_threads<<<1, dim3(2, 3, 4)>>>(in, out, numbers);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 24; ++i) MUST(numbers[i] == i % 2 + i / 2 % 3 * 10 + i / 6 * 100);
    for (int i = 0; i < loads; ++i) MUST(out[i] == in[i]);
    for (int i = 0; i < stores; ++i) MUST(out[loads + i] == 10 + i);
    MUST(out[loads + stores] == in[0] - in[1] - in[2]);
    MUST(out[loads + stores + 1] == 1000 - in[0] - in[1] - in[2]);
}

__global__ void move_vectors(int* in, int* out) {
    int own[4];
    cub::LoadDirectBlockedVectorized(threadIdx.x, in, own);
    for (int& item : own) item += 1000 * threadIdx.x;
    cub::StoreDirectBlockedVectorized(threadIdx.x, out, own);
}

/// Reads every number of `in` by another form of the iterators, and writes them in the same order.
__global__ void hint(const int* in, int* out, long long* distances) {
    cub::CacheModifiedInputIterator<cub::LOAD_CG, int> from(in), begin = from;
    cub::CacheModifiedOutputIterator<cub::STORE_CS, int> to(out), start = to;
    *to = *from;
    *++to = *++from;
    to++, from++;
    to[0] = from[0];
    *(to + 1) = *(from + 1);
    to += 3, from += 3;
    *(to - 1) = *(from - 1);
    *to++ = *from++;
    to -= 1, from -= 1;
    to[1] = from[1];
    distances[0] = from - begin, distances[1] = to - start;
    distances[2] = (from == begin + 5) + 2 * (from != begin) + 4 * (from == begin);
    distances[3] = (to == start + 5) + 2 * (to != start) + 4 * (to == start);
}

static void moves() {
    constexpr int n = 7, vectors = 24;
    int *const in = managed<int>(vectors), *const out = managed<int>(vectors);
    long long* const distances = managed<long long>(4);
    for (int i = 0; i < vectors; ++i) in[i] = 11 * i + 3, out[i] = -1;
    hint<<<1, 1>>>(in, out, distances);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < vectors; ++i) MUST(out[i] == (i < n ? in[i] : -1));
    MUST(distances[0] == 5 && distances[1] == 5 && distances[2] == 3 && distances[3] == 3);
    move_vectors<<<1, vectors / 4>>>(in, out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < vectors; ++i) MUST(out[i] == in[i] + i / 4 * 1000);
    // As a device-wide call's input and output.
    const cub::CacheModifiedInputIterator<cub::LOAD_LDG, int> from(in + 1);
    const cub::CacheModifiedOutputIterator<cub::STORE_WT, int> to(out + 2);
    OK(cub::DeviceTransform::Transform(from, to, n, twice()));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) MUST(out[i + 2] == 2 * in[i + 1]);
    MUST(out[1] == in[1] && out[n + 2] == in[n + 2] + (n + 2) / 4 * 1000);
}

static void versions() {
    int device = -1, sm = 0, sm_of_device = 0, ptx = 0, ptx_of_device = 0;
    cudaDeviceProp properties;
    OK(cudaGetDevice(&device));
    OK(cudaGetDeviceProperties(&properties, device));
    MUST(cub::SmVersion(sm) == cudaSuccess && cub::SmVersion(sm_of_device, device) == cudaSuccess);
    MUST(sm == 100 * properties.major + 10 * properties.minor && sm_of_device == sm);
    static_assert(CUB_PTX_WARP_THREADS == 32 && CUB_PTX_LOG_WARP_THREADS == 5, "a warp");
    MUST(cub::NullType() == cub::NullType() && !(cub::NullType() != cub::NullType()));
    OK(cub::PtxVersion(ptx));
    OK(cub::PtxVersion(ptx_of_device, device));
    MUST(ptx > 0 && ptx <= sm && ptx_of_device == ptx);
}

static cub::CachingDeviceAllocator global_allocator(true);

static void allocations() {
    cub::CachingDeviceAllocator of_bins(8, 3, 7, 6 * 1024 * 1024 - 1), plain;
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    for (cub::CachingDeviceAllocator* from : {&global_allocator, &of_bins, &plain}) {
        int *a = nullptr, *b = nullptr, got[2] = {};
        MUST(from->DeviceAllocate(reinterpret_cast<void**>(&a), 100 * sizeof(int)) == cudaSuccess);
        MUST(from->DeviceAllocate(0, reinterpret_cast<void**>(&b), 5000, stream) == cudaSuccess);
        MUST(a != nullptr && b != nullptr && a != b);
        cudaMemsetAsync(a, 1, 100 * sizeof(int), stream), cudaMemsetAsync(b, 2, 5000, stream);
        OK(cudaStreamSynchronize(stream));
        OK(cudaMemcpy(got, a + 99, sizeof(int), cudaMemcpyDeviceToHost));
        OK(cudaMemcpy(got + 1, b + 1249, sizeof(int), cudaMemcpyDeviceToHost));
        MUST(got[0] == 0x01010101 && got[1] == 0x02020202);
        MUST(from->DeviceFree(a) == cudaSuccess && from->DeviceFree(0, b) == cudaSuccess);
        MUST(from->FreeAllCached() == cudaSuccess);
    }
}

int main() {
    key_bits();
    pairs();
    numbered_items();
    try_threads();
    moves();
    versions();
    allocations();
    return verdict();
}

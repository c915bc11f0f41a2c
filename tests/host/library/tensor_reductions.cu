// cp.reduce.async.bulk.tensor of inline PTX: every operation and type, in one to five dimensions,
// with boxes over the tensor's ends, and cp.async.bulk.tensor in those dimensions that
// tensor_maps.cu leaves out; against plain loops on the host.
#include <cuda.h>

#include <algorithm>
#include <cstdio>

#include "ptx_operands.h"

__device__ u32 window(const void* p) { return static_cast<u32>(__cvta_generic_to_shared(p)); }

struct place {
    int at[5];
};
constexpr int box_bytes = 1024;

// Copies a box, or combines it by an operation, at a place of so many dimensions.
#define TENSOR(rank, op, mode, list)                                                              \
    asm volatile(                                                                                 \
        op "." rank ".global.shared::cta" mode ".bulk_group [%0, {" list "}], [%1];" ::"l"(&map), \
        "r"(window(box)), "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]), "r"(p.at[3]), "r"(p.at[4])    \
        : "memory");                                                                              \
    break
enum action {
    add_box,
    min_box,
    max_box,
    and_box,
    or_box,
    xor_box,
    add_1,
    add_3,
    add_4,
    add_5,
    store_1,
    store_3,
    store_4,
    store_5
};

__global__ void combine(const __grid_constant__ CUtensorMap map, const unsigned char* from, place p,
                        action what) {
    __shared__ alignas(128) unsigned char box[box_bytes];
    for (int i = threadIdx.x; i < box_bytes; i += blockDim.x) box[i] = from[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x != 0) return;
    switch (what) {
        case add_box: TENSOR("2d", "cp.reduce.async.bulk.tensor", ".add.tile", "%2, %3");
        case min_box: TENSOR("2d", "cp.reduce.async.bulk.tensor", ".min.tile", "%2, %3");
        case max_box: TENSOR("2d", "cp.reduce.async.bulk.tensor", ".max.tile", "%2, %3");
        case and_box: TENSOR("2d", "cp.reduce.async.bulk.tensor", ".and.tile", "%2, %3");
        case or_box: TENSOR("2d", "cp.reduce.async.bulk.tensor", ".or.tile", "%2, %3");
        case xor_box: TENSOR("2d", "cp.reduce.async.bulk.tensor", ".xor.tile", "%2, %3");
        case add_1: TENSOR("1d", "cp.reduce.async.bulk.tensor", ".add.tile", "%2");
        case add_3: TENSOR("3d", "cp.reduce.async.bulk.tensor", ".add.tile", "%2, %3, %4");
        case add_4: TENSOR("4d", "cp.reduce.async.bulk.tensor", ".add", "%2, %3, %4, %5");
        case add_5: TENSOR("5d", "cp.reduce.async.bulk.tensor", ".add.tile", "%2, %3, %4, %5, %6");
        case store_1: TENSOR("1d", "cp.async.bulk.tensor", ".tile", "%2");
        case store_3: TENSOR("3d", "cp.async.bulk.tensor", "", "%2, %3, %4");
        case store_4: TENSOR("4d", "cp.async.bulk.tensor", ".tile", "%2, %3, %4, %5");
        case store_5: TENSOR("5d", "cp.async.bulk.tensor", ".tile", "%2, %3, %4, %5, %6");
    }
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

// Loads a box into shared memory and gives it as it lies there.
#define LOAD(rank, list)                                                                  \
    asm volatile("cp.async.bulk.tensor." rank                                             \
                 ".shared::cluster.global.tile.mbarrier::complete_tx::bytes"              \
                 " [%0], [%1, {" list "}], [%2];" ::"r"(window(box)),                     \
                 "l"(&map), "r"(window(&full)), "r"(p.at[0]), "r"(p.at[1]), "r"(p.at[2]), \
                 "r"(p.at[3]), "r"(p.at[4])                                               \
                 : "memory");                                                             \
    break
__global__ void load(const __grid_constant__ CUtensorMap map, unsigned char* to, place p, int rank,
                     int bytes) {
    __shared__ alignas(128) unsigned char box[box_bytes];
    __shared__ u64 full;
    if (threadIdx.x == 0) {
        asm volatile(
            "mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(
                window(&full))
            : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(window(&full)),
                     "r"(bytes)
                     : "memory");
        switch (rank) {
            case 1: LOAD("1d", "%3");
            case 3: LOAD("3d", "%3, %4, %5");
            case 4: LOAD("4d", "%3, %4, %5, %6");
            case 5: LOAD("5d", "%3, %4, %5, %6, %7");
        }
    }
    __syncthreads();
    u32 done = 0;
    while (done == 0)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, "
            "0, p; }"
            : "=r"(done)
            : "r"(window(&full))
            : "memory");
    for (int i = threadIdx.x; i < bytes; i += blockDim.x) to[i] = box[i];
}

// --- The host's side -----------------------------------------------------------------------------

// With more than -O1 g++ takes five times as long for this program. The kernels above stay as they
// are.
#pragma GCC optimize("O1")

/// A tensor of T with its sizes, x first, and a box in it.
template <class T>
struct tensor {
    std::vector<int> sizes, box;
    CUtensorMapDataType type;
    std::vector<T> values;
    T* memory = nullptr;
    CUtensorMap map;

    tensor(CUtensorMapDataType t, std::vector<int> s, std::vector<int> b, T (*value)(int))
        : sizes(std::move(s)), box(std::move(b)), type(t) {
        int count = 1;
        cuuint64_t all[5], strides[5];
        cuuint32_t part[5], steps[] = {1, 1, 1, 1, 1};
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            count *= sizes[i];
            all[i] = sizes[i], part[i] = box[i], strides[i] = count * sizeof(T);
        }
        for (int i = 0; i < count; ++i) values.push_back(value(i));
        OK(cudaMallocManaged(&memory, count * sizeof(T)));
        std::copy(values.begin(), values.end(), memory);
        OK(cuTensorMapEncodeTiled(&map, type, static_cast<cuuint32_t>(sizes.size()), memory, all,
                                  strides, part, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                  CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    }
    tensor(const tensor&) = delete;
    ~tensor() { cudaFree(memory); }

    int elements() const {
        int n = 1;
        for (const int b : box) n *= b;
        return n;
    }
    /// Which element of the tensor an element of the box at p is; -1 outside.
    int index(int element, const place& p) const {
        int at = 0, step = 1;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const int x = p.at[i] + element % box[i];
            if (x < 0 || x >= sizes[i]) return -1;
            at += x * step, step *= sizes[i], element /= box[i];
        }
        return at;
    }
    template <class F>
    void check(const char* what, action how, const place& p, T (*brought)(int), F f) {
        unsigned char* bytes = nullptr;
        OK(cudaMallocManaged(&bytes, box_bytes));
        std::memset(bytes, 0, box_bytes);
        for (int i = 0; i < elements(); ++i) {
            const T one = brought(i);
            std::memcpy(bytes + i * sizeof(T), &one, sizeof(T));
            if (const int at = index(i, p); at >= 0) values[at] = f(values[at], one);
        }
        combine<<<1, 32>>>(map, bytes, p, how);
        OK(cudaDeviceSynchronize());
        for (std::size_t i = 0; i < values.size(); ++i)
            if (fails(std::memcmp(&memory[i], &values[i], sizeof(T)) == 0))
                std::printf("%s [%zu]: %g, must be %g\n", what, i, double(memory[i]),
                            double(values[i]));
        cudaFree(bytes);
    }
    void check_load(const char* what, const place& p) {
        T* got = nullptr;
        OK(cudaMallocManaged(&got, box_bytes));
        load<<<1, 32>>>(map, reinterpret_cast<unsigned char*>(got), p,
                        static_cast<int>(sizes.size()), static_cast<int>(elements() * sizeof(T)));
        OK(cudaDeviceSynchronize());
        for (int i = 0; i < elements(); ++i) {
            const int at = index(i, p);
            const T want = at < 0 ? T(0) : values[at];
            if (fails(got[i] == want))
                std::printf("%s [%d]: %g, must be %g\n", what, i, double(got[i]), double(want));
        }
        cudaFree(got);
    }
};

/// All operations of integers, each on what the last one left, at places inside and over the ends.
template <class T>
static void check_integers(const char* type, CUtensorMapDataType t) {
    tensor<T> of(t, {12, 7}, {8, 3},
                 [](int i) { return static_cast<T>(i * 2654435761U % 1000 - 500) * 3000001; });
    const auto brought = [](int i) { return static_cast<T>(i * 40503 % 700 - 350) * 3000017; };
    of.check(type, add_box, {{2, 1}}, brought,
             [](T a, T b) { return static_cast<T>(u64(a) + u64(b)); });
    of.check(type, min_box, {{6, 5}}, brought, [](T a, T b) { return b < a ? b : a; });
    of.check(type, max_box, {{-3, -1}}, brought, [](T a, T b) { return a < b ? b : a; });
    of.check(type, and_box, {{4, 4}}, brought, [](T a, T b) { return a & b; });
    of.check(type, or_box, {{0, 3}}, brought, [](T a, T b) { return a | b; });
    of.check(type, xor_box, {{3, 2}}, brought, [](T a, T b) { return a ^ b; });
}
template <class T>
static void check_floats(const char* type, CUtensorMapDataType t) {
    tensor<T> of(t, {12, 7}, {8, 3}, [](int i) { return T(i) / 8; });
    of.check(
        type, add_box, {{6, -1}}, [](int i) { return T(i - 5) / 4; },
        [](T a, T b) { return a + b; });
}

int main() {
    check_integers<s32>("s32", CU_TENSOR_MAP_DATA_TYPE_INT32);
    check_integers<u32>("u32", CU_TENSOR_MAP_DATA_TYPE_UINT32);
    check_integers<s64>("s64", CU_TENSOR_MAP_DATA_TYPE_INT64);
    check_integers<u64>("u64", CU_TENSOR_MAP_DATA_TYPE_UINT64);
    check_floats<float>("f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32);

    const struct {
        const char* name;
        std::vector<int> sizes, box;
        action adds, stores;
        place inside, over;
    } shapes[] = {
        {"1d", {40}, {16}, add_1, store_1, {{8}}, {{-4}}},
        {"3d", {8, 5, 6}, {4, 2, 3}, add_3, store_3, {{2, 3, 1}}, {{6, -1, 4}}},
        {"4d", {8, 3, 4, 5}, {4, 2, 3, 2}, add_4, store_4, {{1, 1, 0, 3}}, {{5, 2, -1, 4}}},
        {"5d",
         {4, 3, 4, 2, 5},
         {4, 2, 2, 1, 3},
         add_5,
         store_5,
         {{0, 1, 2, 1, 2}},
         {{2, -1, 3, 0, 3}}}};
    for (const auto& s : shapes) {
        tensor<s32> of(CU_TENSOR_MAP_DATA_TYPE_INT32, s.sizes, s.box,
                       [](int i) { return i * 7 + 1; });
        for (const place& p : {s.inside, s.over}) {
            of.check(
                s.name, s.adds, p, [](int i) { return i * 1000; },
                [](s32 a, s32 b) { return a + b; });
            of.check_load(s.name, p);
            of.check(
                s.name, s.stores, p, [](int i) { return -i; }, [](s32, s32 b) { return b; });
        }
    }
    return verdict();
}

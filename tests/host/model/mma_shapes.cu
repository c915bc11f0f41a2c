// mma.sync in all shapes and types, also with factors of two types, sums in half floats and sums
// that saturate: matrices of small whole numbers against plain loops on the host.
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "check.h"

// --- The instructions ----------------------------------------------------------------------------

/// That of a line of the table below: C, which becomes D, and A and B as the lane's registers.
template <int line>
struct product {
    static constexpr bool exists = false;
};
#define FLOATS_4_2(form)                                                                      \
    template <>                                                                               \
    struct product<__LINE__> {                                                                \
        static constexpr bool exists = true;                                                  \
        static constexpr const char* name = form;                                             \
        static __device__ void run(unsigned* c, const unsigned* a, const unsigned* b) {       \
            asm volatile(                                                                     \
                "mma.sync.aligned." form                                                      \
                " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"            \
                : "+f"(reinterpret_cast<float&>(c[0])), "+f"(reinterpret_cast<float&>(c[1])), \
                  "+f"(reinterpret_cast<float&>(c[2])), "+f"(reinterpret_cast<float&>(c[3]))  \
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));          \
        }                                                                                     \
    };
#define HALVES_4_2(form)                                                                      \
    template <>                                                                               \
    struct product<__LINE__> {                                                                \
        static constexpr bool exists = true;                                                  \
        static constexpr const char* name = form;                                             \
        static __device__ void run(unsigned* c, const unsigned* a, const unsigned* b) {       \
            asm volatile("mma.sync.aligned." form                                             \
                         " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"                   \
                         : "+r"(c[0]), "+r"(c[1])                                             \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); \
        }                                                                                     \
    };
#define FLOATS_2_1(form)                                                                        \
    template <>                                                                                 \
    struct product<__LINE__> {                                                                  \
        static constexpr bool exists = true;                                                    \
        static constexpr const char* name = form;                                               \
        static __device__ void run(unsigned* c, const unsigned* a, const unsigned* b) {         \
            asm volatile(                                                                       \
                "mma.sync.aligned." form " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" \
                : "+f"(reinterpret_cast<float&>(c[0])), "+f"(reinterpret_cast<float&>(c[1])),   \
                  "+f"(reinterpret_cast<float&>(c[2])), "+f"(reinterpret_cast<float&>(c[3]))    \
                : "r"(a[0]), "r"(a[1]), "r"(b[0]));                                             \
        }                                                                                       \
    };
#define HALVES_2_1(form)                                                                 \
    template <>                                                                          \
    struct product<__LINE__> {                                                           \
        static constexpr bool exists = true;                                             \
        static constexpr const char* name = form;                                        \
        static __device__ void run(unsigned* c, const unsigned* a, const unsigned* b) {  \
            asm volatile("mma.sync.aligned." form " {%0, %1}, {%2, %3}, {%4}, {%0, %1};" \
                         : "+r"(c[0]), "+r"(c[1])                                        \
                         : "r"(a[0]), "r"(a[1]), "r"(b[0]));                             \
        }                                                                                \
    };
#define WHOLE_4_2(form)                                                                       \
    template <>                                                                               \
    struct product<__LINE__> {                                                                \
        static constexpr bool exists = true;                                                  \
        static constexpr const char* name = form;                                             \
        static __device__ void run(unsigned* c, const unsigned* a, const unsigned* b) {       \
            asm volatile("mma.sync.aligned." form                                             \
                         " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"   \
                         : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                     \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); \
        }                                                                                     \
    };
#define WHOLE_2_1(form)                                                                 \
    template <>                                                                         \
    struct product<__LINE__> {                                                          \
        static constexpr bool exists = true;                                            \
        static constexpr const char* name = form;                                       \
        static __device__ void run(unsigned* c, const unsigned* a, const unsigned* b) { \
            asm volatile("mma.sync.aligned." form                                       \
                         " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"         \
                         : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])               \
                         : "r"(a[0]), "r"(a[1]), "r"(b[0]));                            \
        }                                                                               \
    };
#define WHOLE_1_1(form)                                                                 \
    template <>                                                                         \
    struct product<__LINE__> {                                                          \
        static constexpr bool exists = true;                                            \
        static constexpr const char* name = form;                                       \
        static __device__ void run(unsigned* c, const unsigned* a, const unsigned* b) { \
            asm volatile("mma.sync.aligned." form " {%0, %1}, {%2}, {%3}, {%0, %1};"    \
                         : "+r"(c[0]), "+r"(c[1])                                       \
                         : "r"(a[0]), "r"(b[0]));                                       \
        }                                                                               \
    };
// By the number of registers of A and of B.
constexpr int first = __LINE__;
FLOATS_4_2("m16n8k16.row.col.f32.f16.f16.f32")
FLOATS_4_2("m16n8k16.row.col.f32.bf16.bf16.f32")
FLOATS_4_2("m16n8k8.row.col.f32.tf32.tf32.f32")
FLOATS_4_2("m16n8k32.row.col.f32.e4m3.e4m3.f32")
FLOATS_4_2("m16n8k32.row.col.f32.e4m3.e5m2.f32")
FLOATS_4_2("m16n8k32.row.col.f32.e5m2.e4m3.f32")
FLOATS_4_2("m16n8k32.row.col.f32.e5m2.e5m2.f32")
HALVES_4_2("m16n8k16.row.col.f16.f16.f16.f16")
HALVES_4_2("m16n8k32.row.col.f16.e4m3.e4m3.f16")
HALVES_4_2("m16n8k32.row.col.f16.e4m3.e5m2.f16")
HALVES_4_2("m16n8k32.row.col.f16.e5m2.e4m3.f16")
HALVES_4_2("m16n8k32.row.col.f16.e5m2.e5m2.f16")
FLOATS_2_1("m16n8k8.row.col.f32.f16.f16.f32")
FLOATS_2_1("m16n8k8.row.col.f32.bf16.bf16.f32")
FLOATS_2_1("m16n8k4.row.col.f32.tf32.tf32.f32")
HALVES_2_1("m16n8k8.row.col.f16.f16.f16.f16")
WHOLE_4_2("m16n8k32.row.col.s32.s8.s8.s32")
WHOLE_4_2("m16n8k32.row.col.satfinite.s32.s8.s8.s32")
WHOLE_4_2("m16n8k32.row.col.s32.s8.u8.s32")
WHOLE_4_2("m16n8k32.row.col.satfinite.s32.s8.u8.s32")
WHOLE_4_2("m16n8k32.row.col.s32.u8.s8.s32")
WHOLE_4_2("m16n8k32.row.col.satfinite.s32.u8.s8.s32")
WHOLE_4_2("m16n8k32.row.col.s32.u8.u8.s32")
WHOLE_4_2("m16n8k32.row.col.satfinite.s32.u8.u8.s32")
WHOLE_2_1("m16n8k16.row.col.s32.s8.s8.s32")
WHOLE_2_1("m16n8k16.row.col.satfinite.s32.s8.s8.s32")
WHOLE_2_1("m16n8k16.row.col.s32.s8.u8.s32")
WHOLE_2_1("m16n8k16.row.col.satfinite.s32.s8.u8.s32")
WHOLE_2_1("m16n8k16.row.col.s32.u8.s8.s32")
WHOLE_2_1("m16n8k16.row.col.satfinite.s32.u8.s8.s32")
WHOLE_2_1("m16n8k16.row.col.s32.u8.u8.s32")
WHOLE_2_1("m16n8k16.row.col.satfinite.s32.u8.u8.s32")
WHOLE_1_1("m8n8k16.row.col.s32.s8.s8.s32")
WHOLE_1_1("m8n8k16.row.col.satfinite.s32.s8.s8.s32")
WHOLE_1_1("m8n8k16.row.col.s32.s8.u8.s32")
WHOLE_1_1("m8n8k16.row.col.satfinite.s32.s8.u8.s32")
WHOLE_1_1("m8n8k16.row.col.s32.u8.s8.s32")
WHOLE_1_1("m8n8k16.row.col.satfinite.s32.u8.s8.s32")
WHOLE_1_1("m8n8k16.row.col.s32.u8.u8.s32")
WHOLE_1_1("m8n8k16.row.col.satfinite.s32.u8.u8.s32")
constexpr int lines = __LINE__ - first;

// --- Formats -------------------------------------------------------------------------------------

/// So many bits, of them so many of the fraction, or none for integers.
struct format {
    const char* name;
    int width, fraction, bias;
};
constexpr format formats[] = {{"f16", 16, 10, 15},  {"bf16", 16, 7, 127}, {"tf32", 32, 23, 127},
                              {"f32", 32, 23, 127}, {"e4m3", 8, 3, 7},    {"e5m2", 8, 2, 15},
                              {"s8", 8, 0, 0},      {"u8", 8, 0, 0},      {"s32", 32, 0, 0}};

/// The bits of a small whole number, or of any integer.
__device__ unsigned bits_of(int x, const format& f) {
    if (f.fraction == 0)
        return static_cast<unsigned>(x) & (f.width == 32 ? ~0U : (1U << f.width) - 1);
    if (x == 0) return 0;
    const unsigned size = static_cast<unsigned>(x < 0 ? -x : x), sign = x < 0 ? 1 : 0;
    const int exponent = 31 - __clz(static_cast<int>(size));
    const unsigned rest =
        static_cast<unsigned>(static_cast<std::uint64_t>(size) << f.fraction >> exponent) &
        ((1U << f.fraction) - 1);
    return sign << (f.width - 1) | static_cast<unsigned>(exponent + f.bias) << f.fraction | rest;
}
__device__ long long number_of(unsigned bits, const format& f) {
    if (f.fraction == 0) return static_cast<int>(bits);
    const int exponent =
        static_cast<int>(bits >> f.fraction & ((1U << (f.width - 1 - f.fraction)) - 1)) - f.bias;
    if (exponent < 0) return 0;
    const unsigned size =
        (1U << f.fraction | (bits & ((1U << f.fraction) - 1))) >> (f.fraction - exponent);
    return bits >> (f.width - 1) & 1 ? -static_cast<long long>(size) : size;
}

// --- Matrices ------------------------------------------------------------------------------------

struct form {
    int rows, depth;
    format a, b, d;
    bool saturates;
};
__host__ __device__ int left_of(int row, int k) { return (row * 5 + k * 3) % 7 - 3; }
__host__ __device__ int right_of(int k, int column) { return (k * 2 + column * 7) % 5 - 2; }
/// What is added; near the limits of integers where sums saturate.
__host__ __device__ int added(int row, int column, bool saturates) {
    if (saturates && (row + column) % 3 != 0)
        return (row + column) % 3 == 1 ? INT32_MAX - row : INT32_MIN + column;
    return row - 3 * column;
}

/// Registers as PTX's manual lays them out: four lanes have a row of A, a column of B, and a row of
/// D.
template <int line>
__global__ void multiply(form f, long long* out) {
    const int lane = threadIdx.x, group = lane / 4, within = lane % 4, halves = f.rows / 8;
    const int packed = 32 / f.a.width, reach = 4 * packed, of_d = 32 / f.d.width;
    unsigned a[4] = {}, b[2] = {}, c[4] = {};
    for (int r = 0; r < f.depth / reach; ++r)
        for (int e = 0; e < packed; ++e) {
            const int k = r * reach + within * packed + e, shift = e * f.a.width;
            for (int half = 0; half < halves; ++half)
                a[r * halves + half] |= bits_of(left_of(group + 8 * half, k), f.a) << shift;
            b[r] |= bits_of(right_of(k, group), f.b) << shift;
        }
    for (int i = 0; i < 2 * halves; ++i)
        c[i / of_d] |= bits_of(added(group + i / 2 * 8, 2 * within + i % 2, f.saturates), f.d)
                       << i % of_d * f.d.width;
    product<line>::run(c, a, b);
    for (int i = 0; i < 2 * halves; ++i)
        out[(group + i / 2 * 8) * 8 + 2 * within + i % 2] =
            number_of(of_d == 2 ? c[i / 2] >> 16 * (i % 2) & 0xffff : c[i], f.d);
}

/// Reads "m16n8k16.row.col.f32.bf16.bf16.f32", or with satfinite.
static form read(const std::string& name) {
    form made = {};
    made.rows = std::stoi(name.substr(1));
    made.depth = std::stoi(name.substr(name.find("n8k") + 3));
    made.saturates = name.find("satfinite") != name.npos;
    std::string rest =
        name.substr(name.find(made.saturates ? "satfinite." : "col.") + (made.saturates ? 10 : 4));
    for (format* one : {&made.d, &made.a, &made.b}) {
        for (const format& f : formats)
            if (rest.substr(0, rest.find('.')) == f.name) *one = f;
        rest = rest.substr(rest.find('.') + 1);
    }
    return made;
}
template <int line>
static void check(long long* out) {
    if constexpr (product<line>::exists) {
        const form f = read(product<line>::name);
        multiply<line><<<1, 32>>>(f, out);
        wait_for_device();
        const auto factor = [](int x, const format& type) {
            return std::strcmp(type.name, "u8") == 0 ? x & 255 : x;
        };
        for (int row = 0; row < f.rows; ++row)
            for (int column = 0; column < 8; ++column) {
                long long want = added(row, column, f.saturates);
                for (int k = 0; k < f.depth; ++k)
                    want += factor(left_of(row, k), f.a) * factor(right_of(k, column), f.b);
                if (f.saturates)
                    want = want > INT32_MAX ? INT32_MAX : want < INT32_MIN ? INT32_MIN : want;
                const long long got = out[row * 8 + column];
                if (fails(got == want))
                    std::printf("%s (%d, %d): %lld, must be %lld\n", product<line>::name, row,
                                column, got, want);
            }
    }
}
template <int... line>
static void check_all(long long* out, std::integer_sequence<int, line...>) {
    (check<first + line>(out), ...);
}

int main() {
    long long* out = nullptr;
    OK(cudaMallocManaged(&out, 128 * sizeof *out));
    check_all(out, std::make_integer_sequence<int, lines>());
    cudaFree(out);
    return verdict();
}

// Inline PTX: ld and st of every type and vector in each state space, their orders and hints, atom
// and red with every operation and type, cp.async and cvta, against memcpy and plain C++ on the
// host.
#include "ptx_operands.h"

struct alignas(16) block_of_bytes {
    u8 bytes[64];
};
__constant__ block_of_bytes in_constant;

// --- Loads and stores ----------------------------------------------------------------------------

// What each of these loads gives: 38 elements.
#define LOADS(space, address, d)                                                                   \
    asm volatile("ld" space ".u8 %0, [%1+9];" : "=r"(r[0]) : "l"(address));                        \
    (d)[0] = r[0];                                                                                 \
    asm volatile("ld" space ".s8 %0, [%1+9];" : "=r"(r[0]) : "l"(address));                        \
    (d)[1] = r[0];                                                                                 \
    asm volatile("ld" space ".b8 %0, [%1+9];" : "=r"(r[0]) : "l"(address));                        \
    (d)[2] = r[0];                                                                                 \
    asm volatile("ld" space ".u16 %0, [%1+10];" : "=r"(r[0]) : "l"(address));                      \
    (d)[3] = r[0];                                                                                 \
    asm volatile("ld" space ".s16 %0, [%1+10];" : "=r"(r[0]) : "l"(address));                      \
    (d)[4] = r[0];                                                                                 \
    asm volatile("ld" space ".u32 %0, [%1+12];" : "=r"(r[0]) : "l"(address));                      \
    (d)[5] = r[0];                                                                                 \
    asm volatile("ld" space ".s32 %0, [%1+12];" : "=r"(r[0]) : "l"(address));                      \
    (d)[6] = r[0];                                                                                 \
    asm volatile("ld" space ".b32 %0, [%1+12];" : "=r"(r[0]) : "l"(address));                      \
    (d)[7] = r[0];                                                                                 \
    asm volatile("ld" space ".u64 %0, [%1+16];" : "=l"(w[0]) : "l"(address));                      \
    (d)[8] = w[0];                                                                                 \
    asm volatile("ld" space ".s64 %0, [%1+16];" : "=l"(w[0]) : "l"(address));                      \
    (d)[9] = w[0];                                                                                 \
    asm volatile("ld" space ".b64 %0, [%1+16];" : "=l"(w[0]) : "l"(address));                      \
    (d)[10] = w[0];                                                                                \
    asm volatile("ld" space ".v2.u32 {%0, %1}, [%2+24];" : "=r"(r[0]), "=r"(r[1]) : "l"(address)); \
    for (int i = 0; i < 2; ++i) (d)[11 + i] = r[i];                                                \
    asm volatile("ld" space ".v4.u32 {%0, %1, %2, %3}, [%4+32];"                                   \
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                                  \
                 : "l"(address));                                                                  \
    for (int i = 0; i < 4; ++i) (d)[13 + i] = r[i];                                                \
    asm volatile("ld" space ".v2.b64 {%0, %1}, [%2+16];" : "=l"(w[0]), "=l"(w[1]) : "l"(address)); \
    for (int i = 0; i < 2; ++i) (d)[17 + i] = w[i];                                                \
    asm volatile("ld" space ".v2.u16 {%0, %1}, [%2+36];" : "=h"(h[0]), "=h"(h[1]) : "l"(address)); \
    for (int i = 0; i < 2; ++i) (d)[19 + i] = h[i];                                                \
    asm volatile("ld" space ".v4.s16 {%0, %1, %2, %3}, [%4+40];"                                   \
                 : "=h"(h[0]), "=h"(h[1]), "=h"(h[2]), "=h"(h[3])                                  \
                 : "l"(address));                                                                  \
    for (int i = 0; i < 4; ++i) (d)[21 + i] = h[i];                                                \
    asm volatile("ld" space ".v4.u8 {%0, %1, %2, %3}, [%4+52];"                                    \
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])                                  \
                 : "l"(address));                                                                  \
    for (int i = 0; i < 4; ++i) (d)[25 + i] = r[i];                                                \
    asm volatile("ld" space ".v2.u8 {%0, %1}, [%2+62];" : "=r"(r[0]), "=r"(r[1]) : "l"(address));  \
    for (int i = 0; i < 2; ++i) (d)[29 + i] = r[i];                                                \
    asm volatile("ld" space ".f32 %0, [%1+44];" : "=f"(f[0]) : "l"(address));                      \
    (d)[31] = __float_as_uint(f[0]);                                                               \
    asm volatile("ld" space ".v4.f32 {%0, %1, %2, %3}, [%4+16];"                                   \
                 : "=f"(f[0]), "=f"(f[1]), "=f"(f[2]), "=f"(f[3])                                  \
                 : "l"(address));                                                                  \
    for (int i = 0; i < 4; ++i) (d)[32 + i] = __float_as_uint(f[i]);                               \
    asm volatile("ld" space ".v2.f64 {%0, %1}, [%2+48];" : "=d"(g[0]), "=d"(g[1]) : "l"(address)); \
    for (int i = 0; i < 2; ++i) (d)[36 + i] = __double_as_longlong(g[i]);
#define STORES(space, address)                                                                \
    asm volatile("st" space ".u8 [%0+0], %1;" ::"l"(address), "r"(r[0]) : "memory");          \
    asm volatile("st" space ".s8 [%0+1], %1;" ::"l"(address), "r"(r[1]) : "memory");          \
    asm volatile("st" space ".b16 [%0+2], %1;" ::"l"(address), "h"(h[0]) : "memory");         \
    asm volatile("st" space ".u32 [%0+4], %1;" ::"l"(address), "r"(r[2]) : "memory");         \
    asm volatile("st" space ".s64 [%0+8], %1;" ::"l"(address), "l"(w[0]) : "memory");         \
    asm volatile("st" space ".v2.u16 [%0+16], {%1, %2};" ::"l"(address), "h"(h[1]), "h"(h[2]) \
                 : "memory");                                                                 \
    asm volatile("st" space ".v4.u8 [%0+20], {%1, %2, %3, %4};" ::"l"(address), "r"(r[3]),    \
                 "r"(r[2]), "r"(r[1]), "r"(r[0])                                              \
                 : "memory");                                                                 \
    asm volatile("st" space ".v2.b32 [%0+24], {%1, %2};" ::"l"(address), "r"(r[1]), "r"(r[3]) \
                 : "memory");                                                                 \
    asm volatile("st" space ".v4.f32 [%0+32], {%1, %2, %3, %4};" ::"l"(address), "f"(f[3]),   \
                 "f"(f[2]), "f"(f[1]), "f"(f[0])                                              \
                 : "memory");                                                                 \
    asm volatile("st" space ".v2.u64 [%0+48], {%1, %2};" ::"l"(address), "l"(w[1]), "l"(w[0]) \
                 : "memory");
constexpr int loaded = 38;
struct place {
    int offset, size;
    bool is_signed;
};
constexpr place places[loaded] = {
    {9, 1, false},  {9, 1, true},   {9, 1, false},  {10, 2, false}, {10, 2, true},  {12, 4, false},
    {12, 4, true},  {12, 4, false}, {16, 8, false}, {16, 8, true},  {16, 8, false}, {24, 4, false},
    {28, 4, false}, {32, 4, false}, {36, 4, false}, {40, 4, false}, {44, 4, false}, {16, 8, false},
    {24, 8, false}, {36, 2, false}, {38, 2, false}, {40, 2, true},  {42, 2, true},  {44, 2, true},
    {46, 2, true},  {52, 1, false}, {53, 1, false}, {54, 1, false}, {55, 1, false}, {62, 1, false},
    {63, 1, false}, {44, 4, false}, {16, 4, false}, {20, 4, false}, {24, 4, false}, {28, 4, false},
    {48, 8, false}, {56, 8, false}};

__global__ void loads_and_stores(const __grid_constant__ block_of_bytes parameter,
                                 const block_of_bytes* global, u64* out, block_of_bytes* stored) {
    __shared__ block_of_bytes shared, to_shared;
    block_of_bytes local, to_local = {};
    for (int i = 0; i < 64; ++i)
        shared.bytes[i] = local.bytes[i] = global->bytes[i], to_shared.bytes[i] = 0;
    u32 r[4];
    u16 h[4];
    u64 w[4], a;
    float f[4];
    double g[2];
    LOADS("", &local, out);
    LOADS(".global", global, out + loaded);
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(a) : "l"(&shared));
    LOADS(".shared", a, out + 2 * loaded);
    asm("cvta.to.local.u64 %0, %1;" : "=l"(a) : "l"(&local));
    LOADS(".local", a, out + 3 * loaded);
    asm("cvta.to.const.u64 %0, %1;" : "=l"(a) : "l"(&in_constant));
    LOADS(".const", a, out + 4 * loaded);
    asm("cvta.to.param.u64 %0, %1;" : "=l"(a) : "l"(&parameter));
    LOADS(".param", a, out + 5 * loaded);
    for (int i = 0; i < 4; ++i) {
        r[i] = 0x11223344 * (i + 3), h[i] = 0x1234 * (i + 5), w[i] = 0x0123456789abcdef * (i + 7);
        f[i] = 1.5F * (i + 1);
    }
    STORES("", &stored[0]);
    STORES(".global", &stored[1]);
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(a) : "l"(&to_shared));
    STORES(".shared", a);
    asm("cvta.to.local.u64 %0, %1;" : "=l"(a) : "l"(&to_local));
    STORES(".local", a);
    for (int i = 0; i < 64; ++i)
        stored[2].bytes[i] = to_shared.bytes[i], stored[3].bytes[i] = to_local.bytes[i];
}

static void check_loads_and_stores() {
    block_of_bytes bytes, want = {};
    for (int i = 0; i < 64; ++i) bytes.bytes[i] = static_cast<u8>(i * 37 + 85);
    auto* global = managed<block_of_bytes>(1);
    auto* stored = managed<block_of_bytes>(4);
    auto* out = managed<u64>(6 * loaded);
    *global = bytes;
    cudaMemcpyToSymbol(in_constant, &bytes, sizeof bytes);
    loads_and_stores<<<1, 1>>>(bytes, global, out, stored);
    wait_for_device();
    constexpr const char* spaces[] = {"generic", "global", "shared", "local", "const", "param"};
    for (int s = 0; s < 6; ++s)
        for (int i = 0; i < loaded; ++i) {
            const place& p = places[i];
            u64 value = 0;
            for (int k = 0; k < p.size; ++k) value |= u64(bytes.bytes[p.offset + k]) << 8 * k;
            // A register of 32 bits, or of 16 in vectors of these, has the sign of a narrower
            // element.
            if (p.is_signed && p.size < 4) {
                const u64 sign = u64(1) << (8 * p.size - 1);
                value = ((value ^ sign) - sign) & (i < 11 ? 0xffffffff : 0xffff);
            }
            expect(spaces[s], i, out[s * loaded + i], value);
        }
    const auto put = [&](int at, auto value) {
        std::memcpy(want.bytes + at, &value, sizeof value);
    };
    const auto word = [](int i) { return static_cast<u32>(0x11223344U * (i + 3)); };
    const auto wide = [](int i) { return u64(0x0123456789abcdef) * (i + 7); };
    const auto narrow = [](int i) { return static_cast<u16>(0x1234 * (i + 5)); };
    put(0, u8(word(0))), put(1, u8(word(1))), put(2, narrow(0)), put(4, word(2)), put(8, wide(0));
    put(16, narrow(1)), put(18, narrow(2));
    for (int i = 0; i < 4; ++i) put(20 + i, u8(word(3 - i))), put(32 + 4 * i, 1.5F * (4 - i));
    put(24, word(1)), put(28, word(3)), put(48, wide(1)), put(56, wide(0));
    for (int s = 0; s < 4; ++s)
        for (int i = 0; i < 64; ++i) expect(spaces[s], 100 + i, stored[s].bytes[i], want.bytes[i]);
    cudaFree(global), cudaFree(stored), cudaFree(out);
}

// --- Orders and hints, which change no value -----------------------------------------------------

#define LOAD(modifiers, at) \
    asm volatile("ld" modifiers ".u32 %0, [%1+" at "];" : "=r"(d[k++]) : "l"(in) : "memory")
#define STORE(modifiers, at)                                                                       \
    asm volatile("st" modifiers ".u32 [%0], %1;" ::"l"(out + 32 + (at)), "r"(101 + (at)) : "memor" \
                                                                                           "y")
__global__ void hints(const u32* in, u32* out) {
    u32 d[24];
    int k = 0;
    LOAD(".volatile.global", "0");
    LOAD(".relaxed.gpu.global", "4");
    LOAD(".acquire.sys.global", "8");
    LOAD(".relaxed.cta", "12");
    LOAD(".weak.global", "16");
    LOAD(".global.ca", "20");
    LOAD(".global.cg", "24");
    LOAD(".global.cs", "28");
    LOAD(".global.lu", "32");
    LOAD(".global.cv", "36");
    LOAD(".global.nc", "40");
    LOAD(".global.L1::evict_last", "44");
    LOAD(".global.L2::128B", "48");
    LOAD(".global.L1::no_allocate.L2::64B", "52");
    asm volatile("ldu.global.v4.u32 {%0, %1, %2, %3}, [%4+64];"
                 : "=r"(d[14]), "=r"(d[15]), "=r"(d[16]), "=r"(d[17])
                 : "l"(in));
    asm volatile("ld.global.u32 %0, [%1+-8];" : "=r"(d[18]) : "l"(in + 20));
    u64 policy;
    asm volatile(
        "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %0, [%1], 4096, 8192;"
        : "=l"(policy)
        : "l"(in));
    asm volatile("ld.global.L1::evict_first.L2::cache_hint.v2.u32 {%0, %1}, [%2+72], %3;"
                 : "=r"(d[19]), "=r"(d[20])
                 : "l"(in), "l"(policy));
    asm volatile(
        "prefetch.global.L1 [%0]; prefetch.L2 [%0]; prefetch.global.L2::evict_last [%0]; "
        "prefetchu.L1 [%0];" ::"l"(in));
    for (int i = 0; i < 21; ++i) out[i] = d[i];
    STORE(".volatile.global", 0);
    STORE(".relaxed.gpu.global", 1);
    STORE(".release.sys.global", 2);
    STORE(".global.wb", 3);
    STORE(".global.cg", 4);
    STORE(".global.cs", 5);
    STORE(".global.wt", 6);
    STORE(".global.L1::no_allocate", 7);
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(policy));
    asm volatile("st.global.L2::cache_hint.v2.u32 [%0], {%1, %2}, %3;" ::"l"(out + 40), "r"(108),
                 "r"(109), "l"(policy)
                 : "memory");
    asm volatile(
        "fence.sc.gpu; fence.acq_rel.cta; fence.acq_rel.cluster; fence.proxy.alias; membar.gl; "
        "membar.sys;" ::
            : "memory");
}

static void check_hints() {
    auto *in = managed<u32>(64), *out = managed<u32>(64);
    for (u32 i = 0; i < 64; ++i) in[i] = i * i + 1000;
    hints<<<1, 1>>>(in, out);
    wait_for_device();
    for (int i = 0; i < 21; ++i)
        expect("hint of a load", i, out[i], in[i < 14 ? i : i < 18 ? i + 2 : i == 18 ? 18 : i - 1]);
    for (int i = 0; i < 10; ++i)
        expect("hint of a store", i, out[32 + i], i < 8 ? 101 + i : 100 + i);
    cudaFree(in), cudaFree(out);
}

int main() {
    check_loads_and_stores();
    check_hints();
    return verdict();
}

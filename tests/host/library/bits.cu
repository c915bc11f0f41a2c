// Integer intrinsics, bytes and lanes of a word, bit for bit; the expected values were computed in
// Python from the definitions of the CUDA Math API.
#include <cstdio>
#include <cstring>

struct check {
    unsigned long long value, expected;
    int line;
};

template <class T>
__device__ unsigned long long bits(T value) {
    unsigned long long result = 0;
    memcpy(&result, &value, sizeof(value));
    return result;
}

#define CHECK(value, expected) out[i++] = {bits(value), expected, __LINE__};

// `one` and `zero` keep the compiler from computing the values itself.
__global__ void compute(check* out, int* n, int one, int zero) {
    int i = 0;
    // clang-format off
    CHECK(__popc(0xf00f1u * one), 0x9ull)
    CHECK(__popcll(0xffff00000000ffffull * one), 0x20ull)
    CHECK(__clz(one), 0x1full)
    CHECK(__clz(zero), 0x20ull)
    CHECK(__clz(-one), 0x0ull)
    CHECK(__clzll(zero), 0x40ull)
    CHECK(__clzll(1ll << 40 * one), 0x17ull)
    CHECK(__ffs(zero), 0x0ull)
    CHECK(__ffs(one << 31), 0x20ull)
    CHECK(__ffs(12 * one), 0x3ull)
    CHECK(__ffsll(1ll << 40 * one), 0x29ull)
    CHECK(__ffsll(zero), 0x0ull)
    CHECK(__brev(0x12345678u * one), 0x1e6a2c48ull)
    CHECK(__brevll(0x123456789abcdef0ull * one), 0xf7b3d591e6a2c48ull)
    CHECK(__byte_perm(0x33221100u * one, 0x77665544u * one, 0x3210u * one), 0x33221100ull)
    CHECK(__byte_perm(0x33221100u * one, 0x77665544u * one, 0x7654u * one), 0x77665544ull)
    CHECK(__byte_perm(0x33221100u * one, 0x77665544u * one, 0x123u * one), 0x112233ull)
    CHECK(__byte_perm(0x33221100u * one, 0x77665544u * one, 0x5410u * one), 0x55441100ull)
    CHECK(__byte_perm(0x33221100u * one, 0x77665544u * one, 0x7632u * one), 0x77663322ull)
    CHECK(__byte_perm(0x33221100u * one, 0x77665544u * one, 0x8888u * one), 0x0ull)
    CHECK(__byte_perm(0x33221100u * one, 0x77665544u * one, 0xf6d4u * one), 0x77665544ull)
    CHECK(__byte_perm(0x33221100u * one, 0x77665544u * one, 0x12344567u * one), 0x44556677ull)
    CHECK(__funnelshift_l(0x89abcdefu * one, 0x01234567u, 0), 0x1234567ull)
    CHECK(__funnelshift_lc(0x89abcdefu * one, 0x01234567u, 0), 0x1234567ull)
    CHECK(__funnelshift_r(0x89abcdefu * one, 0x01234567u, 0), 0x89abcdefull)
    CHECK(__funnelshift_rc(0x89abcdefu * one, 0x01234567u, 0), 0x89abcdefull)
    CHECK(__funnelshift_l(0x89abcdefu * one, 0x01234567u, 1), 0x2468acfull)
    CHECK(__funnelshift_lc(0x89abcdefu * one, 0x01234567u, 1), 0x2468acfull)
    CHECK(__funnelshift_r(0x89abcdefu * one, 0x01234567u, 1), 0xc4d5e6f7ull)
    CHECK(__funnelshift_rc(0x89abcdefu * one, 0x01234567u, 1), 0xc4d5e6f7ull)
    CHECK(__funnelshift_l(0x89abcdefu * one, 0x01234567u, 8), 0x23456789ull)
    CHECK(__funnelshift_lc(0x89abcdefu * one, 0x01234567u, 8), 0x23456789ull)
    CHECK(__funnelshift_r(0x89abcdefu * one, 0x01234567u, 8), 0x6789abcdull)
    CHECK(__funnelshift_rc(0x89abcdefu * one, 0x01234567u, 8), 0x6789abcdull)
    CHECK(__funnelshift_l(0x89abcdefu * one, 0x01234567u, 31), 0xc4d5e6f7ull)
    CHECK(__funnelshift_lc(0x89abcdefu * one, 0x01234567u, 31), 0xc4d5e6f7ull)
    CHECK(__funnelshift_r(0x89abcdefu * one, 0x01234567u, 31), 0x2468acfull)
    CHECK(__funnelshift_rc(0x89abcdefu * one, 0x01234567u, 31), 0x2468acfull)
    CHECK(__funnelshift_l(0x89abcdefu * one, 0x01234567u, 32), 0x1234567ull)
    CHECK(__funnelshift_lc(0x89abcdefu * one, 0x01234567u, 32), 0x89abcdefull)
    CHECK(__funnelshift_r(0x89abcdefu * one, 0x01234567u, 32), 0x89abcdefull)
    CHECK(__funnelshift_rc(0x89abcdefu * one, 0x01234567u, 32), 0x1234567ull)
    CHECK(__funnelshift_l(0x89abcdefu * one, 0x01234567u, 33), 0x2468acfull)
    CHECK(__funnelshift_lc(0x89abcdefu * one, 0x01234567u, 33), 0x89abcdefull)
    CHECK(__funnelshift_r(0x89abcdefu * one, 0x01234567u, 33), 0xc4d5e6f7ull)
    CHECK(__funnelshift_rc(0x89abcdefu * one, 0x01234567u, 33), 0x1234567ull)
    CHECK(__funnelshift_l(0x89abcdefu * one, 0x01234567u, 40), 0x23456789ull)
    CHECK(__funnelshift_lc(0x89abcdefu * one, 0x01234567u, 40), 0x89abcdefull)
    CHECK(__funnelshift_r(0x89abcdefu * one, 0x01234567u, 40), 0x6789abcdull)
    CHECK(__funnelshift_rc(0x89abcdefu * one, 0x01234567u, 40), 0x1234567ull)
    CHECK(__mulhi(-2 * one, 3), 0xffffffffull)
    CHECK(__mulhi(0x40000000 * one, 8), 0x2ull)
    CHECK(__umulhi(0xffffffffu * one, 0xffffffffu), 0xfffffffeull)
    CHECK(__mul64hi(-2ll * one, 3ll), 0xffffffffffffffffull)
    CHECK(__umul64hi(0xffffffffffffffffull * one, 2ull), 0x1ull)
    CHECK(__mul24(0xffffff * one, 5), 0xfffffffbull)
    CHECK(__mul24(-3 * one, 7), 0xffffffebull)
    CHECK(__mul24(0x01000002 * one, 3), 0x6ull)
    CHECK(__umul24(0xff000003u * one, 5u), 0xfull)
    CHECK(__umul24(0xffffffu * one, 0xffffffu), 0xfe000001ull)
    CHECK(__sad(-5 * one, 7, 10u), 0x16ull)
    CHECK(__usad(3u * one, 10u, 1u), 0x8ull)
    CHECK(__sad(-2147483647 - one, 2147483647, 0u), 0xffffffffull)
    CHECK(__hadd(7 * one, 8), 0x7ull)
    CHECK(__rhadd(7 * one, 8), 0x8ull)
    CHECK(__hadd(-7 * one, -8), 0xfffffff8ull)
    CHECK(__rhadd(-7 * one, -8), 0xfffffff9ull)
    CHECK(__hadd(2147483647 * one, 2147483647), 0x7fffffffull)
    CHECK(__uhadd(0xffffffffu * one, 0xfffffffdu), 0xfffffffeull)
    CHECK(__urhadd(0xffffffffu * one, 0xfffffffeu), 0xffffffffull)
    CHECK(__dp4a((int)0x80ff017f * one, (int)0x7f02fe80, 10), 0xffff8106ull)
    CHECK(__dp4a(0x80ff017fu * one, 0x7f02fe80u, 10u), 0x8206ull)
    CHECK(__dp2a_lo((int)0x80ff017f * one, (int)0x7f02fe80, 10), 0x3e8cull)
    CHECK(__dp2a_hi((int)0x80ff017f * one, (int)0x7f02fe80, 10), 0xffc10189ull)
    CHECK(__dp2a_lo(0x80ff017fu * one, 0x7f02fe80u, 10u), 0x80bc8cull)
    CHECK(__fns(0xf0u * one, 0u, 1), 0x4ull)
    CHECK(__fns(0xf0u * one, 0u, 4), 0x7ull)
    CHECK(__fns(0xf0u * one, 0u, 5), 0xffffffffull)
    CHECK(__fns(0xf0u * one, 5u, 0), 0x5ull)
    CHECK(__fns(0xf0u * one, 0u, 0), 0xffffffffull)
    CHECK(__fns(0xf0u * one, 6u, -2), 0x5ull)
    CHECK(__float_as_int(-2.0f * one), 0xc0000000ull)
    CHECK(__hiloint2double(0x3ff00000 * one, 0), 0x3ff0000000000000ull)
    CHECK(__double2hiint(-2.0 * one), 0xc0000000ull)
    CHECK(__double2loint(1.0 / (3 * one)), 0x55555555ull)
    CHECK(__vadd2(0x80ff017fu * one, 0x7f02fe80u), 0x1ffffull)
    CHECK(__vadd2(0xffff8000u * one, 0x18001u), 0x1ull)
    CHECK(__vadd4(0x80ff017fu * one, 0x7f02fe80u), 0xff01ffffull)
    CHECK(__vadd4(0xffff8000u * one, 0x18001u), 0xff000001ull)
    CHECK(__vaddss2(0x80ff017fu * one, 0x7f02fe80u), 0x1ffffull)
    CHECK(__vaddss2(0xffff8000u * one, 0x18001u), 0x8000ull)
    CHECK(__vaddss4(0x80ff017fu * one, 0x7f02fe80u), 0xff01ffffull)
    CHECK(__vaddss4(0xffff8000u * one, 0x18001u), 0xff008001ull)
    CHECK(__vaddus2(0x80ff017fu * one, 0x7f02fe80u), 0xffffffffull)
    CHECK(__vaddus2(0xffff8000u * one, 0x18001u), 0xffffffffull)
    CHECK(__vaddus4(0x80ff017fu * one, 0x7f02fe80u), 0xffffffffull)
    CHECK(__vaddus4(0xffff8000u * one, 0x18001u), 0xffffff01ull)
    CHECK(__vsub2(0x80ff017fu * one, 0x7f02fe80u), 0x1fd02ffull)
    CHECK(__vsub2(0xffff8000u * one, 0x18001u), 0xfffeffffull)
    CHECK(__vsub4(0x80ff017fu * one, 0x7f02fe80u), 0x1fd03ffull)
    CHECK(__vsub4(0xffff8000u * one, 0x18001u), 0xfffe00ffull)
    CHECK(__vsubss2(0x80ff017fu * one, 0x7f02fe80u), 0x800002ffull)
    CHECK(__vsubss2(0xffff8000u * one, 0x18001u), 0xfffeffffull)
    CHECK(__vsubss4(0x80ff017fu * one, 0x7f02fe80u), 0x80fd037full)
    CHECK(__vsubss4(0xffff8000u * one, 0x18001u), 0xfffe00ffull)
    CHECK(__vsubus2(0x80ff017fu * one, 0x7f02fe80u), 0x1fd0000ull)
    CHECK(__vsubus2(0xffff8000u * one, 0x18001u), 0xfffe0000ull)
    CHECK(__vsubus4(0x80ff017fu * one, 0x7f02fe80u), 0x1fd0000ull)
    CHECK(__vsubus4(0xffff8000u * one, 0x18001u), 0xfffe0000ull)
    CHECK(__vavgu2(0x80ff017fu * one, 0x7f02fe80u), 0x80018000ull)
    CHECK(__vavgu2(0xffff8000u * one, 0x18001u), 0x80008001ull)
    CHECK(__vavgu4(0x80ff017fu * one, 0x7f02fe80u), 0x80818080ull)
    CHECK(__vavgu4(0xffff8000u * one, 0x18001u), 0x80808001ull)
    CHECK(__vhaddu2(0x80ff017fu * one, 0x7f02fe80u), 0x80007fffull)
    CHECK(__vhaddu2(0xffff8000u * one, 0x18001u), 0x80008000ull)
    CHECK(__vhaddu4(0x80ff017fu * one, 0x7f02fe80u), 0x7f807f7full)
    CHECK(__vhaddu4(0xffff8000u * one, 0x18001u), 0x7f808000ull)
    CHECK(__vmaxs2(0x80ff017fu * one, 0x7f02fe80u), 0x7f02017full)
    CHECK(__vmaxs2(0xffff8000u * one, 0x18001u), 0x18001ull)
    CHECK(__vmaxs4(0x80ff017fu * one, 0x7f02fe80u), 0x7f02017full)
    CHECK(__vmaxs4(0xffff8000u * one, 0x18001u), 0x18001ull)
    CHECK(__vmaxu2(0x80ff017fu * one, 0x7f02fe80u), 0x80fffe80ull)
    CHECK(__vmaxu2(0xffff8000u * one, 0x18001u), 0xffff8001ull)
    CHECK(__vmaxu4(0x80ff017fu * one, 0x7f02fe80u), 0x80fffe80ull)
    CHECK(__vmaxu4(0xffff8000u * one, 0x18001u), 0xffff8001ull)
    CHECK(__vmins2(0x80ff017fu * one, 0x7f02fe80u), 0x80fffe80ull)
    CHECK(__vmins2(0xffff8000u * one, 0x18001u), 0xffff8000ull)
    CHECK(__vmins4(0x80ff017fu * one, 0x7f02fe80u), 0x80fffe80ull)
    CHECK(__vmins4(0xffff8000u * one, 0x18001u), 0xffff8000ull)
    CHECK(__vminu2(0x80ff017fu * one, 0x7f02fe80u), 0x7f02017full)
    CHECK(__vminu2(0xffff8000u * one, 0x18001u), 0x18000ull)
    CHECK(__vminu4(0x80ff017fu * one, 0x7f02fe80u), 0x7f02017full)
    CHECK(__vminu4(0xffff8000u * one, 0x18001u), 0x18000ull)
    CHECK(__vabsdiffu2(0x80ff017fu * one, 0x7f02fe80u), 0x1fdfd01ull)
    CHECK(__vabsdiffu2(0xffff8000u * one, 0x18001u), 0xfffe0001ull)
    CHECK(__vabsdiffu4(0x80ff017fu * one, 0x7f02fe80u), 0x1fdfd01ull)
    CHECK(__vabsdiffu4(0xffff8000u * one, 0x18001u), 0xfffe0001ull)
    CHECK(__vabsdiffs2(0x80ff017fu * one, 0x7f02fe80u), 0xfe0302ffull)
    CHECK(__vabsdiffs2(0xffff8000u * one, 0x18001u), 0x20001ull)
    CHECK(__vabsdiffs4(0x80ff017fu * one, 0x7f02fe80u), 0xff0303ffull)
    CHECK(__vabsdiffs4(0xffff8000u * one, 0x18001u), 0x1020001ull)
    CHECK(__vcmpeq2(0x80ff017fu * one, 0x7f02fe80u), 0x0ull)
    CHECK(__vcmpeq2(0xffff8000u * one, 0x18001u), 0x0ull)
    CHECK(__vcmpeq4(0x80ff017fu * one, 0x7f02fe80u), 0x0ull)
    CHECK(__vcmpeq4(0xffff8000u * one, 0x18001u), 0xff00ull)
    CHECK(__vcmpgts2(0x80ff017fu * one, 0x7f02fe80u), 0xffffull)
    CHECK(__vcmpgts2(0xffff8000u * one, 0x18001u), 0x0ull)
    CHECK(__vcmpgts4(0x80ff017fu * one, 0x7f02fe80u), 0xffffull)
    CHECK(__vcmpgts4(0xffff8000u * one, 0x18001u), 0x0ull)
    CHECK(__vcmpgtu2(0x80ff017fu * one, 0x7f02fe80u), 0xffff0000ull)
    CHECK(__vcmpgtu2(0xffff8000u * one, 0x18001u), 0xffff0000ull)
    CHECK(__vcmpgtu4(0x80ff017fu * one, 0x7f02fe80u), 0xffff0000ull)
    CHECK(__vcmpgtu4(0xffff8000u * one, 0x18001u), 0xffff0000ull)
    CHECK(__vcmples2(0x80ff017fu * one, 0x7f02fe80u), 0xffff0000ull)
    CHECK(__vcmples2(0xffff8000u * one, 0x18001u), 0xffffffffull)
    CHECK(__vcmples4(0x80ff017fu * one, 0x7f02fe80u), 0xffff0000ull)
    CHECK(__vcmples4(0xffff8000u * one, 0x18001u), 0xffffffffull)
    CHECK(__vcmpleu2(0x80ff017fu * one, 0x7f02fe80u), 0xffffull)
    CHECK(__vcmpleu2(0xffff8000u * one, 0x18001u), 0xffffull)
    CHECK(__vcmpleu4(0x80ff017fu * one, 0x7f02fe80u), 0xffffull)
    CHECK(__vcmpleu4(0xffff8000u * one, 0x18001u), 0xffffull)
    CHECK(__vsetges2(0x80ff017fu * one, 0x7f02fe80u), 0x1ull)
    CHECK(__vsetges2(0xffff8000u * one, 0x18001u), 0x0ull)
    CHECK(__vsetges4(0x80ff017fu * one, 0x7f02fe80u), 0x101ull)
    CHECK(__vsetges4(0xffff8000u * one, 0x18001u), 0x100ull)
    CHECK(__vsetltu2(0x80ff017fu * one, 0x7f02fe80u), 0x1ull)
    CHECK(__vsetltu2(0xffff8000u * one, 0x18001u), 0x1ull)
    CHECK(__vsetltu4(0x80ff017fu * one, 0x7f02fe80u), 0x101ull)
    CHECK(__vsetltu4(0xffff8000u * one, 0x18001u), 0x1ull)
    CHECK(__vsetne2(0x80ff017fu * one, 0x7f02fe80u), 0x10001ull)
    CHECK(__vsetne2(0xffff8000u * one, 0x18001u), 0x10001ull)
    CHECK(__vsetne4(0x80ff017fu * one, 0x7f02fe80u), 0x1010101ull)
    CHECK(__vsetne4(0xffff8000u * one, 0x18001u), 0x1010001ull)
    CHECK(__vabs2(0x8001ff80u * one), 0x7fff0080ull)
    CHECK(__vabsss2(0x8001ff80u * one), 0x7fff0080ull)
    CHECK(__vneg2(0x8001ff80u * one), 0x7fff0080ull)
    CHECK(__vnegss2(0x8001ff80u * one), 0x7fff0080ull)
    CHECK(__vabs4(0x8001ff80u * one), 0x80010180ull)
    CHECK(__vabsss4(0x8001ff80u * one), 0x7f01017full)
    CHECK(__vneg4(0x8001ff80u * one), 0x80ff0180ull)
    CHECK(__vnegss4(0x8001ff80u * one), 0x7fff017full)
    CHECK(__vsadu4(0x80ff017fu * one, 0x7f02fe80u), 0x1fcull)
    CHECK(__vsads4(0x80ff017fu * one, 0x7f02fe80u), 0x204ull)
    CHECK(__vsadu2(0x80ff017fu * one, 0x7f02fe80u), 0xfefeull)
    CHECK(min(-one, 1u), 0x1ull)
    CHECK(max(-one, 1u), 0xffffffffull)
    CHECK(min(-one, 1), 0xffffffffull)
    CHECK(max(3ll * one, 4ll), 0x4ull)
    CHECK(max(-1ll * one, 4ull), 0xffffffffffffffffull)
    CHECK(umin(3u * one, 4u), 0x3ull)
    CHECK(max(__int_as_float(0x7fc00000 * one), 2.0f), 0x40000000ull)
    CHECK(min(2.0f * one, 1.5), 0x3ff8000000000000ull)
    CHECK(abs(-3 * one), 0x3ull)
    CHECK(abs(-3.0f * one), 0x40400000ull)
    // clang-format on
    *n = i;
}

int main() {
    static check checks[2000];
    int n = 0;
    check* device_checks;
    int* device_n;
    cudaMalloc(&device_checks, sizeof(checks));
    cudaMalloc(&device_n, sizeof(n));
    compute<<<1, 1>>>(device_checks, device_n, 1, 0);
    cudaMemcpy(&n, device_n, sizeof(n), cudaMemcpyDeviceToHost);
    if (n == 0 || cudaMemcpy(checks, device_checks, n * sizeof(check), cudaMemcpyDeviceToHost) !=
                      cudaSuccess) {
        printf("the kernel failed\n");
        return 1;
    }
    cudaFree(device_checks);
    cudaFree(device_n);
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        if (checks[i].value == checks[i].expected) continue;
        printf("line %d: %llx, not %llx\n", checks[i].line, checks[i].value, checks[i].expected);
        wrong = 1;
    }
    return wrong;
}

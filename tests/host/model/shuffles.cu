// Shuffles of every width and type, partial masks, source lanes outside the width.
#include "check.h"

constexpr int warps = 2, lanes = 32, kinds = 4, amounts = 8;
__constant__ int amount[amounts] = {0, 1, 2, 3, 7, 8, 17, 31};

template <class T>
__host__ __device__ T value_of(int thread) {
    return static_cast<T>(thread * 1000003LL + 5) / static_cast<T>(4);
}

template <class T, int width>
__global__ void shuffle(T* out) {
    const int thread = threadIdx.x;
    const T v = value_of<T>(thread);
    for (int a = 0; a < amounts; ++a) {
        T* o = out + a * kinds * warps * lanes + thread;
        o[0] = __shfl_sync(0xffffffffu, v, amount[a], width);
        o[1 * warps * lanes] = __shfl_up_sync(0xffffffffu, v, amount[a], width);
        o[2 * warps * lanes] = __shfl_down_sync(0xffffffffu, v, amount[a], width);
        o[3 * warps * lanes] = __shfl_xor_sync(0xffffffffu, v, amount[a], width);
    }
}

// The lane that a lane reads, as the Programming Guide tells it.
static int source_of(int kind, int lane, int n, int width) {
    const int first = lane / width * width;
    switch (kind) {
        case 0: return first + n % width;
        case 1: return lane - n < first ? lane : lane - n;
        case 2: return lane + n >= first + width ? lane : lane + n;
        default: return (lane ^ n) >= first + width ? lane : lane ^ n;
    }
}

template <class T, int width>
static void check_width(const char* type) {
    const int n[amounts] = {0, 1, 2, 3, 7, 8, 17, 31};
    const int count = amounts * kinds * warps * lanes;
    T* out = device<T>(count);
    shuffle<T, width><<<1, warps * lanes>>>(out);
    const std::vector<T> got = taken(out, count);
    for (int i = 0; i < count; ++i) {
        const int thread = i % (warps * lanes), kind = i / (warps * lanes) % kinds;
        const int a = i / (warps * lanes * kinds), warp = thread / lanes * lanes;
        const int source = warp + source_of(kind, thread % lanes, n[a], width);
        expect(type, i * 100 + width, got[i], value_of<T>(source));
    }
}

template <class T>
static void check_type(const char* type) {
    check_width<T, 1>(type);
    check_width<T, 2>(type);
    check_width<T, 4>(type);
    check_width<T, 8>(type);
    check_width<T, 16>(type);
    check_width<T, 32>(type);
}

__global__ void partial(int* out) {
    const int lane = threadIdx.x;
    out[lane] = out[32 + lane] = out[64 + lane] = out[96 + lane] = -7;
    if (lane < 16) out[lane] = __shfl_sync(0x0000ffffu, lane * 3, 5);
    if (lane % 2 == 1) out[32 + lane] = __shfl_xor_sync(0xaaaaaaaau, lane * 3, 2);
    if (lane == 9) out[64 + lane] = __shfl_sync(1u << 9, lane * 3, 9);
    // Both halves take a shuffle of their own, in two branches.
    if (lane < 16)
        out[96 + lane] = __shfl_down_sync(0x0000ffffu, lane + 100, 4, 16);
    else
        out[96 + lane] = __shfl_up_sync(0xffff0000u, lane + 200, 4, 16);
    // The source lane goes round: 35 is 3 of 8 and of 32.
    out[128 + lane] = __shfl_sync(0xffffffffu, lane, 35, 8);
    out[160 + lane] = __shfl_sync(0xffffffffu, lane, 35);
    // Each lane reads from one of its own choice.
    out[192 + lane] = __shfl_sync(0xffffffffu, lane * lane, (lane * 7 + 3) % 32);
}

int main() {
    check_type<int>("int");
    check_type<unsigned>("unsigned");
    check_type<long>("long");
    check_type<unsigned long>("unsigned long");
    check_type<long long>("long long");
    check_type<unsigned long long>("unsigned long long");
    check_type<float>("float");
    check_type<double>("double");
    int* out = device<int>(224);
    partial<<<1, 32>>>(out);
    const std::vector<int> got = taken(out, 224);
    for (int lane = 0; lane < 32; ++lane) {
        expect("lower half", lane, got[lane], lane < 16 ? 15 : -7);
        expect("odd lanes", lane, got[32 + lane], lane % 2 ? (lane ^ 2) * 3 : -7);
        expect("one lane", lane, got[64 + lane], lane == 9 ? 27 : -7);
        const int down = lane + 4 < 16 ? lane + 104 : lane + 100;
        const int up = lane - 4 < 16 ? lane + 200 : lane + 196;
        expect("two branches", lane, got[96 + lane], lane < 16 ? down : up);
        expect("35 of 8", lane, got[128 + lane], lane / 8 * 8 + 3);
        expect("35 of 32", lane, got[160 + lane], 3);
        const int source = (lane * 7 + 3) % 32;
        expect("own choice", lane, got[192 + lane], source * source);
    }
    return verdict();
}

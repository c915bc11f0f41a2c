// splits: shadowed declarators arrays constants pointers parameters structures some_set dynamic_memory places in_template in_template<> macros early_write late capture order
// Locals that outlive barriers. Expected values are computed by hand, or by plain C++.
#include <cstdio>
#include <cstdlib>

static int failures = 0;
static void expect(const char* what, int i, double got, double wanted) {
    if (got == wanted) return;
    std::printf("%s[%d]: %g, not %g\n", what, i, got, wanted);
    ++failures;
}

#define AT(i, j) ((i) * 8 + (j))
#define REAL float
constexpr int width = 8;
const int height = 4;
enum { depth = 2 };
__device__ int k = 100;  // hidden by locals of that name

__device__ void add_twice(int& sum, int value) { sum += 2 * value; }
__device__ int place() { return threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z; }
template <class T>
__device__ T largest(T a, T b) { return a > b ? a : b; }

__global__ void shadowed(int* out, int n) {
    __shared__ int s[8];
    int t = threadIdx.x, k = 1;
    s[t] = ::k;  // the program's
    __syncthreads();
    {
        int k = s[t] + 1;
        for (int t = 0; t < 2; ++t) { k += t; }
        __syncthreads();
        { float k = 0.5f; out[t + 8] = (int)(k * 4); }
        out[t] = k;
        { int n = out[t]; __syncthreads(); out[t] = n + 1; }
    }
    __syncthreads();
    out[t] += k * 1000 + n;
}

__global__ void declarators(int* out) {
    unsigned a = threadIdx.x, b = a * 2, c;
    const int d = 3, *p = &out[a], *const q = p, e[2] = {d, d + 1};
    int f(5), g{6}, h = (a < 2, b > 3), i[2][2] = {{1, 2}, {3, 4}}, *r = out + a;
    c = b + 1;
    __syncthreads();
    c += 1, i[1][0] += a, *r = 0;
    __syncthreads();
    *r = a + b + c + d + e[1] + f + g + h + i[0][1] + i[1][0] + (p == q) * 1000;
}

__global__ void arrays(const float* in, float* out) {
    __shared__ float tile[2][16];
    float sums[2][3] = {}, last[3];
    for (int round = 0; round < 4; ++round) {
        tile[round & 1][threadIdx.x] = in[threadIdx.x] * (round + 1);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            last[i] = tile[round & 1][(threadIdx.x + i) % 16];
            sums[round & 1][i] += last[i];
        }
    }
    __syncthreads();
    out[threadIdx.x] = sums[0][2] * 100 + sums[1][1] + last[0];
}

__global__ void constants(int* out) {
    int early = threadIdx.x;
    constexpr int size = width * 2;
    const int half = size / 2;
    using number = int;
    typedef number row[half];
    __shared__ number s[size];
    __shared__ row rows[height];
    if (early < size) { s[early] = early; }
    if (early < half) rows[height - 1][early] = depth;
    __syncthreads();
    if (size == 16) {
        constexpr int inner = 3;
        const int other = inner + half;
        __syncthreads();
        int local[other] = {inner};
        out[early] = s[(early + half) % size] + local[0] + other + rows[3][early % half];
    }
}

__global__ void pointers(int* out) {
    __shared__ int s[4];
    int mine = threadIdx.x, other = 7;
    int* to = &mine;
    s[3 - mine] = mine;
    __syncthreads();
    *to += 10;
    to = &other;
    add_twice(mine, 1);
    __syncthreads();
    *to += s[threadIdx.x];
    out[threadIdx.x] = mine * 100 + other;
}

__global__ void parameters(const float* __restrict__ in, float* out, int n, float scale) {
    __shared__ float s[32];
    in += blockIdx.x * 32;
    out += blockIdx.x * 32 + threadIdx.x;
    if (threadIdx.x % 2) scale *= 2;
    s[threadIdx.x] = in[threadIdx.x];
    for (; n > 0; n--) {
        __syncthreads();
        scale += s[(threadIdx.x + n) % 32];
    }
    *out = scale;
}

struct pair_of { int first; float second; };
struct counted { int n = 5; };

__global__ void structures(pair_of by_value, float* out) {
    float4 v = make_float4(1, 2, 3, threadIdx.x);
    pair_of p = {2, 0.5f}, unset;
    dim3 d(4, 5), e;
    counted five;
    unset.first = threadIdx.x;
    __syncthreads();
    v.y += p.first;
    unset.second = by_value.second;
    five.n += e.y;
    __syncthreads();
    auto sum = v.x + v.y + v.w;
    __syncthreads();
    out[threadIdx.x] = sum + p.second + d.z + d.y + unset.first + unset.second + five.n;
}

__global__ void some_set(int* out) {
    int v;
    if (threadIdx.x % 3 == 0) v = threadIdx.x * 2;
    __syncthreads();
    if (threadIdx.x % 3 != 0) v = -1;
    __syncthreads();
    out[threadIdx.x] = v;
}

extern __shared__ int outside[];

__global__ void dynamic_memory(int* out, int n) {
    extern __shared__ float words[];
    int* numbers = reinterpret_cast<int*>(words + n);
    int t = threadIdx.x;
    words[t] = t + 0.5f;
    numbers[t] = t * 2;
    __syncthreads();
    out[t] = (int)(words[n - 1 - t] * 2) + numbers[(t + 1) % n] + (outside == (int*)words);
}

__global__ void places(int* out) {
    __shared__ int s[24];
    const auto index = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const int column = index % blockDim.x, rest = index / width, shifted = (int)index << 2;
    s[index] = place();
    __syncthreads();
    int other = s[23 - index];
    __syncthreads();
    out[index + 24 * blockIdx.y] = other + place() * 1000 + column * 0 + rest * 0 +
                                   (shifted >> 2 == index) + gridDim.y * 0 + blockIdx.y;
}

template <int N, class T = float>
__global__ void in_template(T* out) {
    __shared__ T s[N][N + 1];
    const int x = threadIdx.x % N, y = threadIdx.x / N;
    T sum = T();
    s[y][x] = static_cast<T>(threadIdx.x);
    __syncthreads();
    for (int i = 0; i < N; ++i) sum += s[x][i];
    if constexpr (N > 2) { sum += largest<T>(0, 1); }
    __syncthreads();
    out[threadIdx.x] = sum;
}
template <>
__global__ void in_template<2, char>(char* out) {
    __syncthreads();
    out[threadIdx.x] = 'x';
}
template <class T>
struct wrapped { using type = T; };

template <class T>
__device__ T factors[2] = {1, 2};

// The macro's parameters have the names of locals.
__global__ void macros(REAL* out) {
    __shared__ REAL s[32];
    REAL v = threadIdx.x;
    int j = threadIdx.x / 8, i = threadIdx.x % 8;
    s[AT(j, i)] = v * factors<REAL>[1];
    __syncthreads();
    typename wrapped<REAL>::type got = s[AT(3 - j, 7 - i)];
    __syncthreads();
    out[AT(j, i)] = got * factors<REAL>[0];
}

__global__ void early_write(int* out) { int t = threadIdx.x; out[t] = t; __syncthreads(); int u = out[3 - t]; __syncthreads(); out[t] = u; }

__global__ void late(int* out) {
    __shared__ int s[4]; __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    s[atomicAdd(&count, 1)] = 1;
    __syncthreads();
    int all = 0;
    for (int i : s) all += i;
    struct { int a; } local = {all};
    int& reference = local.a;
    reference += count;
    out[threadIdx.x] = local.a;
}

__global__ void capture(int* out, int limit) {
    __shared__ int best;
    const int mine = (threadIdx.x * 7) % 11;
    if (threadIdx.x == 0) best = -1;
    __syncthreads();
    atomicMax(&best, mine < limit ? mine : -1);
    __syncthreads();
    out[threadIdx.x] = best == mine;
}

// Which thread comes first is the order's: the same in both forms.
__global__ void order(int* out) {
    __shared__ int next;
    if (threadIdx.x == 0) next = 0;
    __syncthreads();
    for (int i = 0; i < 3; ++i) {
        int turn = atomicAdd(&next, 1);
        __syncthreads();
        out[i * 32 + turn % 32] = threadIdx.x;
        if (threadIdx.x % 5 == 4 && i == 1) return;
    }
}

int main() {
    float *in = nullptr, *real = nullptr;
    int* out = nullptr;
    cudaMallocManaged(&in, 256 * sizeof(float));
    cudaMallocManaged(&real, 256 * sizeof(float));
    cudaMallocManaged(&out, 256 * sizeof(int));
    for (int i = 0; i < 256; ++i) in[i] = i, out[i] = -9, real[i] = -9;

    shadowed<<<1, 8>>>(out, 5);
    cudaDeviceSynchronize();
    for (int t = 0; t < 8; ++t) expect("shadowed", t, out[t], 102 + 1 + 1000 + 5), expect("shadowed", t + 8, out[t + 8], 2);

    declarators<<<1, 8>>>(out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 8; ++t)
        expect("declarators", t, out[t], t + 2 * t + (2 * t + 2) + 3 + 4 + 5 + 6 + (2 * t > 3) + 2 + (3 + t) + 1000);

    arrays<<<1, 16>>>(in, real);
    cudaDeviceSynchronize();
    for (int t = 0; t < 16; ++t)
        expect("arrays", t, real[t], 4 * ((t + 2) % 16) * 100 + 6 * ((t + 1) % 16) + 4 * t);

    constants<<<1, 16>>>(out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 16; ++t) expect("constants", t, out[t], (t + 8) % 16 + 3 + 11 + 2);

    pointers<<<1, 4>>>(out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 4; ++t) expect("pointers", t, out[t], (t + 12) * 100 + 7 + 3 - t);

    parameters<<<2, 32>>>(in, real, 3, 1.5f);
    cudaDeviceSynchronize();
    for (int t = 0; t < 64; ++t) {
        double wanted = t % 2 ? 3 : 1.5;
        for (int n = 1; n <= 3; ++n) wanted += (t % 32 + n) % 32 + t / 32 * 32;
        expect("parameters", t, real[t], wanted);
    }

    structures<<<1, 4>>>({1, 0.25f}, real);
    cudaDeviceSynchronize();
    for (int t = 0; t < 4; ++t)
        expect("structures", t, real[t], 1 + 4 + t + 0.5 + 1 + 5 + t + 0.25 + 6);

    some_set<<<1, 8>>>(out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 8; ++t) expect("some_set", t, out[t], t % 3 ? -1 : 2 * t);

    dynamic_memory<<<1, 16, 16 * 8>>>(out, 16);
    cudaDeviceSynchronize();
    for (int t = 0; t < 16; ++t) expect("dynamic_memory", t, out[t], (15 - t) * 2 + 1 + (t + 1) % 16 * 2 + 1);

    places<<<dim3(1, 2), dim3(4, 3, 2)>>>(out);
    cudaDeviceSynchronize();
    const auto at = [](int i) { return i % 4 + 10 * (i / 4 % 3) + 100 * (i / 12); };
    for (int i = 0; i < 48; ++i)
        expect("places", i, out[i], at(23 - i % 24) + at(i % 24) * 1000 + 1 + i / 24);

    in_template<4><<<1, 16>>>(real);
    in_template<2, int><<<1, 4>>>(out);
    in_template<2, wrapped<char>::type><<<1, 4>>>((char*)(out + 4));
    cudaDeviceSynchronize();
    for (int t = 0; t < 16; ++t) expect("in_template", t, real[t], 16 * (t % 4) + 6 + 1);
    for (int t = 0; t < 4; ++t) expect("in_template", t, out[t], 4 * (t % 2) + 1);
    expect("in_template", 4, out[4], 0x78787878);

    macros<<<1, 32>>>(real);
    cudaDeviceSynchronize();
    for (int t = 0; t < 32; ++t) expect("macros", t, real[t], 2 * (31 - t));

    early_write<<<1, 4>>>(out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 4; ++t) expect("early_write", t, out[t], 3 - t);

    late<<<1, 4>>>(out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 4; ++t) expect("late", t, out[t], 8);

    capture<<<1, 32>>>(out, 9);
    cudaDeviceSynchronize();
    for (int t = 0; t < 32; ++t) expect("capture", t, out[t], t * 7 % 11 == 8);

    order<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 96; ++i) std::printf("%d ", out[i]);
    std::printf("\n");
    return failures != 0;
}

// cuRAND's distributions: in kernels by their formulas from the generators' words, and by the host
// API; Poisson numbers by their moments; and the host API's tables, streams and errors.
#include <curand.h>
#include <curand_kernel.h>

#include "check.h"

using word = unsigned;
using wide = unsigned long long;

struct drawn {
    word raw[4];
    float uniform[6], normal[6], log_normal[6];
    double wide_uniform[4], wide_normal[4], wide_log_normal[4];
};
constexpr float mean = 0.5f, deviation = 0.25f;

template <class State>
__global__ void distributions(wide seed, drawn* out) {
    drawn d = {};
    const auto fresh = [=] {
        State s;
        curand_init(seed, 3, 0, &s);
        return s;
    };
    State s = fresh();
    for (word& x : d.raw) x = curand(&s);
    s = fresh();
    for (int i = 0; i < 2; ++i) d.uniform[i] = curand_uniform(&s);
    s = fresh();
    for (int i = 0; i < 2; ++i) d.normal[i] = curand_normal(&s);
    s = fresh();
    for (int i = 0; i < 2; ++i) d.log_normal[i] = curand_log_normal(&s, mean, deviation);
    s = fresh();
    for (int i = 0; i < 2; ++i) d.wide_uniform[i] = curand_uniform_double(&s);
    s = fresh();
    for (int i = 0; i < 2; ++i) d.wide_normal[i] = curand_normal_double(&s);
    s = fresh();
    for (int i = 0; i < 2; ++i)
        d.wide_log_normal[i] = curand_log_normal_double(&s, mean, deviation);
    s = fresh();
    const float2 pair = curand_normal2(&s);
    d.normal[2] = pair.x, d.normal[3] = pair.y;
    s = fresh();
    const float2 logs = curand_log_normal2(&s, mean, deviation);
    d.log_normal[2] = logs.x, d.log_normal[3] = logs.y;
    s = fresh();
    const double2 wide_pair = curand_normal2_double(&s);
    d.wide_normal[2] = wide_pair.x, d.wide_normal[3] = wide_pair.y;
    s = fresh();
    const double2 wide_logs = curand_log_normal2_double(&s, mean, deviation);
    d.wide_log_normal[2] = wide_logs.x, d.wide_log_normal[3] = wide_logs.y;
    if constexpr (std::is_same_v<State, curandStatePhilox4_32_10_t>) {
        s = fresh();
        const float4 u = curand_uniform4(&s);
        d.uniform[2] = u.x, d.uniform[3] = u.y, d.uniform[4] = u.z, d.uniform[5] = u.w;
        s = fresh();
        const float4 n = curand_normal4(&s);
        d.normal[4] = n.x, d.normal[5] = n.y;
        s = fresh();
        const float4 l = curand_log_normal4(&s, mean, deviation);
        d.log_normal[4] = l.x, d.log_normal[5] = l.y;
        s = fresh();
        const double2 w = curand_uniform2_double(&s);
        d.wide_uniform[2] = w.x, d.wide_uniform[3] = w.y;
    }
    *out = d;
}

// Box and Muller's pair: cuRAND gives the sine first.
static double box_muller(double u, double v, int i) {
    const double angle = 2 * M_PI * v, size = std::sqrt(-2 * std::log(u));
    return size * (i % 2 == 0 ? std::sin(angle) : std::cos(angle));
}
// 53 bits of two words.
static double of_two(word x, word y) { return double(x ^ wide{y} << 21) * 0x1p-53 + 0x1p-54; }

/// Floats: the logarithm and sine of a rounded number, whose angle is up to 2 pi, differ by 1e-6.
static void check_distributions(const drawn& d, const double (&u)[2], const double (&w)[2],
                                int calls) {
    for (int i = 0; i < 2 * calls; ++i) {
        const double n = box_muller(u[0], u[1], i);
        MUST(std::fabs(d.normal[i] - n) < 2e-5);
        MUST(std::fabs(std::log(d.log_normal[i]) - (mean + deviation * n)) < 2e-5);
    }
    for (int i = 0; i < 4; ++i) {
        const double n = box_muller(w[0], w[1], i);
        MUST(std::fabs(d.wide_normal[i] - n) < 1e-13);
        MUST(std::fabs(std::log(d.wide_log_normal[i]) - (mean + deviation * n)) < 1e-13);
    }
}
static void all_distributions() {
    drawn& d = *managed<drawn>(1);
    const word(&x)[4] = d.raw;
    const auto in_float = [](word w) { return float(w) * 0x1p-32f + 0x1p-33f; };
    const auto run = [&](auto kernel) {
        kernel<<<1, 1>>>(99, &d);
        cudaDeviceSynchronize();
    };
    run(distributions<curandStateXORWOW_t>);
    for (int i = 0; i < 2; ++i) {
        MUST(d.uniform[i] == in_float(x[i]));
        MUST(d.wide_uniform[i] == of_two(x[2 * i], x[2 * i + 1]));
    }
    check_distributions(d, {in_float(x[0]), in_float(x[1])},
                        {of_two(x[0], x[1]), of_two(x[2], x[3])}, 2);
    run(distributions<curandStatePhilox4_32_10_t>);
    for (int i = 0; i < 6; ++i) MUST(d.uniform[i] == in_float(x[i < 2 ? i : i - 2]));
    for (int i = 0; i < 2; ++i) {
        MUST(d.wide_uniform[i] == x[i] * 0x1p-32 + 0x1p-32);
        MUST(d.wide_uniform[2 + i] == of_two(x[2 * i], x[2 * i + 1]));
    }
    check_distributions(d, {in_float(x[0]), in_float(x[1])},
                        {of_two(x[0], x[1]), of_two(x[2], x[3])}, 3);
    run(distributions<curandStateMRG32k3a_t>);
    for (int i = 0; i < 2; ++i) MUST(d.uniform[i] == float(d.wide_uniform[i]));
    check_distributions(d, {d.uniform[0], d.uniform[1]}, {d.wide_uniform[0], d.wide_uniform[1]}, 2);
}

template <class State>
__global__ void poisson(double lambda, word* out) {
    const int i = threadIdx.x;
    State s;
    curand_init(7, i, 0, &s);
    for (int k = 0; k < 8; ++k) out[8 * i + k] = curand_poisson(&s, lambda);
    if constexpr (std::is_same_v<State, curandStatePhilox4_32_10_t>) {
        const uint4 four = curand_poisson4(&s, lambda);
        out[8 * i] = four.x, out[8 * i + 1] = four.y, out[8 * i + 2] = four.z;
        out[8 * i + 3] = four.w;
    }
}
// Mean and variance are lambda, for each of the three methods: products of uniform numbers, the
// incomplete gamma function from 64 on, and normal numbers above 4000.
static void check_poisson() {
    constexpr int n = 1024;
    word* x = managed<word>(n);
    for (const auto kernel : {poisson<curandStateXORWOW_t>, poisson<curandStatePhilox4_32_10_t>,
                              poisson<curandStateMRG32k3a_t>})
        for (const double lambda : {0.75, 20.0, 300.0, 10000.0}) {
            kernel<<<1, n / 8>>>(lambda, x);
            cudaDeviceSynchronize();
            double sum = 0, squares = 0;
            for (int i = 0; i < n; ++i) sum += x[i], squares += (x[i] - lambda) * (x[i] - lambda);
            // Five standard errors; the fourth central moment is 3 lambda^2 + lambda.
            MUST(std::fabs(sum / n - lambda) < 5 * std::sqrt(lambda / n));
            MUST(std::fabs(squares / n - lambda) <
                 5 * std::sqrt((2 * lambda * lambda + lambda) / n));
        }
}

static curandGenerator_t generator(curandRngType_t type) {
    curandGenerator_t g = nullptr;
    OK(curandCreateGenerator(&g, type));
    OK(curandSetPseudoRandomGeneratorSeed(g, 2024));
    OK(curandGenerateSeeds(g));
    return g;
}
// Mean and variance of n numbers within five standard errors, for normal numbers.
template <class T>
static bool has_moments(const std::vector<T>& x, double mean, double deviation) {
    const double n = double(x.size());
    double sum = 0, squares = 0;
    for (const T each : x) sum += each - mean, squares += (each - mean) * (each - mean);
    const double variance = deviation * deviation;
    return std::fabs(sum / n) < 5 * deviation / std::sqrt(n) &&
           std::fabs(squares / n - variance) < 5 * variance * std::sqrt(2 / n);
}
template <class T, class Generate>
static std::vector<T> made(curandRngType_t type, std::size_t n, const Generate& generate) {
    T* x = managed<T>(n);
    const curandGenerator_t g = generator(type);
    OK(generate(g, x, n));
    cudaDeviceSynchronize();
    OK(curandDestroyGenerator(g));
    const std::vector<T> out(x, x + n);
    cudaFree(x);
    return out;
}
template <class T>
static std::vector<T> logarithms(std::vector<T> x) {
    for (T& each : x) each = std::log(each);
    return x;
}
static void by_host_api() {
    constexpr int n = 20000;
    for (const auto type :
         {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_PHILOX4_32_10}) {
        MUST(has_moments(logarithms(made<float>(type, n,
                                                [](auto g, float* x, std::size_t count) {
                                                    return curandGenerateLogNormal(g, x, count, -1,
                                                                                   0.25f);
                                                })),
                         -1, 0.25));
        MUST(has_moments(logarithms(made<double>(type, n,
                                                 [](auto g, double* x, std::size_t count) {
                                                     return curandGenerateLogNormalDouble(
                                                         g, x, count, 3, 0.5);
                                                 })),
                         3, 0.5));
        MUST(has_moments(made<double>(type, n,
                                      [](auto g, double* x, std::size_t count) {
                                          return curandGenerateNormalDouble(g, x, count, -20, 3);
                                      }),
                         -20, 3));
        for (const double lambda : {50.0, 900.0, 5000.0})
            MUST(has_moments(made<word>(type, n,
                                        [=](auto g, word* x, std::size_t count) {
                                            return curandGeneratePoisson(g, x, count, lambda);
                                        }),
                             lambda, std::sqrt(lambda)));
    }
    float f;
    double d;
    const curandGenerator_t g = generator(CURAND_RNG_PSEUDO_DEFAULT);
    MUST(curandGenerateNormalDouble(g, &d, 1, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    MUST(curandGenerateLogNormal(g, &f, 1, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    MUST(curandGenerateLogNormalDouble(g, &d, 1, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    MUST(curandSetQuasiRandomGeneratorDimensions(g, 2) == CURAND_STATUS_TYPE_ERROR);
    OK(curandDestroyGenerator(g));
    int version = 0;
    OK(curandGetVersion(&version));
    MUST(version == CURAND_VERSION);
}

__global__ void fill_slowly(word* x, int n) {
    const long long begin = clock64();
    while (clock64() - begin < 30000000) {
    }
    for (int i = 0; i < n; ++i) x[i] = 0x5eed;
}
// Numbers come after what the stream did before, and a generator of the host writes host memory.
static void streams_and_hosts() {
    constexpr int n = 100;
    word* x = managed<word>(n);
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    curandGenerator_t g = generator(CURAND_RNG_PSEUDO_XORWOW);
    OK(curandSetStream(g, stream));
    fill_slowly<<<1, 1, 0, stream>>>(x, n);
    OK(curandGenerate(g, x, n));
    cudaStreamSynchronize(stream);
    int untouched = 0;
    for (int i = 0; i < n; ++i) untouched += x[i] == 0x5eed;
    MUST(untouched == 0);
    OK(curandDestroyGenerator(g));
    cudaStreamDestroy(stream);

    std::vector<word> own(n);
    OK(curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_XORWOW));
    OK(curandSetPseudoRandomGeneratorSeed(g, 2024));
    OK(curandGenerate(g, own.data(), n));
    for (int i = 0; i < n; ++i) MUST(own[i] == x[i]);
    OK(curandDestroyGenerator(g));
}

// A scrambled point is the plain one of the same vectors, with a constant on its bits.
template <class Plain, class Scrambled, class Vectors, class T>
__global__ void scrambled(const Vectors* vectors, const T* constants, int dimension, int* same) {
    Vectors own;
    for (unsigned j = 0; j < sizeof(Vectors) / sizeof(T); ++j) own[j] = vectors[dimension][j];
    Plain plain;
    Scrambled other;
    curand_init(own, 10, &plain);
    curand_init(own, constants[dimension], 10, &other);
    *same = 0;
    for (int i = 0; i < 20; ++i) *same += (curand(&plain) ^ constants[dimension]) == curand(&other);
}
static void tables() {
    constexpr int dimensions = 5;
    curandDirectionVectors32_t *v32, *there32 = managed<curandDirectionVectors32_t>(dimensions);
    curandDirectionVectors64_t *v64, *there64 = managed<curandDirectionVectors64_t>(dimensions);
    word *c32, *constants32 = managed<word>(dimensions);
    wide *c64, *constants64 = managed<wide>(dimensions);
    OK(curandGetDirectionVectors32(&v32, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
    OK(curandGetDirectionVectors64(&v64, CURAND_DIRECTION_VECTORS_64_JOEKUO6));
    // As libcurand 10.4 gives them.
    const struct {
        int dimension, bit;
        wide vector;
    } table[] = {
        {0, 0, 0x8000000000000000},  {0, 5, 0x0400000000000000},  {0, 63, 1},
        {1, 5, 0xcc00000000000000},  {1, 63, 0xffffffffffffffff}, {2, 5, 0x5c00000000000000},
        {2, 63, 0x9055000055555555}, {63, 5, 0xbc00000000000000}, {63, 63, 0xd73436419a9d9669}};
    for (const auto& row : table) MUST(v64[row.dimension][row.bit] == row.vector);
    for (int d = 0; d < 64; ++d)
        for (int j = 0; j < 32; ++j) MUST(v64[d][j] >> 32 == v32[d][j]);
    MUST(curandGetDirectionVectors64(&v64, CURAND_DIRECTION_VECTORS_32_JOEKUO6) ==
         CURAND_STATUS_OUT_OF_RANGE);
    MUST(curandGetDirectionVectors32(&v32, CURAND_DIRECTION_VECTORS_64_JOEKUO6) ==
         CURAND_STATUS_OUT_OF_RANGE);
    OK(curandGetDirectionVectors32(&v32, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6));
    OK(curandGetDirectionVectors64(&v64, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6));
    OK(curandGetScrambleConstants32(&c32));
    OK(curandGetScrambleConstants64(&c64));
    cudaMemcpy(there32, v32, dimensions * sizeof *v32, cudaMemcpyHostToDevice);
    cudaMemcpy(there64, v64, dimensions * sizeof *v64, cudaMemcpyHostToDevice);
    cudaMemcpy(constants32, c32, dimensions * sizeof *c32, cudaMemcpyHostToDevice);
    cudaMemcpy(constants64, c64, dimensions * sizeof *c64, cudaMemcpyHostToDevice);
    int* same = managed<int>(2);
    for (int d = 0; d < dimensions; ++d) {
        scrambled<curandStateSobol32_t, curandStateScrambledSobol32_t>
            <<<1, 1>>>(there32, constants32, d, same);
        scrambled<curandStateSobol64_t, curandStateScrambledSobol64_t>
            <<<1, 1>>>(there64, constants64, d, same + 1);
        cudaDeviceSynchronize();
        MUST(same[0] == 20 && same[1] == 20);
        // Constants of different dimensions differ.
        MUST(d == 0 || (c32[d] != c32[d - 1] && c64[d] != c64[d - 1]));
    }
}

int main() {
    all_distributions();
    check_poisson();
    by_host_api();
    streams_and_hosts();
    tables();
    return verdict();
}

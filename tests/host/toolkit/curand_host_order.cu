// The order of cuRAND's host API: what the host generators of libcurand 10.4 give for seed 1234, at
// several places, from several offsets; and that a seed leaves the place where it is.
#include <curand.h>

#include "check.h"

constexpr int places[] = {1, 4, 4097, 99998}, n = 100000;
static const struct {
    curandRngType_t type;
    unsigned long long offset;
    unsigned words[4];
    double uniform[4], normal[4], wide_normal[4];
} table[] = {{CURAND_RNG_PSEUDO_XORWOW,
              0,
              {0xd1f7605a, 0xea2bee0d, 0xed29ae49, 0xdd39f5ad},
              {0.926416920, 0.557235029, 0.537593777, 0.203685405},
              {-1.801578, -1.011333, 0.454982, -0.076597},
              {-1.239592503, -0.644961710, 1.002612107, 2.753136907}},
             {CURAND_RNG_PSEUDO_XORWOW,
              12295,
              {0xda335c5a, 0x37c5b5fd, 0x1a9b3f7e, 0xf984aac0},
              {0.103931051, 0.821134611, 0.194971772, 0.839929044},
              {-0.757658, -1.666516, -0.764571, -0.440505},
              {0.206015747, -0.159210072, 1.331813126, -0.894554696}},
             {CURAND_RNG_PSEUDO_MRG32K3A,
              0,
              {0x26f0d612, 0xfcef6715, 0x44f3c35f, 0xc2eaec55},
              {0.152112369, 0.988027995, 0.269344531, 0.761397143},
              {-0.591281, 0.343899, 0.448748, -1.580909},
              {-0.591281404, 0.343899553, 0.448747950, -1.580908433}},
             {CURAND_RNG_PSEUDO_MRG32K3A,
              12295,
              {0x47486879, 0xd6f4ac9b, 0xf44afad5, 0x10ad2342},
              {0.278448610, 0.839670933, 0.954269101, 0.065141872},
              {1.869626, -1.343035, -0.192591, -0.182138},
              {1.869625390, -1.343034544, -0.192590533, -0.182138511}},
             {CURAND_RNG_PSEUDO_PHILOX4_32_10,
              0,
              {0xda7cf0ab, 0xd115a128, 0x3734acf6, 0x5a57d69a},
              {0.796055149, 0.324165046, 0.839719735, 0.865075001},
              {1.229155, 0.568455, 0.260178, -1.332263},
              {0.160633346, 0.543054857, 0.935966192, 0.148814749}},
             {CURAND_RNG_PSEUDO_PHILOX4_32_10,
              12295,
              {0x2df0c572, 0x9fdfb79d, 0x19bd1222, 0xaa54ec81},
              {0.158204257, 0.878932037, 0.945757731, 0.702965312},
              {1.553702, -1.120376, -0.716458, -0.806008},
              {-1.353680946, 0.511870829, -0.314359404, -0.262905176}}};

template <class T, class Generate>
std::vector<double> made(curandGenerator_t g, unsigned long long offset, const Generate& generate) {
    T* x = nullptr;
    cudaMallocManaged(&x, n * sizeof(T));
    OK(curandSetPseudoRandomGeneratorSeed(g, 1234));
    OK(curandSetGeneratorOffset(g, offset));
    OK(generate(g, x, n));
    cudaDeviceSynchronize();
    std::vector<double> out;
    for (const int place : places) out.push_back(double(x[place]));
    cudaFree(x);
    return out;
}

int main() {
    for (const auto& row : table) {
        curandGenerator_t g;
        OK(curandCreateGenerator(&g, row.type));
        const auto words = made<unsigned>(g, row.offset, curandGenerate);
        const auto uniform = made<double>(g, row.offset, curandGenerateUniformDouble);
        const auto normal = made<float>(g, row.offset, [](auto own, auto* x, auto count) {
            return curandGenerateNormal(own, x, count, 0, 1);
        });
        const auto wide_normal = made<double>(g, row.offset, [](auto own, auto* x, auto count) {
            return curandGenerateNormalDouble(own, x, count, 0, 1);
        });
        for (int i = 0; i < 4; ++i) {
            MUST(words[i] == row.words[i]);
            MUST(std::fabs(uniform[i] - row.uniform[i]) < 1e-9);
            MUST(std::fabs(normal[i] - row.normal[i]) < 2e-5);
            MUST(std::fabs(wide_normal[i] - row.wide_normal[i]) < 1e-8);
        }
        // A new seed goes on at number 1.
        unsigned* x = nullptr;
        cudaMallocManaged(&x, 4 * sizeof *x);
        OK(curandSetPseudoRandomGeneratorSeed(g, 99));
        OK(curandSetGeneratorOffset(g, row.offset));
        OK(curandGenerate(g, x, 1));
        OK(curandSetPseudoRandomGeneratorSeed(g, 1234));
        OK(curandGenerate(g, x, 1));
        cudaDeviceSynchronize();
        MUST(x[0] == row.words[0]);
        MUST(curandGeneratePoisson(g, x, 3, 0) == CURAND_STATUS_OUT_OF_RANGE);
        MUST(curandSetGeneratorOrdering(g, CURAND_ORDERING_QUASI_DEFAULT) ==
             CURAND_STATUS_OUT_OF_RANGE);
        float f[3];
        const bool needs_pairs = row.type != CURAND_RNG_PSEUDO_PHILOX4_32_10;
        if (needs_pairs)
            MUST(curandGenerateNormal(g, f, 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE);
        else
            OK(curandGenerateNormal(g, reinterpret_cast<float*>(x), 3, 0, 1));
        cudaDeviceSynchronize();
        cudaFree(x);
        OK(curandDestroyGenerator(g));
    }
    return verdict();
}

// cuRAND's host API. Its generators are those of curand_kernel.h: number n of a sequence is number
// n / 4096 of subsequence n mod 4096 (cuRAND's documentation, "Generator Ordering", for XORWOW).
// Normal numbers come in pairs from one subsequence, as Box and Muller's method makes them, so
// their order is not cuRAND's.
#pragma once

#include <curand_kernel.h>
#include <cuset_host/library_work.h>

#include <vector>

struct curandGenerator_st {
    curandRngType_t type;
    unsigned long long seed = 0, offset = 0;
    cudaStream_t stream = nullptr;
    bool is_ready = false;
    std::vector<curandStateXORWOW_t> xorwow{};
    std::vector<curandStatePhilox4_32_10_t> philox{};
    std::vector<curandStateMRG32k3a_t> mrg{};
    unsigned long long next = 0;

    static constexpr unsigned subsequences = 4096;

    template <class State>
    void start(std::vector<State>& states) {
        states.resize(subsequences);
        for (unsigned i = 0; i < subsequences; ++i)
            curand_init(seed, i, offset / subsequences, &states[i]);
        next = offset % subsequences;
    }
    void start() {
        if (is_ready) return;
        is_ready = true;
        if (type == CURAND_RNG_PSEUDO_PHILOX4_32_10)
            start(philox);
        else if (type == CURAND_RNG_PSEUDO_MRG32K3A)
            start(mrg);
        else
            start(xorwow);
    }
    /// Calls draw(state) for each number.
    template <class T, class Draw>
    curandStatus_t fill(T* out, std::size_t count, Draw draw) {
        const cuset_host::library_kernel running(stream);
        start();
        for (std::size_t i = 0; i < count; ++i, ++next) {
            const auto which = static_cast<unsigned>(next % subsequences);
            if (type == CURAND_RNG_PSEUDO_PHILOX4_32_10)
                out[i] = draw(&philox[which]);
            else if (type == CURAND_RNG_PSEUDO_MRG32K3A)
                out[i] = draw(&mrg[which]);
            else
                out[i] = draw(&xorwow[which]);
        }
        return CURAND_STATUS_SUCCESS;
    }
};

extern "C" {

inline curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
    const bool is_known = type == CURAND_RNG_PSEUDO_DEFAULT || type == CURAND_RNG_PSEUDO_XORWOW ||
                          type == CURAND_RNG_PSEUDO_MRG32K3A ||
                          type == CURAND_RNG_PSEUDO_PHILOX4_32_10;
    if (!is_known) cuset_host::unmodelled("this type of generator of cuRAND");
    *generator = new curandGenerator_st{type};
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator,
                                                curandRngType_t type) {
    return curandCreateGenerator(generator, type);
}
inline curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
    delete generator;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                         unsigned long long seed) {
    generator->seed = seed;
    generator->is_ready = false;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator,
                                               unsigned long long offset) {
    generator->offset = offset;
    generator->is_ready = false;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t) {
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
    generator->stream = stream;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
    generator->start();
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGetVersion(int* version) {
    *version = 10400;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerate(curandGenerator_t g, unsigned* out, size_t count) {
    return g->fill(out, count, [](auto* state) { return curand(state); });
}
inline curandStatus_t curandGenerateUniform(curandGenerator_t g, float* out, size_t count) {
    return g->fill(out, count, [](auto* state) { return curand_uniform(state); });
}
inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double* out, size_t count) {
    return g->fill(out, count, [](auto* state) { return curand_uniform_double(state); });
}
/// Pairs of numbers are wanted: an odd count is an error.
inline curandStatus_t curandGenerateNormal(curandGenerator_t g, float* out, size_t count,
                                           float mean, float deviation) {
    if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return g->fill(out, count,
                   [=](auto* state) { return mean + deviation * curand_normal(state); });
}
inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double* out, size_t count,
                                                 double mean, double deviation) {
    if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return g->fill(out, count,
                   [=](auto* state) { return mean + deviation * curand_normal_double(state); });
}
inline curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float* out, size_t count,
                                              float mean, float deviation) {
    if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return g->fill(out, count,
                   [=](auto* state) { return curand_log_normal(state, mean, deviation); });
}
inline curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned* out, size_t count,
                                            double lambda) {
    return g->fill(out, count, [=](auto* state) { return curand_poisson(state, lambda); });
}

}  // extern "C"

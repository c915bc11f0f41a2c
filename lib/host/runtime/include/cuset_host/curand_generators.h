// cuRAND's host API. Its generators are those of curand_kernel.h: number n of a sequence is number
// n / 4096 of subsequence n mod 4096 (cuRAND's documentation, "Generator Ordering", for XORWOW).
// Normal numbers come in pairs from one subsequence, as Box and Muller's method makes them, so
// their order is not cuRAND's. The Mersenne twisters have XORWOW's numbers. Sobol sequences come
// dimension by dimension, each with its share of the numbers.
#pragma once

#include <curand_kernel.h>
#include <cuset_host/curand_directions.h>
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
    unsigned dimensions = 1;

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
    bool is_quasi() const { return type >= CURAND_RNG_QUASI_DEFAULT; }
    bool is_scrambled() const {
        return type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 ||
               type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
    }
    bool has_64_bits() const {
        return type == CURAND_RNG_QUASI_SOBOL64 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
    }
    /// The next points of each dimension in turn.
    template <class Word, class Plain, class Scrambled, class T, class Draw>
    void fill_points(T* out, std::size_t points, Draw draw) {
        auto& table = cuset_host::sobol_vectors<Word>::get();
        const auto at = static_cast<Word>(offset + next);
        for (unsigned d = 0; d < dimensions; ++d) {
            Plain plain;
            Scrambled scrambled;
            if (is_scrambled())
                curand_init(table.vectors[d], table.constants[d], at, &scrambled);
            else
                curand_init(table.vectors[d], at, &plain);
            for (std::size_t i = 0; i < points; ++i)
                *out++ = is_scrambled() ? draw(&scrambled) : draw(&plain);
        }
        next += points;
    }
    /// Calls draw(state) for each number.
    template <class T, class Draw>
    curandStatus_t fill(T* out, std::size_t count, Draw draw) {
        if (is_quasi() && count % dimensions != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
        const cuset_host::library_kernel running(stream);
        if (is_quasi()) {
            if (!is_ready) next = 0;
            is_ready = true;
            if (has_64_bits())
                fill_points<unsigned long long, curandStateSobol64_t,
                            curandStateScrambledSobol64_t>(out, count / dimensions, draw);
            else
                fill_points<unsigned, curandStateSobol32_t, curandStateScrambledSobol32_t>(
                    out, count / dimensions, draw);
            return CURAND_STATUS_SUCCESS;
        }
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
    if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
    if (type == CURAND_RNG_TEST || type > CURAND_RNG_QUASI_SCRAMBLED_SOBOL64)
        return CURAND_STATUS_TYPE_ERROR;
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
    if (generator->is_quasi()) return CURAND_STATUS_TYPE_ERROR;
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
inline curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                              unsigned dimensions) {
    if (!generator->is_quasi()) return CURAND_STATUS_TYPE_ERROR;
    if (dimensions == 0 || dimensions > cuset_host::most_sobol_dimensions)
        return CURAND_STATUS_OUT_OF_RANGE;
    generator->dimensions = dimensions;
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
    if (!generator->is_quasi()) generator->start();
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGetVersion(int* version) {
    *version = 10400;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerate(curandGenerator_t g, unsigned* out, size_t count) {
    if (g->has_64_bits()) return CURAND_STATUS_TYPE_ERROR;
    return g->fill(out, count, [](auto* state) { return static_cast<unsigned>(curand(state)); });
}
/// Quasirandom numbers of 64 bits.
inline curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long* out,
                                             size_t count) {
    if (!g->has_64_bits()) return CURAND_STATUS_TYPE_ERROR;
    return g->fill(out, count,
                   [](auto* state) { return static_cast<unsigned long long>(curand(state)); });
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
    if (count % 2 != 0 && !g->is_quasi()) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return g->fill(out, count,
                   [=](auto* state) { return mean + deviation * curand_normal(state); });
}
inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double* out, size_t count,
                                                 double mean, double deviation) {
    if (count % 2 != 0 && !g->is_quasi()) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return g->fill(out, count,
                   [=](auto* state) { return mean + deviation * curand_normal_double(state); });
}
inline curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float* out, size_t count,
                                              float mean, float deviation) {
    if (count % 2 != 0 && !g->is_quasi()) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return g->fill(out, count,
                   [=](auto* state) { return curand_log_normal(state, mean, deviation); });
}
inline curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double* out, size_t count,
                                                    double mean, double deviation) {
    if (count % 2 != 0 && !g->is_quasi()) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    return g->fill(out, count,
                   [=](auto* state) { return curand_log_normal_double(state, mean, deviation); });
}
inline curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned* out, size_t count,
                                            double lambda) {
    return g->fill(out, count, [=](auto* state) { return curand_poisson(state, lambda); });
}

}  // extern "C"

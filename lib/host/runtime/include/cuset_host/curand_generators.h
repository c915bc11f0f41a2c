// cuRAND's host API. Its generators are those of curand_kernel.h, in the order of cuRAND's
// documentation ("Generator Ordering"): number n of XORWOW is number n / 4096 of subsequence n mod
// 4096; so are MRG32k3a's, of 81920 subsequences, or 4096 in the older order; of Philox4_32_10,
// four at a time come from one of 65536 subsequences. Normal numbers come in pairs from one
// subsequence, of Philox by four. The Mersenne twisters have XORWOW's numbers. Sobol sequences come
// dimension by dimension, each with its share of the numbers.
#pragma once

#include <curand_kernel.h>
#include <cuset_host/curand_directions.h>
#include <cuset_host/library_work.h>

#include <type_traits>
#include <vector>

struct curandGenerator_st {
    curandRngType_t type;
    unsigned long long seed = 0, offset = 0;
    cudaStream_t stream = nullptr;
    curandOrdering_t ordering = CURAND_ORDERING_PSEUDO_DEFAULT;
    bool is_ready = false;
    std::vector<curandStateXORWOW_t> xorwow{};
    std::vector<curandStateMRG32k3a_t> mrg{};
    unsigned long long next = 0;  ///< of numbers, pairs or points since the offset
    unsigned dimensions = 1;

    bool is_philox() const { return type == CURAND_RNG_PSEUDO_PHILOX4_32_10; }
    bool is_mrg() const { return type == CURAND_RNG_PSEUDO_MRG32K3A; }
    unsigned subsequences() const {
        return is_mrg() && ordering != CURAND_ORDERING_PSEUDO_LEGACY ? 81920 : 4096;
    }
    /// The state of the subsequence that `slot` belongs to. States are made when they are met.
    template <class State>
    State& state_at(std::vector<State>& states, unsigned long long slot) {
        const unsigned apart = subsequences();
        const auto which = static_cast<unsigned>(slot % apart);
        for (auto i = static_cast<unsigned>(states.size()); i <= which; ++i) {
            states.emplace_back();
            curand_init(seed, i, offset / apart + (i < offset % apart), &states.back());
        }
        return states[which];
    }
    /// Starts anew at a number, counted from the first of the seed.
    void start_at(unsigned long long number) {
        offset = number;
        next = 0;
        is_ready = false;
        xorwow.clear();
        mrg.clear();
    }
    double of_two_words(curandStatePhilox4_32_10_t* state) const {
        const unsigned low = curand(state), high = curand(state);
        return _curand_uniform_double_hq(low, high);
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
    curandStatus_t fill(T* out, std::size_t count, Draw draw, unsigned words = sizeof(T) / 4) {
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
        if (is_philox()) {
            fill_by_four(out, count, draw, words);
            return CURAND_STATUS_SUCCESS;
        }
        for (std::size_t i = 0; i < count; ++i, ++next)
            out[i] = is_mrg() ? draw(&state_at(mrg, offset + next))
                              : draw(&state_at(xorwow, offset + next));
        return CURAND_STATUS_SUCCESS;
    }
    /// Four numbers of Philox at a time come from one subsequence, each of that many words.
    template <class T, class Draw>
    void fill_by_four(T* out, std::size_t count, Draw draw, unsigned words) {
        constexpr unsigned philox_subsequences = 65536;
        for (std::size_t i = 0; i < count;) {
            const unsigned long long at = offset + next, four = at / 4;
            curandStatePhilox4_32_10_t state;
            curand_init(seed, four % philox_subsequences, four / philox_subsequences * 4 * words,
                        &state);
            for (unsigned k = 0; k < 4 && i < count; ++k) {
                const T number = draw(&state);
                if (k < at % 4) continue;
                out[i++] = number;
                ++next;
            }
        }
    }
    /// Calls draw(state) for each pair of numbers of one subsequence. Of Philox and of points,
    /// numbers are drawn alone.
    template <class T, class Draw>
    curandStatus_t fill_pairs(T* out, std::size_t count, Draw draw) {
        if (is_quasi() || is_philox()) return fill(out, count, draw);
        if (count % 2 != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
        const cuset_host::library_kernel running(stream);
        for (std::size_t i = 0; i < count; i += 2, ++next)
            for (std::size_t k = 0; k < 2; ++k)
                out[i + k] = is_mrg() ? draw(&state_at(mrg, offset + next))
                                      : draw(&state_at(xorwow, offset + next));
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
    generator->start_at(generator->offset + generator->next);  // a seed leaves the place
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator,
                                               unsigned long long offset) {
    generator->start_at(offset);
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
inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator,
                                                 curandOrdering_t ordering) {
    const bool is_known = generator->is_quasi() ? ordering == CURAND_ORDERING_QUASI_DEFAULT
                                                : ordering == CURAND_ORDERING_PSEUDO_DEFAULT ||
                                                      ordering == CURAND_ORDERING_PSEUDO_BEST ||
                                                      ordering == CURAND_ORDERING_PSEUDO_LEGACY ||
                                                      ordering == CURAND_ORDERING_PSEUDO_DYNAMIC;
    if (!is_known && ordering == CURAND_ORDERING_PSEUDO_SEEDED && !generator->is_philox() &&
        !generator->is_mrg() && !generator->is_quasi())
        cuset_host::unmodelled("cuRAND's seeded order");
    if (!is_known) return CURAND_STATUS_OUT_OF_RANGE;
    generator->ordering = ordering;
    generator->start_at(generator->offset + generator->next);
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
    generator->stream = stream;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerateSeeds(curandGenerator_t) { return CURAND_STATUS_SUCCESS; }
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
    // Two words make a number of Philox too, unlike that of curand_uniform_double().
    return g->fill(out, count, [g](auto* state) {
        if constexpr (std::is_same_v<decltype(state), curandStatePhilox4_32_10_t*>)
            return g->of_two_words(state);
        else
            return curand_uniform_double(state);
    });
}
/// Pairs of numbers are wanted: an odd count is an error.
inline curandStatus_t curandGenerateNormal(curandGenerator_t g, float* out, size_t count,
                                           float mean, float deviation) {
    return g->fill_pairs(out, count,
                         [=](auto* state) { return mean + deviation * curand_normal(state); });
}
inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double* out, size_t count,
                                                 double mean, double deviation) {
    return g->fill_pairs(
        out, count, [=](auto* state) { return mean + deviation * curand_normal_double(state); });
}
inline curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float* out, size_t count,
                                              float mean, float deviation) {
    return g->fill_pairs(out, count,
                         [=](auto* state) { return curand_log_normal(state, mean, deviation); });
}
inline curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double* out, size_t count,
                                                    double mean, double deviation) {
    return g->fill_pairs(
        out, count, [=](auto* state) { return curand_log_normal_double(state, mean, deviation); });
}
inline curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned* out, size_t count,
                                            double lambda) {
    if (!(lambda > 0)) return CURAND_STATUS_OUT_OF_RANGE;
    constexpr unsigned poisson_words = 1024;  // more than one number is ever made of
    return g->fill(
        out, count, [=](auto* state) { return curand_poisson(state, lambda); }, poisson_words);
}

}  // extern "C"

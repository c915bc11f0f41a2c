// Direction vectors of cuRAND's Sobol sequences, and the constants that scramble them. The first 64
// dimensions are those of S. Joe and F. Y. Kuo ("Constructing Sobol sequences with better
// two-dimensional projections", 2008), as cuRAND's are; those behind are good in each dimension
// alone. The constants are not cuRAND's.
#pragma once

#include <curand.h>

#include <array>
#include <cstdint>
#include <memory>
#include <random>

namespace cuset_host {

/// A primitive polynomial, whose bit k is the coefficient of x to the k, and the first numbers of
/// the recurrence.
struct sobol_dimension {
    unsigned polynomial;
    unsigned first[9];
};
constexpr sobol_dimension sobol_dimensions[] = {  // from the second dimension on
    {3, {1}},
    {7, {1, 3}},
    {11, {1, 3, 1}},
    {13, {1, 1, 1}},
    {19, {1, 1, 3, 3}},
    {25, {1, 3, 5, 13}},
    {37, {1, 1, 5, 5, 17}},
    {41, {1, 1, 5, 5, 5}},
    {47, {1, 1, 7, 11, 19}},
    {55, {1, 1, 5, 1, 1}},
    {59, {1, 1, 1, 3, 11}},
    {61, {1, 3, 5, 5, 31}},
    {67, {1, 3, 3, 9, 7, 49}},
    {91, {1, 1, 1, 15, 21, 21}},
    {97, {1, 3, 1, 13, 27, 49}},
    {103, {1, 1, 1, 15, 7, 5}},
    {109, {1, 3, 1, 15, 13, 25}},
    {115, {1, 1, 5, 5, 19, 61}},
    {131, {1, 3, 7, 11, 23, 15, 103}},
    {137, {1, 3, 7, 13, 13, 15, 69}},
    {143, {1, 1, 3, 13, 7, 35, 63}},
    {145, {1, 3, 5, 9, 1, 25, 53}},
    {157, {1, 3, 1, 13, 9, 35, 107}},
    {167, {1, 3, 1, 5, 27, 61, 31}},
    {171, {1, 1, 5, 11, 19, 41, 61}},
    {185, {1, 3, 5, 3, 3, 13, 69}},
    {191, {1, 1, 7, 13, 1, 19, 1}},
    {193, {1, 3, 7, 5, 13, 19, 59}},
    {203, {1, 1, 3, 9, 25, 29, 41}},
    {211, {1, 3, 5, 13, 23, 1, 55}},
    {213, {1, 3, 7, 3, 13, 59, 17}},
    {229, {1, 3, 1, 3, 5, 53, 69}},
    {239, {1, 1, 5, 5, 23, 33, 13}},
    {241, {1, 1, 7, 7, 1, 61, 123}},
    {247, {1, 1, 7, 9, 13, 61, 49}},
    {253, {1, 3, 3, 5, 3, 55, 33}},
    {285, {1, 3, 1, 15, 31, 13, 49, 245}},
    {299, {1, 3, 5, 15, 31, 59, 63, 97}},
    {301, {1, 3, 1, 11, 11, 11, 77, 249}},
    {333, {1, 3, 1, 11, 27, 43, 71, 9}},
    {351, {1, 1, 7, 15, 21, 11, 81, 45}},
    {355, {1, 3, 7, 3, 25, 31, 65, 79}},
    {357, {1, 3, 1, 1, 19, 11, 3, 205}},
    {361, {1, 1, 5, 9, 19, 21, 29, 157}},
    {369, {1, 3, 7, 11, 1, 33, 89, 185}},
    {391, {1, 3, 3, 3, 15, 9, 79, 71}},
    {397, {1, 3, 7, 11, 15, 39, 119, 27}},
    {425, {1, 1, 3, 1, 11, 31, 97, 225}},
    {451, {1, 1, 1, 3, 23, 43, 57, 177}},
    {463, {1, 3, 7, 7, 17, 17, 37, 71}},
    {487, {1, 3, 1, 5, 27, 63, 123, 213}},
    {501, {1, 1, 3, 5, 11, 43, 53, 133}},
    {529, {1, 3, 5, 5, 29, 17, 47, 173, 479}},
    {539, {1, 3, 3, 11, 3, 1, 109, 9, 69}},
    {545, {1, 1, 1, 5, 17, 39, 23, 5, 343}},
    {557, {1, 3, 1, 5, 25, 15, 31, 103, 499}},
    {563, {1, 1, 1, 11, 11, 17, 63, 105, 183}},
    {601, {1, 1, 5, 11, 9, 29, 97, 231, 363}},
    {607, {1, 1, 5, 15, 19, 45, 41, 7, 383}},
    {617, {1, 3, 7, 7, 31, 19, 83, 137, 221}},
    {623, {1, 1, 1, 3, 23, 15, 111, 223, 83}},
    {631, {1, 1, 5, 13, 31, 15, 55, 25, 161}},
    {637, {1, 1, 3, 13, 25, 47, 39, 87, 257}}};

constexpr unsigned most_sobol_dimensions = 20000;

/// Word: std::uint32_t or std::uint64_t. vectors[d][j] belongs to bit j of a point's Gray code.
template <class Word, unsigned Bits = 8 * sizeof(Word)>
struct sobol_vectors {
    Word vectors[most_sobol_dimensions][Bits];
    Word constants[most_sobol_dimensions];

    sobol_vectors() {
        std::mt19937_64 random(20061);  // arbitrary
        for (unsigned d = 0; d < most_sobol_dimensions; ++d) {
            Word* const v = vectors[d];
            const bool is_known = d > 0 && d <= std::size(sobol_dimensions);
            unsigned degree = 0;
            if (is_known)
                for (unsigned p = sobol_dimensions[d - 1].polynomial; p > 1; p >>= 1) ++degree;
            for (unsigned j = 0; j < Bits; ++j) {
                Word odd = 1;  // v[j] has j + 1 bits, of which the last is set
                if (is_known && j < degree)
                    odd = sobol_dimensions[d - 1].first[j];
                else if (d > std::size(sobol_dimensions))
                    odd = (static_cast<Word>(random()) >> (Bits - 1 - j)) | 1;
                v[j] = odd << (Bits - 1 - j);
                if (!is_known || j < degree) continue;
                v[j] = v[j - degree] ^ (v[j - degree] >> degree);
                for (unsigned k = 1; k < degree; ++k)
                    if ((sobol_dimensions[d - 1].polynomial >> (degree - k) & 1) != 0)
                        v[j] ^= v[j - k];
            }
            constants[d] = static_cast<Word>(random());
        }
    }
    static sobol_vectors& get() {
        static const auto made = std::make_unique<sobol_vectors>();
        return *made;
    }
};

}  // namespace cuset_host

extern "C" {

inline curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t* vectors[],
                                                  curandDirectionVectorSet_t set) {
    if (vectors == nullptr || (set != CURAND_DIRECTION_VECTORS_32_JOEKUO6 &&
                               set != CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6))
        return CURAND_STATUS_OUT_OF_RANGE;
    *vectors = cuset_host::sobol_vectors<unsigned>::get().vectors;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t* vectors[],
                                                  curandDirectionVectorSet_t set) {
    if (vectors == nullptr || (set != CURAND_DIRECTION_VECTORS_64_JOEKUO6 &&
                               set != CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6))
        return CURAND_STATUS_OUT_OF_RANGE;
    *vectors = cuset_host::sobol_vectors<unsigned long long>::get().vectors;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGetScrambleConstants32(unsigned** constants) {
    *constants = cuset_host::sobol_vectors<unsigned>::get().constants;
    return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGetScrambleConstants64(unsigned long long** constants) {
    *constants = cuset_host::sobol_vectors<unsigned long long>::get().constants;
    return CURAND_STATUS_SUCCESS;
}

}  // extern "C"

// What cuBLAS's calls on vectors share: walks over their elements, and the types of the Ex calls.
#pragma once

#include <string>

#include "cuset_host/faults.h"
#include "handle.h"

namespace cuset_host {

/// Calls body(place in x, place in y) for each of n elements.
template <class Body>
void walk(std::ptrdiff_t n, std::ptrdiff_t step_x, std::ptrdiff_t step_y, const Body& body) {
    const std::ptrdiff_t x = first_of(n, step_x), y = first_of(n, step_y);
    for (std::ptrdiff_t i = 0; i < n; ++i) body(x + i * step_x, y + i * step_y);
}

/// Does so in a kernel. Numbers that are passed by pointers are the device's if the handle says so:
/// they are read where the library runs.
template <class Body>
cublasStatus_t each(cublasHandle_t h, std::ptrdiff_t n, std::ptrdiff_t step_x,
                    std::ptrdiff_t step_y, const Body& body) {
    return run_or_record(h, false, [=] { walk(n, step_x, step_y, body); });
}

/// The type of the factors, and of the sums, of vectors of T.
inline cudaDataType factors_of(cudaDataType type) {
    return type == CUDA_R_16F || type == CUDA_R_16BF ? CUDA_R_32F : type;
}
/// The type of a vector's sums of magnitudes and norms.
inline cudaDataType real_part_of(cudaDataType type) {
    return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}

/// Calls with(T()) for the type of a vector's numbers. Ends the program where it is not modelled,
/// or where `others`, the call's further types, do not go with it.
template <class With>
cublasStatus_t with_numbers(const char* name, cudaDataType type, bool others, const With& with) {
    if (others) switch (type) {
            case CUDA_R_16F: return with(__half());
            case CUDA_R_16BF: return with(__nv_bfloat16());
            case CUDA_R_32F: return with(float());
            case CUDA_R_64F: return with(double());
            case CUDA_C_32F: return with(std::complex<float>());
            case CUDA_C_64F: return with(std::complex<double>());
            default: break;
        }
    fail("unsupported", std::string(name) + " of vectors of type " + std::to_string(type) +
                            (others ? "" : " with these other types"));
}

}  // namespace cuset_host

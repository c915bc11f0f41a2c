// cuFFT's transforms in double: the Cooley-Tukey recursion over the prime factors of each length.
// Calls that are missing here are named by the linker.
#include <cufft.h>

#include <cmath>
#include <complex>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "cuset_host/cuda_types.h"
#include "cuset_host/library_work.h"

using namespace cuset_host;

namespace {

using number = std::complex<double>;

/// Where the elements of one side lie: in elements of its type.
struct placement {
    std::vector<std::size_t> sizes;  // of the storage, by dimension; the first does not matter
    std::size_t stride = 1, distance = 0;
    bool is_given = false;
};

struct plan {
    std::vector<std::size_t> n;  // empty until the plan is made
    placement in, out;
    cufftType type = CUFFT_C2C;
    std::size_t batch = 1;
    cudaStream_t stream = nullptr;

    bool is_real() const {
        return type == CUFFT_R2C || type == CUFFT_C2R || type == CUFFT_D2Z || type == CUFFT_Z2D;
    }
    bool begins_real() const { return type == CUFFT_R2C || type == CUFFT_D2Z; }
    std::size_t half() const { return n.back() / 2 + 1; }
    std::size_t rows() const {
        std::size_t product = 1;
        for (std::size_t i = 0; i + 1 < n.size(); ++i) product *= n[i];
        return product;
    }
};

std::mutex& guard() {
    static std::mutex& made = *new std::mutex;
    return made;
}
std::map<cufftHandle, std::unique_ptr<plan>>& plans() {
    static auto& made = *new std::map<cufftHandle, std::unique_ptr<plan>>;
    return made;
}
plan* plan_of(cufftHandle handle) {
    const std::lock_guard lock(guard());
    const auto found = plans().find(handle);
    return found == plans().end() ? nullptr : found->second.get();
}

std::size_t smallest_factor(std::size_t n) {
    for (std::size_t p = 2; p * p <= n; ++p)
        if (n % p == 0) return p;
    return n;
}

/// out[k] = the sum over j of in[j * step] * root[j * k * (all / n) mod all].
void transform(const number* in, std::size_t step, number* out, std::size_t n,
               const std::vector<number>& root) {
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    const std::size_t p = smallest_factor(n), m = n / p, scale = root.size() / n;
    for (std::size_t q = 0; q < p; ++q) transform(in + q * step, step * p, out + q * m, m, root);
    std::vector<number> part(p);
    for (std::size_t k = 0; k < m; ++k) {
        for (std::size_t q = 0; q < p; ++q) part[q] = out[q * m + k] * root[q * k * scale];
        for (std::size_t r = 0; r < p; ++r) {
            number sum = part[0];
            std::size_t turn = 0;
            for (std::size_t q = 1; q < p; ++q) {
                turn = (turn + r * m) % n;
                sum += part[q] * root[turn * scale];
            }
            out[r * m + k] = sum;
        }
    }
}

/// The transform of a box of numbers, along each of its dimensions.
void transform_box(std::vector<number>& box, const std::vector<std::size_t>& n, int sign) {
    std::size_t behind = 1;  // elements of the dimensions that run faster
    for (std::size_t d = n.size(); d-- > 0;) {
        const std::size_t length = n[d];
        std::vector<number> root(length), row(length), result(length);
        for (std::size_t j = 0; j < length; ++j) {
            const double angle =
                sign * 2 * M_PI * static_cast<double>(j) / static_cast<double>(length);
            root[j] = {std::cos(angle), std::sin(angle)};
        }
        for (std::size_t first = 0; first < box.size(); first += behind * length)
            for (std::size_t i = 0; i < behind; ++i) {
                for (std::size_t j = 0; j < length; ++j) row[j] = box[first + i + j * behind];
                transform(row.data(), 1, result.data(), length, root);
                for (std::size_t j = 0; j < length; ++j) box[first + i + j * behind] = result[j];
            }
        behind *= length;
    }
}

/// The place of element `i` of a box with the sizes `n`, x fastest.
std::size_t place(const placement& at, const std::vector<std::size_t>& n, std::size_t i) {
    std::size_t offset = 0, factor = 1;
    for (std::size_t d = n.size(); d-- > 0;) {
        offset += i % n[d] * factor;
        i /= n[d];
        factor *= at.sizes[d];
    }
    return offset * at.stride;
}

/// The usual placement of a side whose last dimension has `last` elements, of `row` in storage.
placement usual(const plan& p, std::size_t row) {
    placement at;
    at.sizes = p.n;
    at.sizes.back() = row;
    at.distance = p.rows() * row;
    return at;
}

template <class In, class Out>
cufftResult execute(cufftHandle handle, cufftType type, const In* in, Out* out, int sign) {
    plan* p = plan_of(handle);
    if (p == nullptr || p->n.empty()) return CUFFT_INVALID_PLAN;
    if (in == nullptr || out == nullptr) return CUFFT_INVALID_VALUE;
    if (p->type != type) return CUFFT_INVALID_VALUE;
    if (captures_library(p->stream, [=] {
            // The plan may have another stream by then.
            plan* const still = plan_of(handle);
            if (still == nullptr) return;  // the plan has been destroyed
            const cudaStream_t now = std::exchange(still->stream, nullptr);
            execute(handle, type, in, out, sign);
            still->stream = now;
        }))
        return CUFFT_SUCCESS;
    const library_kernel running(p->stream);
    const bool in_place = static_cast<const void*>(in) == static_cast<const void*>(out);
    const std::size_t last = p->n.back(), padded = in_place ? 2 * p->half() : last;
    placement from = p->in, to = p->out;
    if (!from.is_given)
        from = usual(*p, !p->is_real() ? last : p->begins_real() ? padded : p->half());
    if (!to.is_given) to = usual(*p, !p->is_real() ? last : p->begins_real() ? p->half() : padded);
    const std::size_t whole = p->rows() * last;
    std::vector<std::size_t> half_sizes = p->n;
    half_sizes.back() = p->half();
    std::vector<number> box(whole);
    for (std::size_t b = 0; b < p->batch; ++b) {
        const In* source = in + b * from.distance;
        Out* target = out + b * to.distance;
        if constexpr (std::is_floating_point_v<In>) {
            for (std::size_t i = 0; i < whole; ++i) box[i] = source[place(from, p->n, i)];
        } else if constexpr (std::is_floating_point_v<Out>) {
            // The other half is that of a real result.
            for (std::size_t i = 0; i < whole; ++i) {
                const bool is_there = i % last < p->half();
                std::size_t at = 0, factor = 1, rest = i;
                for (std::size_t d = p->n.size(); d-- > 0;) {
                    const std::size_t x = rest % p->n[d];
                    const std::size_t used = is_there ? x : (p->n[d] - x) % p->n[d];
                    at += used * factor;
                    factor *= half_sizes[d];
                    rest /= p->n[d];
                }
                const auto& value = source[place(from, half_sizes, at)];
                box[i] = {value.x, is_there ? value.y : -value.y};
            }
        } else {
            for (std::size_t i = 0; i < whole; ++i) {
                const auto& value = source[place(from, p->n, i)];
                box[i] = {value.x, value.y};
            }
        }
        transform_box(box, p->n, sign);
        if constexpr (std::is_floating_point_v<Out>) {
            for (std::size_t i = 0; i < whole; ++i)
                target[place(to, p->n, i)] = static_cast<Out>(box[i].real());
        } else {
            const bool is_half = std::is_floating_point_v<In>;
            const auto& sizes = is_half ? half_sizes : p->n;
            const std::size_t row = sizes.back();
            using part = decltype(target->x);
            for (std::size_t i = 0; i < p->rows() * row; ++i) {
                const number& value = box[i / row * last + i % row];
                target[place(to, sizes, i)] = {static_cast<part>(value.real()),
                                               static_cast<part>(value.imag())};
            }
        }
    }
    return CUFFT_SUCCESS;
}

placement given(int rank, const int* sizes, int stride, int distance) {
    placement at;
    if (sizes == nullptr) return at;
    at.is_given = true;
    at.sizes.assign(sizes, sizes + rank);
    at.stride = static_cast<std::size_t>(stride);
    at.distance = static_cast<std::size_t>(distance);
    return at;
}

int sign_of(int direction) { return direction == CUFFT_FORWARD ? -1 : 1; }

}  // namespace

extern "C" {

cufftResult cufftCreate(cufftHandle* handle) {
    if (handle == nullptr) return CUFFT_INVALID_VALUE;
    const std::lock_guard lock(guard());
    static cufftHandle next = 0;
    *handle = ++next;
    plans()[*handle] = std::make_unique<plan>();
    return CUFFT_SUCCESS;
}

cufftResult cufftDestroy(cufftHandle handle) {
    const std::lock_guard lock(guard());
    return plans().erase(handle) != 0 ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftMakePlanMany(cufftHandle handle, int rank, int* n, int* in_sizes, int in_stride,
                              int in_distance, int* out_sizes, int out_stride, int out_distance,
                              cufftType type, int batch, std::size_t* work) {
    plan* p = plan_of(handle);
    if (p == nullptr) return CUFFT_INVALID_PLAN;
    if (rank < 1 || rank > 3 || n == nullptr || batch < 1) return CUFFT_INVALID_VALUE;
    for (int i = 0; i < rank; ++i)
        if (n[i] < 1) return CUFFT_INVALID_SIZE;
    p->n.assign(n, n + rank);
    p->type = type;
    p->batch = static_cast<std::size_t>(batch);
    const bool both = in_sizes != nullptr && out_sizes != nullptr;  // else both are the usual ones
    p->in = given(rank, both ? in_sizes : nullptr, in_stride, in_distance);
    p->out = given(rank, both ? out_sizes : nullptr, out_stride, out_distance);
    if (work != nullptr) *work = 0;
    return CUFFT_SUCCESS;
}

cufftResult cufftMakePlan1d(cufftHandle handle, int nx, cufftType type, int batch,
                            std::size_t* work) {
    return cufftMakePlanMany(handle, 1, &nx, nullptr, 1, 0, nullptr, 1, 0, type, batch, work);
}
cufftResult cufftMakePlan2d(cufftHandle handle, int nx, int ny, cufftType type, std::size_t* work) {
    int n[] = {nx, ny};
    return cufftMakePlanMany(handle, 2, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, work);
}
cufftResult cufftMakePlan3d(cufftHandle handle, int nx, int ny, int nz, cufftType type,
                            std::size_t* work) {
    int n[] = {nx, ny, nz};
    return cufftMakePlanMany(handle, 3, n, nullptr, 1, 0, nullptr, 1, 0, type, 1, work);
}

cufftResult cufftPlanMany(cufftHandle* handle, int rank, int* n, int* in_sizes, int in_stride,
                          int in_distance, int* out_sizes, int out_stride, int out_distance,
                          cufftType type, int batch) {
    if (const cufftResult error = cufftCreate(handle); error != CUFFT_SUCCESS) return error;
    const cufftResult error =
        cufftMakePlanMany(*handle, rank, n, in_sizes, in_stride, in_distance, out_sizes, out_stride,
                          out_distance, type, batch, nullptr);
    if (error != CUFFT_SUCCESS) cufftDestroy(*handle);
    return error;
}
cufftResult cufftPlan1d(cufftHandle* handle, int nx, cufftType type, int batch) {
    return cufftPlanMany(handle, 1, &nx, nullptr, 1, 0, nullptr, 1, 0, type, batch);
}
cufftResult cufftPlan2d(cufftHandle* handle, int nx, int ny, cufftType type) {
    int n[] = {nx, ny};
    return cufftPlanMany(handle, 2, n, nullptr, 1, 0, nullptr, 1, 0, type, 1);
}
cufftResult cufftPlan3d(cufftHandle* handle, int nx, int ny, int nz, cufftType type) {
    int n[] = {nx, ny, nz};
    return cufftPlanMany(handle, 3, n, nullptr, 1, 0, nullptr, 1, 0, type, 1);
}

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
    plan* p = plan_of(handle);
    if (p == nullptr) return CUFFT_INVALID_PLAN;
    p->stream = stream;
    return CUFFT_SUCCESS;
}
cufftResult cufftSetAutoAllocation(cufftHandle handle, int) {
    return plan_of(handle) == nullptr ? CUFFT_INVALID_PLAN : CUFFT_SUCCESS;
}
cufftResult cufftSetWorkArea(cufftHandle handle, void*) {
    return plan_of(handle) == nullptr ? CUFFT_INVALID_PLAN : CUFFT_SUCCESS;
}
cufftResult cufftGetSize(cufftHandle handle, std::size_t* bytes) {
    if (plan_of(handle) == nullptr) return CUFFT_INVALID_PLAN;
    *bytes = 0;
    return CUFFT_SUCCESS;
}
cufftResult cufftGetVersion(int* version) {
    if (version == nullptr) return CUFFT_INVALID_VALUE;
    *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* in, cufftComplex* out, int direction) {
    return execute(plan, CUFFT_C2C, in, out, sign_of(direction));
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out,
                         int direction) {
    return execute(plan, CUFFT_Z2Z, in, out, sign_of(direction));
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* in, cufftComplex* out) {
    return execute(plan, CUFFT_R2C, in, out, -1);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* in, cufftDoubleComplex* out) {
    return execute(plan, CUFFT_D2Z, in, out, -1);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* in, cufftReal* out) {
    return execute(plan, CUFFT_C2R, in, out, 1);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleReal* out) {
    return execute(plan, CUFFT_Z2D, in, out, 1);
}

}  // extern "C"

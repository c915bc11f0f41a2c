// How cuSPARSE's calls read and write arrays: see handle.h.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <limits>

#include "checks/checks.h"
#include "cuset_host/cuda_types.h"
#include "cuset_host/device_memory.h"
#include "cuset_host/faults.h"
#include "handle.h"

#if CUSPARSE_VERSION >= 12500

namespace cuset_host::sparse {
namespace {

template <class T>
struct type_of {
    using type = T;
};

/// Calls body(type_of<T>()) with the type of the values that lie in memory.
template <class Body>
void with_type(cudaDataType type, const Body& body) {
    switch (type) {
        case CUDA_R_8I: return body(type_of<std::int8_t>());
        case CUDA_R_32I: return body(type_of<std::int32_t>());
        case CUDA_R_16F: return body(type_of<__half>());
        case CUDA_R_16BF: return body(type_of<__nv_bfloat16>());
        case CUDA_R_32F: return body(type_of<float>());
        case CUDA_R_64F: return body(type_of<double>());
        case CUDA_C_32F: return body(type_of<std::complex<float>>());
        case CUDA_C_64F: return body(type_of<std::complex<double>>());
        default: unmodelled("a type of cuSPARSE's values");
    }
}

double real_number(float x) { return static_cast<double>(x); }
double real_number(double x) { return x; }
double real_number(std::int8_t x) { return x; }
double real_number(std::int32_t x) { return x; }
double real_number(__half x) { return static_cast<double>(__half2float(x)); }
double real_number(__nv_bfloat16 x) { return static_cast<double>(__bfloat162float(x)); }

template <class S, class T>
S number_of(const T& x) {
    return S(real_number(x));
}
template <class S, class P>
S number_of(const std::complex<P>& x) {
    if constexpr (std::is_same_v<S, complex_number>) {
        return {static_cast<double>(x.real()), static_cast<double>(x.imag())};
    } else {
        return static_cast<double>(x.real());
    }
}

void store(double x, __half& to) { to = __float2half(static_cast<float>(x)); }
void store(double x, __nv_bfloat16& to) { to = __float2bfloat16(static_cast<float>(x)); }
template <class T>
void store(double x, T& to) {
    if constexpr (std::is_integral_v<T>) {
        // Sums of integers wrap, as they do on a device.
        to = static_cast<T>(static_cast<std::int64_t>(x));
    } else {
        to = static_cast<T>(x);
    }
}
template <class T>
void store(const complex_number& x, T& to) {
    store(x.real(), to);
}
template <class P>
void store(const complex_number& x, std::complex<P>& to) {
    to = {static_cast<P>(x.real()), static_cast<P>(x.imag())};
}

std::size_t bytes_of_index(cusparseIndexType_t type) { return type == CUSPARSE_INDEX_64I ? 8 : 4; }

/// The bytes of `count` elements: no allocation has that many if they are too many to count.
std::size_t bytes_for(whole count, std::size_t size) {
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
    return position(count) < most / size ? position(count) * size : most;
}

/// Reads or writes a line of `count` numbers, `first` values from `p` on.
template <class S>
void read_line(const void* p, cudaDataType type, whole first, whole count, S* to) {
    with_type(type, [&](auto tag) {
        const auto* from = static_cast<const typename decltype(tag)::type*>(p) + first;
        for (whole i = 0; i < count; ++i) to[i] = number_of<S>(from[i]);
    });
}
template <class S>
void write_line(void* p, cudaDataType type, whole first, whole count, const S* from) {
    with_type(type, [&](auto tag) {
        auto* to = static_cast<typename decltype(tag)::type*>(p) + first;
        for (whole i = 0; i < count; ++i) store(from[i], to[i]);
    });
}

void touch_values(const running_call& call, touch how, const void* p, cudaDataType type,
                  whole first, whole count) {
    if (count == 0) return;
    const auto* at = static_cast<const char*>(p);
    const std::size_t size = bytes_of(type);
    library_touches(call.name, how, p == nullptr ? p : at + position(first) * size,
                    bytes_for(count, size));
}

/// Checks a single number, alpha or a result, which lies where the handle's mode says.
void touch_scalar(const running_call& call, touch how, const void* p, std::size_t bytes) {
    if (call.device_scalars) {
        library_touches(call.name, how, p, bytes);
    } else if (kind_of(p) == memory_kind::device) {
        fail("crash", std::string(call.name) +
                          ": a scalar in device memory, with CUSPARSE_POINTER_MODE_HOST");
    }
}

/// A dense matrix as lines of neighbours: its rows, or its columns.
struct line_layout {
    whole lines, length, step, first;

    explicit line_layout(const cusparseDnMatDescr& m, whole batch)
        : lines(m.order == CUSPARSE_ORDER_ROW ? m.rows : m.columns),
          length(m.order == CUSPARSE_ORDER_ROW ? m.columns : m.rows),
          step(m.step),
          first(m.batches > 1 ? batch * m.stride : 0) {}
    /// From the first number to the last one; the most that there can be if it is more.
    whole extent() const {
        whole begin = 0;
        if (lines == 0 || length == 0) return 0;
        if (__builtin_mul_overflow(lines - 1, step, &begin) ||
            __builtin_add_overflow(begin, length, &begin))
            return std::numeric_limits<whole>::max();
        return begin;
    }
};

}  // namespace

bool is_value_type(cudaDataType type) {
    switch (type) {
        case CUDA_R_8I:
        case CUDA_R_32I:
        case CUDA_R_16F:
        case CUDA_R_16BF:
        case CUDA_R_32F:
        case CUDA_R_64F:
        case CUDA_C_32F:
        case CUDA_C_64F: return true;
        case CUDA_C_16F: unmodelled("cuSPARSE with CUDA_C_16F");
        case CUDA_C_16BF: unmodelled("cuSPARSE with CUDA_C_16BF");
        default: return false;
    }
}

std::size_t bytes_of(cudaDataType type) {
    std::size_t bytes = 0;
    with_type(type, [&](auto tag) { bytes = sizeof(typename decltype(tag)::type); });
    return bytes;
}

void fail_matrix(const running_call& call, const std::string& what) {
    fail("out_of_bounds", std::string(call.name) + ": " + what);
}

void check_buffer(const running_call& call, const void* buffer) {
    if (buffer != nullptr) library_touches(call.name, touch::reach, buffer, buffer_bytes);
}

std::vector<whole> read_indices(const running_call& call, const void* p, cusparseIndexType_t type,
                                whole count) {
    library_touches(call.name, touch::read, p, bytes_for(count, bytes_of_index(type)));
    std::vector<whole> indices(position(count));
    for (whole i = 0; i < count; ++i)
        indices[position(i)] = type == CUSPARSE_INDEX_64I
                                   ? static_cast<const std::int64_t*>(p)[i]
                                   : whole{static_cast<const std::int32_t*>(p)[i]};
    return indices;
}

void write_indices(const running_call& call, void* p, cusparseIndexType_t type,
                   const std::vector<whole>& indices) {
    library_touches(call.name, touch::write, p, indices.size() * bytes_of_index(type));
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (type == CUSPARSE_INDEX_64I) {
            static_cast<std::int64_t*>(p)[i] = indices[i];
        } else {
            static_cast<std::int32_t*>(p)[i] = static_cast<std::int32_t>(indices[i]);
        }
    }
}

std::vector<whole> read_places(const running_call& call, const void* p, cusparseIndexType_t type,
                               cusparseIndexBase_t base, whole count, whole limit, const char* what,
                               bool may_be_none) {
    auto indices = read_indices(call, p, type, count);
    for (whole& each : indices) {
        if (may_be_none && each == -1) continue;
        each -= base;
        if (each < 0 || each >= limit)
            fail_matrix(call, what + (' ' + std::to_string(each)) + " of " + std::to_string(limit));
    }
    return indices;
}

std::vector<char> used_of(const std::vector<whole>& places, whole size) {
    std::vector<char> used(position(size));
    for (const whole each : places) used[position(each)] = 1;
    return used;
}

template <class S>
std::vector<S> read_values(const running_call& call, const void* p, cudaDataType type, whole count,
                           whole first, touch how) {
    touch_values(call, how, p, type, first, count);
    std::vector<S> values(position(count));
    read_line(p, type, first, count, values.data());
    return values;
}

template <class S>
void write_values(const running_call& call, void* p, cudaDataType type,
                  const std::vector<S>& values, whole first) {
    const auto count = static_cast<whole>(values.size());
    touch_values(call, touch::write, p, type, first, count);
    write_line(p, type, first, count, values.data());
}

template <class S>
S read_scalar(const running_call& call, const void* p, cudaDataType type) {
    touch_scalar(call, touch::read, p, bytes_of(type));
    S value;
    read_line(p, type, 0, 1, &value);
    return value;
}

template <class S>
void write_scalar(const running_call& call, void* p, cudaDataType type, S value) {
    touch_scalar(call, touch::write, p, bytes_of(type));
    write_line(p, type, 0, 1, &value);
}

void write_count(const running_call& call, int* p, whole count) {
    touch_scalar(call, touch::write, p, sizeof *p);
    *p = static_cast<int>(count);
}

template <class S>
dense_rows<S> read_dense(const running_call& call, const cusparseDnMatDescr& matrix,
                         cusparseOperation_t op, whole batch, const std::vector<char>* used) {
    const line_layout at(matrix, batch);
    const bool turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    const bool lines_are_rows = (matrix.order == CUSPARSE_ORDER_ROW) != turned;  // of op(B)
    dense_rows<S> result;
    result.rows = turned ? matrix.columns : matrix.rows;
    result.columns = turned ? matrix.rows : matrix.columns;
    touch_values(call, touch::reach, matrix.values, matrix.type, at.first, at.extent());
    result.value.resize(position(result.rows * result.columns));
    if (result.value.empty()) return result;
    std::vector<S> line(position(at.length));
    for (whole l = 0; l < at.lines; ++l) {
        const whole begin = at.first + l * at.step;
        read_line(matrix.values, matrix.type, begin, at.length, line.data());
        for (whole i = 0; i < at.length; ++i) {
            const S x = line[position(i)];
            const whole row = lines_are_rows ? l : i;
            result.at(row, lines_are_rows ? i : l) =
                op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conjugate(x) : x;
            if constexpr (checks::are_on)
                if (used == nullptr || (*used)[position(row)] != 0)
                    touch_values(call, touch::read, matrix.values, matrix.type, begin + i, 1);
        }
    }
    return result;
}

template <class S>
void write_dense(const running_call& call, const cusparseDnMatDescr& matrix,
                 const dense_rows<S>& numbers, whole batch) {
    const line_layout at(matrix, batch);
    touch_values(call, touch::reach, matrix.values, matrix.type, at.first, at.extent());
    if (at.extent() == 0) return;
    std::vector<S> line(position(at.length));
    for (whole l = 0; l < at.lines; ++l) {
        for (whole i = 0; i < at.length; ++i)
            line[position(i)] =
                matrix.order == CUSPARSE_ORDER_ROW ? numbers.at(l, i) : numbers.at(i, l);
        const whole begin = at.first + l * at.step;
        if constexpr (checks::are_on)
            touch_values(call, touch::write, matrix.values, matrix.type, begin, at.length);
        write_line(matrix.values, matrix.type, begin, at.length, line.data());
    }
}

template <class S>
std::vector<S> read_vector(const running_call& call, const cusparseDnVecDescr& vector,
                           const std::vector<char>* used) {
    if constexpr (checks::are_on)
        for (whole i = 0; i < vector.size; ++i)
            if (used == nullptr || (*used)[position(i)] != 0)
                touch_values(call, touch::read, vector.values, vector.type, i, 1);
    return read_values<S>(call, vector.values, vector.type, vector.size, 0, touch::reach);
}

bool can_multiply(cudaDataType a, cudaDataType b, cudaDataType c, cudaDataType computes) {
    const auto is_any = [](cudaDataType type, std::initializer_list<cudaDataType> tag) {
        for (const cudaDataType each : tag)
            if (type == each) return true;
        return false;
    };
    switch (computes) {
        case CUDA_R_32I: return a == CUDA_R_8I && b == CUDA_R_8I && c == CUDA_R_32I;
        case CUDA_R_32F:
            if (is_any(a, {CUDA_R_8I, CUDA_R_16F, CUDA_R_16BF}) && a == b)
                return c == CUDA_R_32F || (c == a && a != CUDA_R_8I);
            return a == CUDA_R_32F && b == CUDA_R_32F && c == CUDA_R_32F;
        case CUDA_R_64F:
            return is_any(a, {CUDA_R_32F, CUDA_R_64F}) && b == CUDA_R_64F && c == CUDA_R_64F;
        case CUDA_C_32F:
            return is_any(a, {CUDA_R_32F, CUDA_C_32F}) && b == CUDA_C_32F && c == CUDA_C_32F;
        case CUDA_C_64F:
            return is_any(a, {CUDA_R_64F, CUDA_C_64F}) && b == CUDA_C_64F && c == CUDA_C_64F;
        default: return false;
    }
}

#define CUSET_HOST_NUMBERS(S)                                                                      \
    template std::vector<S> read_values<S>(const running_call&, const void*, cudaDataType, whole,  \
                                           whole, touch);                                          \
    template void write_values<S>(const running_call&, void*, cudaDataType, const std::vector<S>&, \
                                  whole);                                                          \
    template S read_scalar<S>(const running_call&, const void*, cudaDataType);                     \
    template void write_scalar<S>(const running_call&, void*, cudaDataType, S);                    \
    template dense_rows<S> read_dense<S>(const running_call&, const cusparseDnMatDescr&,           \
                                         cusparseOperation_t, whole, const std::vector<char>*);    \
    template void write_dense<S>(const running_call&, const cusparseDnMatDescr&,                   \
                                 const dense_rows<S>&, whole);                                     \
    template std::vector<S> read_vector<S>(const running_call&, const cusparseDnVecDescr&,         \
                                           const std::vector<char>*);
CUSET_HOST_NUMBERS(double)
CUSET_HOST_NUMBERS(complex_number)
#undef CUSET_HOST_NUMBERS

}  // namespace cuset_host::sparse

#endif

// cuSPARSE's products against plain loops: all formats, operations, bases, types of indices and of
// values, orders of dense matrices and batches. Values are small whole numbers: nothing is rounded.
#include <cusparse.h>

#include <cstdio>

#include "complex_numbers.h"

static unsigned state = 2026;
static int random_below(int n) {
    state = state * 1664525u + 1013904223u;
    return int(state >> 16) % n;
}

/// Dense numbers by rows; what is not zero is an entry.
struct matrix {
    int rows, columns;
    std::vector<number> v;
    number& at(int i, int j) { return v[i * columns + j]; }
    number at(int i, int j) const { return v[i * columns + j]; }
};
static number some(bool imaginary) {
    return {double(random_below(7) - 3), imaginary ? double(random_below(5) - 2) : 0.0};
}
static matrix dense(int rows, int columns, bool imaginary) {
    matrix m{rows, columns, std::vector<number>(rows * columns)};
    for (number& x : m.v) x = some(imaginary);
    return m;
}
/// With empty rows and columns.
static matrix sparse(int rows, int columns, bool imaginary) {
    matrix m = dense(rows, columns, imaginary);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
            if (i == 0 || i == 4 || j == 2 || random_below(3) != 0) m.at(i, j) = 0;
    return m;
}
static matrix turned(const matrix& m, cusparseOperation_t op) {
    if (op == CUSPARSE_OPERATION_NON_TRANSPOSE) return m;
    matrix t{m.columns, m.rows, std::vector<number>(m.v.size())};
    for (int i = 0; i < m.rows; ++i)
        for (int j = 0; j < m.columns; ++j)
            t.at(j, i) = op == CUSPARSE_OPERATION_TRANSPOSE ? m.at(i, j) : std::conj(m.at(i, j));
    return t;
}
static matrix product(const matrix& a, const matrix& b) {
    matrix c{a.rows, b.columns, std::vector<number>(a.rows * b.columns)};
    for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < b.columns; ++j)
            for (int k = 0; k < a.columns; ++k) c.at(i, j) += a.at(i, k) * b.at(k, j);
    return c;
}

/// Arrays of a sparse matrix. Batches follow each other.
template <class T, class I>
struct stored {
    std::vector<I> offsets, indices;
    std::vector<T> values;
    I *d_offsets = nullptr, *d_indices = nullptr;
    T* d_values = nullptr;
    cusparseSpMatDescr_t descriptor = nullptr;

    stored(const matrix& m, cusparseFormat_t format, int base) {
        const auto f = sizeof(I) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
        const auto b = cusparseIndexBase_t(base);
        const bool by_columns = format == CUSPARSE_FORMAT_CSC;
        const bool in_blocks = format == CUSPARSE_FORMAT_BSR;
        const int height = in_blocks ? 2 : 1, width = in_blocks ? 3 : 1, slice = 3;
        const int lines = (by_columns ? m.columns : m.rows) / height;
        const int others = (by_columns ? m.rows : m.columns) / width;
        int entries = 0;
        if (format != CUSPARSE_FORMAT_COO) offsets.push_back(base);
        if (format == CUSPARSE_FORMAT_SLICED_ELLPACK) {
            for (int s = 0; s < (m.rows + slice - 1) / slice; ++s) {
                std::vector<int> columns[slice];
                size_t most = 0;
                for (int r = 0; r < slice && s * slice + r < m.rows; ++r) {
                    for (int j = 0; j < m.columns; ++j)
                        if (m.at(s * slice + r, j) != 0.0) columns[r].push_back(j);
                    most = std::max(most, columns[r].size());
                    entries += int(columns[r].size());
                }
                for (size_t k = 0; k < most; ++k)
                    for (int r = 0; r < slice; ++r) {
                        const bool is_there = k < columns[r].size();
                        indices.push_back(is_there ? columns[r][k] + base : -1);
                        values.push_back(
                            made<T>(is_there ? m.at(s * slice + r, columns[r][k]) : 7.0));
                    }
                offsets.push_back(I(indices.size()) + base);
            }
        } else {
            for (int i = 0; i < lines; ++i) {
                for (int j = 0; j < others; ++j) {
                    bool any = false;
                    for (int k = 0; k < height * width; ++k)
                        any |= (by_columns
                                    ? m.at(j, i)
                                    : m.at(i * height + k / width, j * width + k % width)) != 0.0;
                    if (!any) continue;
                    if (format == CUSPARSE_FORMAT_COO) offsets.push_back(i + base);
                    indices.push_back(j + base);
                    for (int k = 0; k < height * width; ++k)  // blocks in columns
                        values.push_back(made<T>(
                            by_columns ? m.at(j, i)
                                       : m.at(i * height + k % height, j * width + k / height)));
                }
                if (format != CUSPARSE_FORMAT_COO) offsets.push_back(I(indices.size()) + base);
            }
            entries = int(indices.size());
        }
        d_offsets = device(offsets), d_indices = device(indices), d_values = device(values);
        const auto t = type_of<T>;
        const int r = m.rows, c = m.columns;
        switch (format) {
            case CUSPARSE_FORMAT_CSR:
                OK(cusparseCreateCsr(&descriptor, r, c, entries, d_offsets, d_indices, d_values, f,
                                     f, b, t));
                break;
            case CUSPARSE_FORMAT_CSC:
                OK(cusparseCreateCsc(&descriptor, r, c, entries, d_offsets, d_indices, d_values, f,
                                     f, b, t));
                break;
            case CUSPARSE_FORMAT_COO:
                OK(cusparseCreateCoo(&descriptor, r, c, entries, d_offsets, d_indices, d_values, f,
                                     b, t));
                break;
            case CUSPARSE_FORMAT_BSR:
                OK(cusparseCreateBsr(&descriptor, lines, others, entries, height, width, d_offsets,
                                     d_indices, d_values, f, f, b, t, CUSPARSE_ORDER_COL));
                break;
            default:
                OK(cusparseCreateSlicedEll(&descriptor, r, c, entries, int64_t(indices.size()),
                                           slice, d_offsets, d_indices, d_values, f, f, b, t));
        }
    }
    ~stored() {
        OK(cusparseDestroySpMat(descriptor));
        cudaFree(d_offsets), cudaFree(d_indices), cudaFree(d_values);
    }
};

/// Dense matrices in rows or columns, with a gap after each line and after each matrix.
template <class T>
struct lines {
    int rows, columns, step, stride;
    bool by_rows;
    T* p;
    cusparseDnMatDescr_t descriptor = nullptr;

    lines(const std::vector<matrix>& all, cusparseOrder_t order)
        : rows(all[0].rows), columns(all[0].columns), by_rows(order == CUSPARSE_ORDER_ROW) {
        step = (by_rows ? columns : rows) + 2;
        stride = step * (by_rows ? rows : columns) + 3;
        std::vector<T> v(stride * all.size(), made<T>(9.0));
        for (size_t b = 0; b < all.size(); ++b)
            for (int i = 0; i < rows; ++i)
                for (int j = 0; j < columns; ++j)
                    v[b * stride + place(i, j)] = made<T>(all[b].at(i, j));
        p = device(v);
        OK(cusparseCreateDnMat(&descriptor, rows, columns, step, p, type_of<T>, order));
        if (all.size() > 1) OK(cusparseDnMatSetStridedBatch(descriptor, int(all.size()), stride));
    }
    ~lines() {
        OK(cusparseDestroyDnMat(descriptor));
        cudaFree(p);
    }
    int place(int i, int j) const { return by_rows ? i * step + j : i + j * step; }
    /// Whether matrix b is as expected, as this type rounds it, and the gaps are as they were.
    bool is(const matrix& expected, size_t b = 0) const {
        const auto v = host(p, (b + 1) * stride);
        std::vector<T> same(stride, made<T>(9.0));
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j) same[place(i, j)] = made<T>(expected.at(i, j));
        for (int k = 0; k < stride; ++k)
            if (get(v[b * stride + k]) != get(same[k])) return false;
        return true;
    }
};

/// alpha x + beta y
static matrix combined(number alpha, matrix x, number beta, const matrix& y) {
    for (size_t k = 0; k < x.v.size(); ++k) x.v[k] = alpha * x.v[k] + beta * y.v[k];
    return x;
}

template <class A, class X, class Y, class S, class I>
static void with_vector_and_matrix(cusparseHandle_t h, int base) {
    const matrix m = sparse(8, 9, is_pair<A>);
    for (const auto format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO,
                              CUSPARSE_FORMAT_BSR, CUSPARSE_FORMAT_SLICED_ELLPACK}) {
        const stored<A, I> a(m, format, base);
        for (int o = 0; o < 3; ++o) {
            const auto op = cusparseOperation_t(o);
            const matrix t = turned(m, op);
            const number alpha = {2, is_pair<S> ? 1.0 : 0.0};
            for (const number beta : {number(0), number(-1)}) {
                const S al = made<S>(alpha), be = made<S>(beta);
                const auto x = dense(t.columns, 1, is_pair<X>), y = dense(t.rows, 1, is_pair<Y>);
                std::vector<X> vx;
                std::vector<Y> vy;
                for (const number z : x.v) vx.push_back(made<X>(z));
                for (const number z : y.v) vy.push_back(made<Y>(z));
                X* dx = device(vx);
                Y* dy = device(vy);
                cusparseConstDnVecDescr_t xd;
                cusparseDnVecDescr_t yd;
                OK(cusparseCreateConstDnVec(&xd, t.columns, dx, type_of<X>));
                OK(cusparseCreateDnVec(&yd, t.rows, dy, type_of<Y>));
                size_t bytes = 0;
                OK(cusparseSpMV_bufferSize(h, op, &al, a.descriptor, xd, &be, yd, type_of<S>,
                                           CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
                void* buffer;
                cudaMalloc(&buffer, bytes);
                OK(cusparseSpMV(h, op, &al, a.descriptor, xd, &be, yd, type_of<S>,
                                CUSPARSE_SPMV_ALG_DEFAULT, buffer));
                const auto want = combined(alpha, product(t, x), beta, y);
                const auto got = host(dy, vy.size());
                for (size_t i = 0; i < got.size(); ++i)
                    MUST(get(got[i]) == get(made<Y>(want.v[i])));
                OK(cusparseDestroyDnVec(xd));
                OK(cusparseDestroyDnVec(yd));
                cudaFree(dx), cudaFree(dy);
                if (format != CUSPARSE_FORMAT_SLICED_ELLPACK)
                    for (int form = 0; form < 12; ++form) {
                        const auto op_b = cusparseOperation_t(form / 4);
                        const auto order = [](int bit) {
                            return bit != 0 ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
                        };
                        const bool plain = op_b == CUSPARSE_OPERATION_NON_TRANSPOSE;
                        const matrix b = plain ? dense(t.columns, 5, is_pair<X>)
                                               : dense(5, t.columns, is_pair<X>);
                        const matrix c = dense(t.rows, 5, is_pair<Y>);
                        const lines<X> lb({b}, order(form & 1));
                        const lines<Y> lc({c}, order(form & 2));
                        OK(cusparseSpMM(h, op, op_b, &al, a.descriptor, lb.descriptor, &be,
                                        lc.descriptor, type_of<S>, CUSPARSE_SPMM_ALG_DEFAULT,
                                        buffer));
                        MUST(lc.is(combined(alpha, product(t, turned(b, op_b)), beta, c)));
                    }
                cudaFree(buffer);
            }
        }
    }
}

/// Batches of A, B and C, and one A for all.
static void batches(cusparseHandle_t h) {
    matrix m = sparse(6, 7, false), n = m;
    for (number& x : n.v) x *= -2.0;  // the same entries
    stored<float, int> a(m, CUSPARSE_FORMAT_CSR, 0), other(n, CUSPARSE_FORMAT_CSR, 0);
    const std::vector<matrix> bs{dense(7, 4, false), dense(7, 4, false)},
        cs{dense(6, 4, false), dense(6, 4, false)};
    const lines<float> b(bs, CUSPARSE_ORDER_COL), c(cs, CUSPARSE_ORDER_ROW);
    const float one = 1, two = 2;
    const auto as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const auto run = [&](cusparseSpMatDescr_t described) {
        return cusparseSpMM(h, as_it_is, as_it_is, &two, described, b.descriptor, &one,
                            c.descriptor, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, nullptr);
    };
    OK(run(a.descriptor));
    matrix want[2];
    for (int k = 0; k < 2; ++k) {
        want[k] = combined(2, product(m, bs[k]), 1, cs[k]);
        MUST(c.is(want[k], k));
    }
    auto offsets = a.offsets, indices = a.indices;
    auto values = a.values;
    offsets.insert(offsets.end(), a.offsets.begin(), a.offsets.end());
    indices.insert(indices.end(), a.indices.begin(), a.indices.end());
    values.insert(values.end(), other.values.begin(), other.values.end());
    int *o = device(offsets), *i = device(indices);
    float* v = device(values);
    const auto count = int64_t(a.values.size());
    OK(cusparseCsrSetPointers(a.descriptor, o, i, v));
    OK(cusparseCsrSetStridedBatch(a.descriptor, 2, 7, count));
    OK(run(a.descriptor));
    for (int k = 0; k < 2; ++k) MUST(c.is(combined(2, product(k ? n : m, bs[k]), 1, want[k]), k));
    OK(cusparseCsrSetStridedBatch(a.descriptor, 3, 7, count));
    MUST(run(a.descriptor) == CUSPARSE_STATUS_INVALID_VALUE);
    cudaFree(o), cudaFree(i), cudaFree(v);
}

template <class T, class S>
static void sampled(cusparseHandle_t h) {
    const auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE, other = CUSPARSE_OPERATION_TRANSPOSE;
    for (const auto format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_BSR})
        for (int form = 0; form < 8; ++form) {
            const auto op_a = form & 1 ? other : plain, op_b = form & 2 ? other : plain;
            const matrix a = form & 1 ? dense(5, 8, is_pair<T>) : dense(8, 5, is_pair<T>),
                         b = form & 2 ? dense(9, 5, is_pair<T>) : dense(5, 9, is_pair<T>),
                         m = sparse(8, 9, is_pair<T>);
            const stored<T, int> c(m, format, form & 1);
            const lines<T> la({a}, form & 4 ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
                lb({b}, CUSPARSE_ORDER_ROW);
            const S two = made<S>(2), minus = made<S>(-1);
            size_t bytes = 0;
            OK(cusparseSDDMM_bufferSize(h, op_a, op_b, &two, la.descriptor, lb.descriptor, &minus,
                                        c.descriptor, type_of<S>, CUSPARSE_SDDMM_ALG_DEFAULT,
                                        &bytes));
            OK(cusparseSDDMM(h, op_a, op_b, &two, la.descriptor, lb.descriptor, &minus,
                             c.descriptor, type_of<S>, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr));
            matrix want = combined(2, product(turned(a, op_a), turned(b, op_b)), -1, m);
            // Multiplied by ones where C has entries: the same arrays of a matrix of the results.
            const auto got = host(c.d_values, c.values.size());
            size_t k = 0;
            const int height = format == CUSPARSE_FORMAT_BSR ? 2 : 1, width = height == 2 ? 3 : 1;
            for (size_t r = 0; r + 1 < c.offsets.size(); ++r)
                for (int e = c.offsets[r]; e < c.offsets[r + 1]; ++e)
                    for (int q = 0; q < height * width; ++q, ++k) {
                        const int row = int(r) * height + q % height,
                                  column =
                                      (c.indices[e - (form & 1)] - (form & 1)) * width + q / height;
                        MUST(get(got[k]) == get(made<T>(want.at(row, column))));
                    }
            MUST(k == got.size());
        }
}

int main() {
    std::printf("seed %u\n", state);
    cusparseHandle_t h;
    OK(cusparseCreate(&h));
    with_vector_and_matrix<float, float, float, float, int>(h, 0);
    with_vector_and_matrix<double, double, double, double, int64_t>(h, 1);
    with_vector_and_matrix<cuComplex, cuComplex, cuComplex, cuComplex, int64_t>(h, 0);
    with_vector_and_matrix<cuDoubleComplex, cuDoubleComplex, cuDoubleComplex, cuDoubleComplex, int>(
        h, 1);
    with_vector_and_matrix<__half, __half, float, float, int>(h, 1);
    with_vector_and_matrix<__half, __half, __half, float, int>(h, 0);
    with_vector_and_matrix<__nv_bfloat16, __nv_bfloat16, __nv_bfloat16, float, int>(h, 0);
    with_vector_and_matrix<signed char, signed char, int, int, int>(h, 0);
    with_vector_and_matrix<float, cuComplex, cuComplex, cuComplex, int>(h, 0);
    batches(h);
    sampled<float, float>(h);
    sampled<cuDoubleComplex, cuDoubleComplex>(h);
    sampled<__half, float>(h);

    // What is not right.
    const stored<float, int> a(sparse(6, 7, false), CUSPARSE_FORMAT_CSR, 0);
    const lines<float> b({dense(7, 4, false)}, CUSPARSE_ORDER_ROW),
        c({dense(6, 4, false)}, CUSPARSE_ORDER_ROW);
    const float one = 1;
    const auto as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE, turned = CUSPARSE_OPERATION_TRANSPOSE;
    const auto run = [&](cusparseHandle_t by, cusparseOperation_t op, const void* alpha,
                         cusparseDnMatDescr_t to, cudaDataType computes) {
        return cusparseSpMM(by, op, as_it_is, alpha, a.descriptor, b.descriptor, &one, to, computes,
                            CUSPARSE_SPMM_ALG_DEFAULT, nullptr);
    };
    OK(run(h, as_it_is, &one, c.descriptor, CUDA_R_32F));
    MUST(run(nullptr, as_it_is, &one, c.descriptor, CUDA_R_32F) == CUSPARSE_STATUS_NOT_INITIALIZED);
    MUST(run(h, turned, &one, c.descriptor, CUDA_R_32F) == CUSPARSE_STATUS_INVALID_VALUE);
    MUST(run(h, as_it_is, nullptr, c.descriptor, CUDA_R_32F) == CUSPARSE_STATUS_INVALID_VALUE);
    MUST(run(h, as_it_is, &one, nullptr, CUDA_R_32F) == CUSPARSE_STATUS_INVALID_VALUE);
    MUST(run(h, as_it_is, &one, b.descriptor, CUDA_R_32F) == CUSPARSE_STATUS_INVALID_VALUE);
    MUST(cusparseSpMM(h, as_it_is, as_it_is, &one, a.descriptor, c.descriptor, &one, c.descriptor,
                      CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT,
                      nullptr) == CUSPARSE_STATUS_INVALID_VALUE);
    MUST(run(h, as_it_is, &one, c.descriptor, CUDA_R_64F) == CUSPARSE_STATUS_NOT_SUPPORTED);
    OK(cusparseDestroy(h));
    return verdict();
}

// cuSPARSE's products of sparse matrices, conversions, sorting, sums, counts and sparse vectors
// against plain loops, and its descriptors.
#include <cusparse_v2.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "check.h"

static unsigned state = 4711;
static int random_below(int n) {
    state = state * 1664525u + 1013904223u;
    return int(state >> 16) % n;
}

/// Device memory that nobody has written.
template <class T>
static T* room(size_t n) {
    T* p = nullptr;
    cudaMalloc(&p, n * sizeof(T) + 1);
    return p;
}

struct matrix {
    int rows, columns;
    std::vector<float> v;
    float& at(int i, int j) { return v[i * columns + j]; }
    float at(int i, int j) const { return v[i * columns + j]; }
};
static matrix sparse(int rows, int columns) {
    matrix m{rows, columns, std::vector<float>(rows * columns)};
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
            if (i != 1 && j != 3 && random_below(3) == 0) m.at(i, j) = float(1 + random_below(8));
    return m;
}

/// CSR, also of what `has` says to be an entry, in device memory.
struct csr {
    std::vector<int> offsets, columns;
    std::vector<float> values;
    int *o, *c;
    float* v;

    template <class Has>
    csr(const matrix& m, int base, const Has& has) {
        offsets.push_back(base);
        for (int i = 0; i < m.rows; ++i) {
            for (int j = 0; j < m.columns; ++j)
                if (has(i, j)) columns.push_back(j + base), values.push_back(m.at(i, j));
            offsets.push_back(int(columns.size()) + base);
        }
        o = device(offsets), c = device(columns), v = device(values);
    }
    csr(const matrix& m, int base) : csr(m, base, [&](int i, int j) { return m.at(i, j) != 0; }) {}
    ~csr() { cudaFree(o), cudaFree(c), cudaFree(v); }
    int count() const { return int(columns.size()); }
    cusparseSpMatDescr_t descriptor(const matrix& m, int base) const {
        cusparseSpMatDescr_t made = nullptr;
        OK(cusparseCreateCsr(&made, m.rows, m.columns, count(), o, c, v, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_32I, cusparseIndexBase_t(base), CUDA_R_32F));
        return made;
    }
};

constexpr auto as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;

static void sparse_products(cusparseHandle_t h, bool reuses) {
    const matrix ma = sparse(7, 6), mb = sparse(6, 8);
    matrix mc{7, 8, std::vector<float>(56)};
    std::vector<char> has(56);
    for (int i = 0; i < 7; ++i)
        for (int j = 0; j < 8; ++j)
            for (int k = 0; k < 6; ++k) {
                mc.at(i, j) += 2 * ma.at(i, k) * mb.at(k, j);
                has[i * 8 + j] |= ma.at(i, k) != 0 && mb.at(k, j) != 0;
            }
    const csr a(ma, 0), b(mb, 1), want(mc, 1, [&](int i, int j) { return has[i * 8 + j] != 0; });
    const auto da = a.descriptor(ma, 0), db = b.descriptor(mb, 1);
    cusparseSpMatDescr_t dc = nullptr;
    const auto index = CUSPARSE_INDEX_32I;
    OK(cusparseCreateCsr(&dc, 7, 8, 0, nullptr, nullptr, nullptr, index, index,
                         CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F));
    const float two = 2, zero = 0, three = 3;
    cusparseSpGEMMDescr_t d = nullptr;
    OK(cusparseSpGEMM_createDescr(&d));
    const auto way = CUSPARSE_SPGEMM_DEFAULT;
    size_t bytes[5] = {};
    void* buffer[5] = {};
    const auto compute = [&] {
        return cusparseSpGEMM_compute(h, as_it_is, as_it_is, &two, da, db, &zero, dc, CUDA_R_32F,
                                      way, d, &bytes[1], buffer[1]);
    };
    MUST(compute() == CUSPARSE_STATUS_INVALID_VALUE);  // it knows nothing of the work
    for (int step = 0; step < 2; ++step) {
        if (reuses)
            OK(cusparseSpGEMMreuse_workEstimation(h, as_it_is, as_it_is, da, db, dc, way, d,
                                                  &bytes[0], buffer[0]));
        else
            OK(cusparseSpGEMM_workEstimation(h, as_it_is, as_it_is, &two, da, db, &zero, dc,
                                             CUDA_R_32F, way, d, &bytes[0], buffer[0]));
        if (step == 0) cudaMalloc(&buffer[0], bytes[0]);
    }
    for (int step = 0; step < 2; ++step) {
        if (reuses)
            OK(cusparseSpGEMMreuse_nnz(h, as_it_is, as_it_is, da, db, dc, way, d, &bytes[1],
                                       buffer[1], &bytes[2], buffer[2], &bytes[3], buffer[3]));
        else
            OK(compute());
        for (int k = 1; step == 0 && k < (reuses ? 4 : 2); ++k) cudaMalloc(&buffer[k], bytes[k]);
    }
    if (!reuses) {
        bytes[1] = 1;
        MUST(compute() == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES);
    }
    int64_t rows, columns, count;
    OK(cusparseSpMatGetSize(dc, &rows, &columns, &count));
    MUST(rows == 7 && columns == 8 && count == want.count());
    int *o = room<int>(8), *c = room<int>(count);
    float* v = device(std::vector<float>(count, 10));
    OK(cusparseCsrSetPointers(dc, o, c, v));
    for (const float* beta : {&zero, &three}) {
        std::vector<float> expected = want.values, before = host(v, count);
        for (size_t k = 0; k < expected.size(); ++k) expected[k] += *beta * before[k];
        if (reuses) {
            for (int step = 0; step < 2; ++step) {
                OK(cusparseSpGEMMreuse_copy(h, as_it_is, as_it_is, da, db, dc, way, d, &bytes[4],
                                            buffer[4]));
                if (buffer[4] == nullptr) cudaMalloc(&buffer[4], bytes[4]);
            }
            OK(cusparseSpGEMMreuse_compute(h, as_it_is, as_it_is, &two, da, db, beta, dc,
                                           CUDA_R_32F, way, d));
        } else {
            OK(cusparseSpGEMM_copy(h, as_it_is, as_it_is, &two, da, db, beta, dc, CUDA_R_32F, way,
                                   d));
        }
        MUST(host(o, 8) == want.offsets && host(c, count) == want.columns);
        MUST(host(v, count) == expected);
    }
    MUST(cusparseSpGEMM_compute(h, CUSPARSE_OPERATION_TRANSPOSE, as_it_is, &two, da, db, &zero, dc,
                                CUDA_R_32F, way, d, &bytes[1],
                                buffer[1]) == CUSPARSE_STATUS_NOT_SUPPORTED);
    OK(cusparseSpGEMM_destroyDescr(d));
    for (const auto each : {da, db, dc}) OK(cusparseDestroySpMat(each));
    for (void* each : buffer) cudaFree(each);
    cudaFree(o), cudaFree(c), cudaFree(v);
}

/// A dense matrix to each format, and back.
static void dense_and_sparse(cusparseHandle_t h) {
    const matrix m = sparse(6, 8);
    for (int form = 0; form < 12; ++form) {
        const bool by_rows = form & 1;
        const int base = form / 2 % 2, step = by_rows ? 10 : 7, kind = form / 4;
        std::vector<float> v(80, 5);
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 8; ++j) v[by_rows ? i * step + j : i + j * step] = m.at(i, j);
        float *from = device(v), *back = device(std::vector<float>(80, 5));
        cusparseDnMatDescr_t dense, other;
        const auto order = by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
        OK(cusparseCreateDnMat(&dense, 6, 8, step, from, CUDA_R_32F, order));
        OK(cusparseCreateDnMat(&other, 6, 8, step, back, CUDA_R_32F, order));
        int64_t* o = room<int64_t>(9);
        cusparseSpMatDescr_t s;
        const auto wide = CUSPARSE_INDEX_64I;
        const auto b = cusparseIndexBase_t(base);
        if (kind == 0)
            OK(cusparseCreateCsr(&s, 6, 8, 0, o, nullptr, nullptr, wide, wide, b, CUDA_R_32F));
        if (kind == 1)
            OK(cusparseCreateCsc(&s, 6, 8, 0, o, nullptr, nullptr, wide, wide, b, CUDA_R_32F));
        if (kind == 2)
            OK(cusparseCreateCoo(&s, 6, 8, 0, nullptr, nullptr, nullptr, wide, b, CUDA_R_32F));
        size_t bytes = 0;
        OK(cusparseDenseToSparse_bufferSize(h, dense, s, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT,
                                            &bytes));
        void* buffer;
        cudaMalloc(&buffer, bytes);
        OK(cusparseDenseToSparse_analysis(h, dense, s, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
        int64_t count = 0;
        OK(cusparseSpMatGetSize(s, nullptr, nullptr, &count));
        if (kind != 2)
            MUST(host(o, 1)[0] == base && host(o + (kind == 1 ? 8 : 6), 1)[0] == count + base);
        int64_t *outer = kind == 2 ? room<int64_t>(count) : o, *inner = room<int64_t>(count);
        float* values = room<float>(count);
        if (kind == 0) OK(cusparseCsrSetPointers(s, o, inner, values));
        if (kind == 1) OK(cusparseCscSetPointers(s, o, inner, values));
        if (kind == 2) OK(cusparseCooSetPointers(s, outer, inner, values));
        OK(cusparseDenseToSparse_convert(h, dense, s, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer));
        const int lines = kind == 1 ? 8 : 6, others = kind == 1 ? 6 : 8;
        const auto got_outer = host(outer, kind == 2 ? count : lines + 1);
        const auto got_inner = host(inner, count);
        const auto got = host(values, count);
        int64_t k = 0;
        for (int i = 0; i < lines; ++i) {
            if (kind != 2) MUST(got_outer[i] == k + base);
            for (int j = 0; j < others; ++j) {
                const float x = kind == 1 ? m.at(j, i) : m.at(i, j);
                if (x == 0) continue;
                if (kind == 2) MUST(got_outer[k] == i + base);
                MUST(got_inner[k] == j + base && got[k] == x);
                ++k;
            }
        }
        MUST(k == count && (kind == 2 || got_outer[lines] == k + base));
        OK(cusparseSparseToDense(h, s, other, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
        MUST(host(back, 80) == v);
        OK(cusparseDestroySpMat(s));
        OK(cusparseDestroyDnMat(dense));
        OK(cusparseDestroyDnMat(other));
        if (outer != o) cudaFree(outer);
        cudaFree(o), cudaFree(inner), cudaFree(values), cudaFree(from), cudaFree(back),
            cudaFree(buffer);
    }
    // Blocked-ELL: 3 x 2 blocks of 2 x 2, of which the last of the first row is none.
    std::vector<float> all(24), want(24);
    std::iota(all.begin(), all.end(), 1.0f);
    const std::vector<int> blocks{1, -1, 0, 1, 1, 0};
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 4; ++j)
            if (const int block = blocks[i / 2 * 2 + j / 2]; block >= 0)
                want[i * 4 + j] = all[i * 4 + block * 2 + j % 2];
    float *from = device(all), *values = room<float>(24), *back = room<float>(24);
    int* places = device(blocks);
    cusparseDnMatDescr_t dense, other;
    cusparseSpMatDescr_t s;
    OK(cusparseCreateDnMat(&dense, 6, 4, 4, from, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    OK(cusparseCreateDnMat(&other, 6, 4, 4, back, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    OK(cusparseCreateBlockedEll(&s, 6, 4, 2, 4, places, values, CUSPARSE_INDEX_32I,
                                CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    OK(cusparseDenseToSparse_convert(h, dense, s, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr));
    MUST(host(values, 24) == want);
    OK(cusparseSparseToDense(h, s, other, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
    for (int i = 0; i < 2; ++i) all[i * 4] = all[i * 4 + 1] = 0;  // no block has them
    MUST(host(back, 24) == all);
    OK(cusparseDestroySpMat(s));
    OK(cusparseDestroyDnMat(dense));
    OK(cusparseDestroyDnMat(other));
    cudaFree(from), cudaFree(values), cudaFree(back), cudaFree(places);
}

static void indices(cusparseHandle_t h, cusparseMatDescr_t one_based) {
    const matrix m = sparse(7, 6);
    matrix t{6, 7, std::vector<float>(42)};
    for (int i = 0; i < 7; ++i)
        for (int j = 0; j < 6; ++j) t.at(j, i) = m.at(i, j);
    const csr a(m, 1), want(t, 1);
    const int count = a.count();
    int *o = room<int>(8), *c = room<int>(count), *p = room<int>(count), *rows = room<int>(count);
    float* v = room<float>(count);
    size_t bytes = 0;
    const auto one = CUSPARSE_INDEX_BASE_ONE;
    OK(cusparseCsr2cscEx2_bufferSize(h, 7, 6, count, a.v, a.o, a.c, v, o, c, CUDA_R_32F,
                                     CUSPARSE_ACTION_NUMERIC, one, CUSPARSE_CSR2CSC_ALG1, &bytes));
    OK(cusparseCsr2cscEx2(h, 7, 6, count, a.v, a.o, a.c, v, o, c, CUDA_R_32F,
                          CUSPARSE_ACTION_NUMERIC, one, CUSPARSE_CSR2CSC_ALG1, nullptr));
    MUST(host(o, 7) == want.offsets && host(c, count) == want.columns &&
         host(v, count) == want.values);

    OK(cusparseXcsr2coo(h, a.o, count, 7, rows, one));
    const auto row_of = host(rows, count);
    for (int i = 0; i < 7; ++i)
        for (int k = a.offsets[i]; k < a.offsets[i + 1]; ++k) MUST(row_of[k - 1] == i + 1);
    OK(cusparseXcoo2csr(h, rows, count, 7, o, one));
    MUST(host(o, 8) == a.offsets);

    // Entries in disorder come back in order, and their numbers tell from where.
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    for (int k = count; k > 1; --k) std::swap(order[k - 1], order[random_below(k)]);
    for (const bool by_row : {true, false}) {
        std::vector<int> mixed_rows, mixed_columns;
        for (const int k : order) {
            mixed_rows.push_back(row_of[k]);
            mixed_columns.push_back(a.columns[k]);
        }
        int *r = device(mixed_rows), *col = device(mixed_columns);
        OK(cusparseCreateIdentityPermutation(h, count, p));
        OK(cusparseXcoosort_bufferSizeExt(h, 7, 6, count, r, col, &bytes));
        OK((by_row ? cusparseXcoosortByRow : cusparseXcoosortByColumn)(h, 7, 6, count, r, col, p,
                                                                       nullptr));
        const auto to = host(p, count), got_rows = host(r, count), got_columns = host(col, count);
        for (int k = 0; k < count; ++k) {
            MUST(got_rows[k] == mixed_rows[to[k]] && got_columns[k] == mixed_columns[to[k]]);
            if (k == 0) continue;
            const auto key = [&](int q) {
                return by_row ? got_rows[q] * 100 + got_columns[q]
                              : got_columns[q] * 100 + got_rows[q];
            };
            MUST(key(k - 1) < key(k));
        }
        cudaFree(r), cudaFree(col);
    }
    std::vector<int> backwards = a.columns, numbers(count);
    std::iota(numbers.begin(), numbers.end(), 100);
    for (int i = 0; i < 7; ++i)
        std::reverse(backwards.begin() + a.offsets[i] - 1,
                     backwards.begin() + a.offsets[i + 1] - 1);
    int *col = device(backwards), *q = device(numbers);
    OK(cusparseXcsrsort(h, 7, 6, count, one_based, a.o, col, q, nullptr));
    MUST(host(col, count) == a.columns);
    const auto moved = host(q, count);
    for (int k = 0; k < count; ++k) MUST(backwards[moved[k] - 100] == a.columns[k]);
    for (int* each : {o, c, p, rows, col, q}) cudaFree(each);
    cudaFree(v);
}

static void sums_and_counts(cusparseHandle_t h, cusparseMatDescr_t zero_based,
                            cusparseMatDescr_t one_based) {
    const matrix ma = sparse(7, 6), mb = sparse(7, 6);
    matrix mc = ma;
    for (size_t k = 0; k < mc.v.size(); ++k) mc.v[k] = 2 * ma.v[k] - 3 * mb.v[k];
    const csr a(ma, 1), b(mb, 0),
        want(mc, 1, [&](int i, int j) { return ma.at(i, j) != 0 || mb.at(i, j) != 0; });
    const float two = 2, minus = -3;
    int *o = room<int>(8), *c = room<int>(want.count()), count = 0;
    float* v = room<float>(want.count());
    OK(cusparseXcsrgeam2Nnz(h, 7, 6, one_based, a.count(), a.o, a.c, zero_based, b.count(), b.o,
                            b.c, one_based, o, &count, nullptr));
    MUST(count == want.count() && host(o, 8) == want.offsets);
    OK(cusparseScsrgeam2(h, 7, 6, &two, one_based, a.count(), a.v, a.o, a.c, &minus, zero_based,
                         b.count(), b.v, b.o, b.c, one_based, v, o, c, nullptr));
    MUST(host(o, 8) == want.offsets && host(c, count) == want.columns &&
         host(v, count) == want.values);

    float* dense = device(ma.v);  // in columns: its transpose
    int *counts = room<int>(7), total = 0;
    OK(cusparseSnnz(h, CUSPARSE_DIRECTION_COLUMN, 6, 7, zero_based, dense, 6, counts, &total));
    const auto got = host(counts, 7);
    MUST(total == a.count());
    for (int i = 0; i < 7; ++i) MUST(got[i] == a.offsets[i + 1] - a.offsets[i]);
    for (int* each : {o, c, counts}) cudaFree(each);
    cudaFree(v), cudaFree(dense);
}

static void vectors(cusparseHandle_t h) {
    const std::vector<int> places{1, 4, 5, 9};  // from 1 on
    const std::vector<float> x{2, -1, 3, 5}, y{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    int* p = device(places);
    float *dx = device(x), *dy = device(y);
    cusparseSpVecDescr_t sx;
    cusparseDnVecDescr_t sy;
    OK(cusparseCreateSpVec(&sx, 10, 4, p, dx, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE,
                           CUDA_R_32F));
    OK(cusparseCreateDnVec(&sy, 10, dy, CUDA_R_32F));
    float dot = 0, want = 0, *on_device = room<float>(1);
    for (int k = 0; k < 4; ++k) want += x[k] * y[places[k] - 1];
    OK(cusparseSpVV(h, as_it_is, sx, sy, &dot, CUDA_R_32F, nullptr));
    MUST(dot == want);
    OK(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_DEVICE));
    OK(cusparseSpVV(h, as_it_is, sx, sy, on_device, CUDA_R_32F, nullptr));
    MUST(host(on_device, 1)[0] == want);
    float* factors = device(std::vector<float>{2, -1});
    OK(cusparseAxpby(h, factors, sx, factors + 1, sy));
    OK(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_HOST));
    std::vector<float> sum = y;
    for (float& each : sum) each = -each;
    for (int k = 0; k < 4; ++k) sum[places[k] - 1] += 2 * x[k];
    MUST(host(dy, 10) == sum);
    OK(cusparseGather(h, sy, sx));
    std::vector<float> taken;
    for (const int at : places) taken.push_back(sum[at - 1]);
    MUST(host(dx, 4) == taken);
    cudaMemcpy(dx, x.data(), 16, cudaMemcpyHostToDevice);
    const float c = 3, s = 4;
    OK(cusparseRot(h, &c, &s, sx, sy));
    std::vector<float> turned = x;
    for (int k = 0; k < 4; ++k) {
        float& b = sum[places[k] - 1];
        turned[k] = 3 * x[k] + 4 * b;
        b = 3 * b - 4 * x[k];
    }
    MUST(host(dx, 4) == turned && host(dy, 10) == sum);
    OK(cusparseScatter(h, sx, sy));
    for (int k = 0; k < 4; ++k) sum[places[k] - 1] = turned[k];
    MUST(host(dy, 10) == sum);
    MUST(cusparseScatter(h, nullptr, sy) == CUSPARSE_STATUS_INVALID_VALUE);
    OK(cusparseDestroySpVec(sx));
    OK(cusparseDestroyDnVec(sy));
    cudaFree(p), cudaFree(dx), cudaFree(dy), cudaFree(on_device), cudaFree(factors);
}

static void descriptors(cusparseHandle_t h) {
    int version = 0, major = 0;
    OK(cusparseGetVersion(h, &version));
    OK(cusparseGetProperty(MAJOR_VERSION, &major));
    MUST(version == CUSPARSE_VERSION && major == CUSPARSE_VER_MAJOR);
    MUST(!std::strcmp(cusparseGetErrorName(CUSPARSE_STATUS_ZERO_PIVOT),
                      "CUSPARSE_STATUS_ZERO_PIVOT"));
    MUST(!std::strcmp(cusparseGetErrorString(CUSPARSE_STATUS_INVALID_VALUE), "invalid value"));
    cudaStream_t stream, got = nullptr;
    cudaStreamCreate(&stream);
    OK(cusparseSetStream(h, stream));
    OK(cusparseGetStream(h, &got));
    MUST(got == stream);
    OK(cusparseSetStream(h, nullptr));
    cudaStreamDestroy(stream);
    MUST(cusparseSetStream(nullptr, nullptr) == CUSPARSE_STATUS_NOT_INITIALIZED);

    const matrix m = sparse(7, 6);
    const csr a(m, 1);
    cusparseConstSpMatDescr_t s;
    cusparseSpMatDescr_t none;
    OK(cusparseCreateConstCsr(&s, 7, 6, a.count(), a.o, a.c, a.v, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F));
    int64_t rows = 0, columns = 0, count = 0;
    const void *o = nullptr, *c = nullptr, *v = nullptr;
    cusparseIndexType_t ot, ct;
    cusparseIndexBase_t base;
    cudaDataType type;
    OK(cusparseConstCsrGet(s, &rows, &columns, &count, &o, &c, &v, &ot, &ct, &base, &type));
    MUST(rows == 7 && columns == 6 && count == a.count() && o == a.o && c == a.c && v == a.v);
    MUST(ot == CUSPARSE_INDEX_32I && base == CUSPARSE_INDEX_BASE_ONE && type == CUDA_R_32F);
    MUST(cusparseConstCooGet(s, &rows, &columns, &count, &o, &c, &v, &ot, &base, &type) ==
         CUSPARSE_STATUS_INVALID_VALUE);
    cusparseFormat_t format;
    OK(cusparseSpMatGetFormat(s, &format));
    MUST(format == CUSPARSE_FORMAT_CSR);
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_UPPER;
    OK(cusparseSpMatGetAttribute(s, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
    MUST(fill == CUSPARSE_FILL_MODE_LOWER);
    OK(cusparseDestroySpMat(s));
    MUST(cusparseCreateCsr(&none, -1, 6, 0, nullptr, nullptr, nullptr, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                           CUDA_R_32F) == CUSPARSE_STATUS_INVALID_VALUE);
    cusparseDnMatDescr_t dense;
    MUST(cusparseCreateDnMat(&dense, 5, 4, 4, a.v, CUDA_R_32F, CUSPARSE_ORDER_COL) ==
         CUSPARSE_STATUS_INVALID_VALUE);
}

int main() {
    std::printf("seed %u\n", state);
    cusparseHandle_t h;
    OK(cusparseCreate(&h));
    cusparseMatDescr_t zero_based, one_based;
    OK(cusparseCreateMatDescr(&zero_based));
    OK(cusparseCreateMatDescr(&one_based));
    OK(cusparseSetMatIndexBase(one_based, CUSPARSE_INDEX_BASE_ONE));
    MUST(cusparseGetMatType(zero_based) == CUSPARSE_MATRIX_TYPE_GENERAL);
    sparse_products(h, false);
    sparse_products(h, true);
    dense_and_sparse(h);
    indices(h, one_based);
    sums_and_counts(h, zero_based, one_based);
    vectors(h);
    descriptors(h);
    OK(cusparseDestroyMatDescr(zero_based));
    OK(cusparseDestroyMatDescr(one_based));
    OK(cusparseDestroy(h));
    return verdict();
}

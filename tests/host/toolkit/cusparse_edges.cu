// cuSPARSE at its edges: matrices without entries, entries that are there twice, targets without
// values where beta is 0, blocks by rows, Blocked-ELL, batches of blocks, new values for a
// solution, pivots that are missing, zero or boosted, and sizes that no memory holds.
#include <cusparse.h>

#include <cstdint>
#include <limits>

#include "check.h"

using values = std::vector<double>;
using indices = std::vector<int>;

constexpr auto as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr auto i32 = CUSPARSE_INDEX_32I;
constexpr auto base = CUSPARSE_INDEX_BASE_ZERO;
constexpr double unset = std::numeric_limits<double>::quiet_NaN();
static const double one = 1, two = 2, none = 0;

static cusparseHandle_t h;

static cusparseSpMatDescr_t csr(int rows, int columns, int nnz, int* o, int* i, double* v) {
    cusparseSpMatDescr_t m = nullptr;
    OK(cusparseCreateCsr(&m, rows, columns, nnz, o, i, v, i32, i32, base, CUDA_R_64F));
    return m;
}
static cusparseDnMatDescr_t columns_of(int rows, int columns, double* v) {
    cusparseDnMatDescr_t m = nullptr;
    OK(cusparseCreateDnMat(&m, rows, columns, rows, v, CUDA_R_64F, CUSPARSE_ORDER_COL));
    return m;
}
/// A x, where the target has no values before.
static values times(cusparseSpMatDescr_t a, const values& x, int rows) {
    double *dx = device(x), *y = device(values(rows, unset));
    cusparseDnVecDescr_t from, to;
    OK(cusparseCreateDnVec(&from, int64_t(x.size()), dx, CUDA_R_64F));
    OK(cusparseCreateDnVec(&to, rows, y, CUDA_R_64F));
    OK(cusparseSpMV(h, as_it_is, &one, a, from, &none, to, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT,
                    nullptr));
    const auto got = host(y, rows);
    OK(cusparseDestroyDnVec(from));
    OK(cusparseDestroyDnVec(to));
    cudaFree(dx), cudaFree(y);
    return got;
}
/// A B of `batches`, in columns, where the target has no values before.
static values times(cusparseSpMatDescr_t a, const values& b, int rows, int inner, int batches = 1) {
    const int sides = int(b.size()) / inner / batches;
    double *db = device(b), *c = device(values(rows * sides * batches, unset));
    const auto mb = columns_of(inner, sides, db), mc = columns_of(rows, sides, c);
    OK(cusparseDnMatSetStridedBatch(mb, batches, inner * sides));
    OK(cusparseDnMatSetStridedBatch(mc, batches, rows * sides));
    OK(cusparseSpMM(h, as_it_is, as_it_is, &one, a, mb, &none, mc, CUDA_R_64F,
                    CUSPARSE_SPMM_ALG_DEFAULT, nullptr));
    const auto got = host(c, rows * sides * batches);
    OK(cusparseDestroyDnMat(mb));
    OK(cusparseDestroyDnMat(mc));
    cudaFree(db), cudaFree(c);
    return got;
}

static void without_entries() {
    cusparseSpMatDescr_t a = csr(2, 3, 0, nullptr, nullptr, nullptr);
    MUST(times(a, {1, 2, 3}, 2) == values({0, 0}));
    MUST(times(a, {1, 2, 3, 4, 5, 6}, 2, 3) == values({0, 0, 0, 0}));
    OK(cusparseDestroySpMat(a));
    a = csr(0, 3, 0, nullptr, nullptr, nullptr);
    MUST(times(a, {1, 2, 3}, 0).empty());
    OK(cusparseDestroySpMat(a));
    OK(cusparseCreateCoo(&a, 2, 3, 0, nullptr, nullptr, nullptr, i32, base, CUDA_R_64F));
    MUST(times(a, {1, 2, 3}, 2) == values({0, 0}));
    OK(cusparseDestroySpMat(a));
}

/// A call that lacks memory on the host says so.
static void without_memory() {
    constexpr std::int64_t columns = std::int64_t{1} << 62;
    int *o = device(indices{0, 1}), *i = device(indices{0});
    double *v = device(values{1}), *x = device(values{2}), *y = device(values{3});
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t from, to;
    OK(cusparseCreateCsr(&a, 1, columns, 1, o, i, v, i32, i32, base, CUDA_R_64F));
    OK(cusparseCreateDnVec(&from, columns, x, CUDA_R_64F));
    OK(cusparseCreateDnVec(&to, 1, y, CUDA_R_64F));
    MUST(cusparseSpMV(h, as_it_is, &one, a, from, &none, to, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT,
                      nullptr) == CUSPARSE_STATUS_ALLOC_FAILED);
    MUST(host(y, 1) == values({3}));
    OK(cusparseDestroySpMat(a));
    OK(cusparseDestroyDnVec(from));
    OK(cusparseDestroyDnVec(to));
    cudaFree(o), cudaFree(i), cudaFree(v), cudaFree(x), cudaFree(y);
}

/// Entries at the same place add up; rows may come in any order.
static void entries_twice() {
    int *rows = device(indices{1, 0, 1}), *columns = device(indices{2, 0, 2});
    double* v = device(values{3, 5, 4});
    cusparseSpMatDescr_t a;
    OK(cusparseCreateCoo(&a, 2, 3, 3, rows, columns, v, i32, base, CUDA_R_64F));
    MUST(times(a, {1, 2, 3}, 2) == values({5, 21}));
    OK(cusparseDestroySpMat(a));
    cudaFree(rows), cudaFree(columns), cudaFree(v);
}

static void blocks() {
    // Blocks of 1 x 2 by rows: (1 2 | . .) and (. . | 3 4); the second batch has them turned round.
    int *o = device(indices{0, 1, 2, 0, 1, 2}), *i = device(indices{0, 1, 1, 0});
    double* v = device(values{1, 2, 3, 4, 5, 6, 7, 8});
    cusparseSpMatDescr_t a;
    OK(cusparseCreateBsr(&a, 2, 2, 2, 1, 2, o, i, v, i32, i32, base, CUDA_R_64F,
                         CUSPARSE_ORDER_ROW));
    MUST(times(a, {1, 10, 100, 1000}, 2) == values({21, 4300}));
    OK(cusparseBsrSetStridedBatch(a, 2, 3, 2, 4));
    MUST(times(a, {1, 10, 100, 1000, 1, 10, 100, 1000}, 2, 4, 2) == values({21, 4300, 6500, 87}));
    OK(cusparseDestroySpMat(a));
    // 2 x 2 blocks by rows: the order within a block tells.
    OK(cusparseCreateBsr(&a, 1, 2, 1, 2, 2, o, i, v, i32, i32, base, CUDA_R_64F,
                         CUSPARSE_ORDER_ROW));
    MUST(times(a, {1, 10, 100, 1000}, 2) == values({21, 43}));
    OK(cusparseDestroySpMat(a));
    // Sizes that do not fit into 64 bits.
    MUST(cusparseCreateBsr(&a, int64_t{1} << 40, 2, 1, int64_t{1} << 40, 2, o, i, v, i32, i32, base,
                           CUDA_R_64F, CUSPARSE_ORDER_ROW) == CUSPARSE_STATUS_INVALID_VALUE);
    cudaFree(o), cudaFree(i), cudaFree(v);
    // Blocked-ELL of 2 x 2 blocks, of which each row stores one, or none (-1).
    i = device(indices{1, -1});
    v = device(values{1, 2, 3, 4, 7, 7, 7, 7});
    OK(cusparseCreateBlockedEll(&a, 4, 4, 2, 2, i, v, i32, base, CUDA_R_64F));
    MUST(times(a, {1, 10, 100, 1000, 1, 1, 1, 1}, 4, 4) == values({2100, 4300, 0, 0, 3, 7, 0, 0}));
    OK(cusparseDestroySpMat(a));
    cudaFree(i), cudaFree(v);
    // Two batches of coordinates.
    o = device(indices{0, 1, 0, 0}), i = device(indices{1, 0, 0, 1});
    v = device(values{1, 2, 3, 4});
    OK(cusparseCreateCoo(&a, 2, 2, 2, o, i, v, i32, base, CUDA_R_64F));
    OK(cusparseCooSetStridedBatch(a, 2, 2));
    MUST(times(a, {1, 10, 1, 10}, 2, 2, 2) == values({10, 2, 43, 0}));
    OK(cusparseDestroySpMat(a));
    cudaFree(o), cudaFree(i), cudaFree(v);
}

/// Where beta is 0, the values of C are not read.
static void sampled() {
    int *o = device(indices{0, 1, 2}), *i = device(indices{1, 0});
    double *v = device(values{unset, unset}), *a = device(values{1, 2}), *b = device(values{3, 4});
    const auto c = csr(2, 2, 2, o, i, v);
    const auto ma = columns_of(2, 1, a), mb = columns_of(1, 2, b);
    OK(cusparseSDDMM(h, as_it_is, as_it_is, &two, ma, mb, &none, c, CUDA_R_64F,
                     CUSPARSE_SDDMM_ALG_DEFAULT, nullptr));
    MUST(host(v, 2) == values({8, 12}));
    OK(cusparseDestroySpMat(c));
    OK(cusparseDestroyDnMat(ma));
    OK(cusparseDestroyDnMat(mb));
    cudaFree(o), cudaFree(i), cudaFree(v), cudaFree(a), cudaFree(b);
}

/// A solution with values of its own, for the matrix that was analysed and no other.
static void new_values() {
    int *o = device(indices{0, 1, 3}), *i = device(indices{0, 0, 1});
    double *v = device(values{2, 1, 4}), *b = device(values{4, 10}), *x = device(values{0, 0});
    const auto a = csr(2, 2, 3, o, i, v), smaller = csr(2, 2, 2, o, i, v);
    const auto mb = columns_of(2, 1, b), mx = columns_of(2, 1, x);
    cusparseSpSMDescr_t sm;
    OK(cusparseSpSM_createDescr(&sm));
    const auto solve = [&](cusparseSpMatDescr_t described) {
        return cusparseSpSM_solve(h, as_it_is, as_it_is, &one, described, mb, mx, CUDA_R_64F,
                                  CUSPARSE_SPSM_ALG_DEFAULT, sm);
    };
    MUST(solve(a) == CUSPARSE_STATUS_INVALID_VALUE);
    OK(cusparseSpSM_analysis(h, as_it_is, as_it_is, &one, a, mb, mx, CUDA_R_64F,
                             CUSPARSE_SPSM_ALG_DEFAULT, sm, nullptr));
    OK(solve(a));
    MUST(host(x, 2) == values({2, 2}));
    double *all = device(values{1, 2, 2}), *diagonal = device(values{4, 8});
    OK(cusparseSpSM_updateMatrix(h, sm, diagonal, CUSPARSE_SPSM_UPDATE_DIAGONAL));
    OK(solve(a));
    MUST(host(x, 2) == values({1, 9.0 / 8}));
    OK(cusparseSpSM_updateMatrix(h, sm, all, CUSPARSE_SPSM_UPDATE_GENERAL));
    OK(solve(a));
    MUST(host(x, 2) == values({4, 1}));
    MUST(solve(smaller) == CUSPARSE_STATUS_INVALID_VALUE);
    OK(cusparseSpSM_destroyDescr(sm));
    OK(cusparseDestroySpMat(a));
    OK(cusparseDestroySpMat(smaller));
    OK(cusparseDestroyDnMat(mb));
    OK(cusparseDestroyDnMat(mx));
    for (void* p : {(void*)o, (void*)i, (void*)v, (void*)b, (void*)x, (void*)all, (void*)diagonal})
        cudaFree(p);
}

static void pivots() {
    // (0 1; 1 2) has a zero as its first pivot; its last one is missing in the second matrix.
    int *o = device(indices{0, 2, 4}), *i = device(indices{0, 1, 0, 1});
    double* v = device(values{0, 1, 1, 2});
    cusparseMatDescr_t d;
    csrilu02Info_t lu;
    OK(cusparseCreateMatDescr(&d));
    OK(cusparseCreateCsrilu02Info(&lu));
    const auto policy = CUSPARSE_SOLVE_POLICY_NO_LEVEL;
    const auto factor = [&](int nnz, int* offsets, int* columns, double* numbers) {
        OK(cusparseDcsrilu02(h, 2, nnz, d, numbers, offsets, columns, lu, policy, nullptr));
    };
    const auto analyse = [&](int nnz, int* offsets, int* columns, double* numbers) {
        OK(cusparseDcsrilu02_analysis(h, 2, nnz, d, numbers, offsets, columns, lu, policy,
                                      nullptr));
    };
    int zero = 7;
    analyse(4, o, i, v);
    OK(cusparseXcsrilu02_zeroPivot(h, lu, &zero));
    MUST(zero == -1);
    factor(4, o, i, v);
    MUST(cusparseXcsrilu02_zeroPivot(h, lu, &zero) == CUSPARSE_STATUS_ZERO_PIVOT && zero == 0);
    // What an earlier factorisation found is forgotten.
    const values good{4, 1, 8, 3};
    cudaMemcpy(v, good.data(), 4 * sizeof(double), cudaMemcpyHostToDevice);
    factor(4, o, i, v);
    OK(cusparseXcsrilu02_zeroPivot(h, lu, &zero));
    MUST(zero == -1 && host(v, 4) == values({4, 1, 2, 1}));

    int *gap_o = device(indices{0, 2, 3}), *gap_i = device(indices{0, 1, 0});
    double* gap = device(values{0, 1, 1});
    analyse(3, gap_o, gap_i, gap);
    MUST(cusparseXcsrilu02_zeroPivot(h, lu, &zero) == CUSPARSE_STATUS_ZERO_PIVOT && zero == 1);
    // The first pivot, a zero, comes before the one that is missing.
    factor(3, gap_o, gap_i, gap);
    MUST(cusparseXcsrilu02_zeroPivot(h, lu, &zero) == CUSPARSE_STATUS_ZERO_PIVOT && zero == 0);

    const values regular{4, 1, 1};
    cudaMemcpy(gap, regular.data(), 3 * sizeof(double), cudaMemcpyHostToDevice);
    factor(3, gap_o, gap_i, gap);
    MUST(cusparseXcsrilu02_zeroPivot(h, lu, &zero) == CUSPARSE_STATUS_ZERO_PIVOT && zero == 1);

    // A boost, whose numbers lie where the mode of the handle says.
    double tolerance = 0.5, boost = 2;
    double *there = device(values{tolerance, boost}), *to_boost = device(values{0, 1, 4, 3});
    analyse(4, o, i, v);
    for (const bool on_device : {false, true}) {
        const values again{0, 1, 4, 3};
        cudaMemcpy(to_boost, again.data(), 4 * sizeof(double), cudaMemcpyHostToDevice);
        OK(cusparseSetPointerMode(
            h, on_device ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST));
        OK(cusparseDcsrilu02_numericBoost(h, lu, 1, on_device ? there : &tolerance,
                                          on_device ? there + 1 : &boost));
        OK(cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_HOST));
        factor(4, o, i, to_boost);
        MUST(host(to_boost, 4) == values({2, 1, 2, 1}));
        OK(cusparseDcsrilu02_numericBoost(h, lu, 0, nullptr, nullptr));
    }
    MUST(cusparseDcsrilu02_numericBoost(h, lu, 1, &tolerance, nullptr) ==
         CUSPARSE_STATUS_INVALID_VALUE);
    // Cholesky: a diagonal that is missing counts, too.
    csric02Info_t ll;
    OK(cusparseCreateCsric02Info(&ll));
    double* positive = device(values{4, 1, 1});
    OK(cusparseDcsric02_analysis(h, 2, 3, d, positive, gap_o, gap_i, ll, policy, nullptr));
    OK(cusparseDcsric02(h, 2, 3, d, positive, gap_o, gap_i, ll, policy, nullptr));
    MUST(cusparseXcsric02_zeroPivot(h, ll, &zero) == CUSPARSE_STATUS_ZERO_PIVOT && zero == 1);
    OK(cusparseDestroyCsric02Info(ll));
    OK(cusparseDestroyCsrilu02Info(lu));
    OK(cusparseDestroyMatDescr(d));
    for (void* p : {(void*)o, (void*)i, (void*)v, (void*)gap_o, (void*)gap_i, (void*)gap,
                    (void*)there, (void*)to_boost, (void*)positive})
        cudaFree(p);
}

int main() {
    OK(cusparseCreate(&h));
    without_entries();
    without_memory();
    entries_twice();
    blocks();
    sampled();
    new_values();
    pivots();
    OK(cusparseDestroy(h));
    return verdict();
}

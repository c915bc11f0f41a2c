// cuSPARSE's solutions against plain loops: triangles of all formats, operations and kinds, systems
// of three diagonals, and incomplete factors.
#include <cusparse.h>

#include <algorithm>
#include <cstdio>

#include "complex_numbers.h"

static unsigned state = 77;
static int random_below(int n) {
    state = state * 1664525u + 1013904223u;
    return int(state >> 16) % n;
}
static bool is_near(number a, number b) { return std::abs(a - b) < 1e-9 * (1 + std::abs(b)); }

constexpr int n = 9, sides = 4;
using square = std::vector<number>;  // n x n by rows

template <class T>
static square entries() {
    square a(n * n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const bool is_there = i == j || (i != 3 && random_below(2) != 0);
            const number x(random_below(9) - 4, type_of<T> == CUDA_C_64F ? random_below(5) - 2 : 0);
            if (is_there) a[i * n + j] = i == j ? x + 20.0 : x;
        }
    return a;
}

template <class T>
struct stored {
    std::vector<int> rows, columns, offsets;
    std::vector<T> values;
    int *d_outer, *d_inner;
    T* d_values;
    cusparseSpMatDescr_t descriptor = nullptr;

    stored(const square& a, cusparseFormat_t format, int base) {
        const bool by_columns = format == CUSPARSE_FORMAT_CSC;
        offsets.push_back(base);
        for (int i = 0; i < n; ++i) {
            for (int j = n; j-- > 0;) {  // backwards: the order in a row does not matter
                const number x = by_columns ? a[j * n + i] : a[i * n + j];
                if (x == 0.0) continue;
                rows.push_back(i + base);
                columns.push_back(j + base);
                values.push_back(made<T>(x));
            }
            offsets.push_back(int(columns.size()) + base);
        }
        d_inner = device(columns), d_values = device(values);
        d_outer = device(format == CUSPARSE_FORMAT_COO ? rows : offsets);
        const auto i = CUSPARSE_INDEX_32I;
        const auto b = cusparseIndexBase_t(base);
        const int64_t count = int64_t(values.size());
        if (format == CUSPARSE_FORMAT_CSR)
            OK(cusparseCreateCsr(&descriptor, n, n, count, d_outer, d_inner, d_values, i, i, b,
                                 type_of<T>));
        else if (by_columns)
            OK(cusparseCreateCsc(&descriptor, n, n, count, d_outer, d_inner, d_values, i, i, b,
                                 type_of<T>));
        else
            OK(cusparseCreateCoo(&descriptor, n, n, count, d_outer, d_inner, d_values, i, b,
                                 type_of<T>));
    }
    ~stored() {
        OK(cusparseDestroySpMat(descriptor));
        cudaFree(d_outer), cudaFree(d_inner), cudaFree(d_values);
    }
};

/// The triangle of op(A) that a solution uses, with ones on its diagonal if it has them.
static number used(const square& a, int i, int j, int op, int fill, int diagonal) {
    if (i == j && diagonal == CUSPARSE_DIAG_TYPE_UNIT) return 1;
    const int r = op == 0 ? i : j, c = op == 0 ? j : i;
    if (fill == CUSPARSE_FILL_MODE_LOWER ? c > r : c < r) return 0;
    return op == 2 ? std::conj(a[r * n + c]) : a[r * n + c];
}

template <class T>
static void triangles(cusparseHandle_t h) {
    for (const auto format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO})
        for (int form = 0; form < 24; ++form) {
            const int o = form % 3, fill = form / 3 % 2, diagonal = form / 6 % 2, base = form / 12;
            const auto op = cusparseOperation_t(o), as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
            square a = entries<T>();
            const stored<T> m(a, format, base);
            auto f = cusparseFillMode_t(fill);
            auto d = cusparseDiagType_t(diagonal);
            OK(cusparseSpMatSetAttribute(m.descriptor, CUSPARSE_SPMAT_FILL_MODE, &f, sizeof f));
            OK(cusparseSpMatSetAttribute(m.descriptor, CUSPARSE_SPMAT_DIAG_TYPE, &d, sizeof d));
            std::vector<number> b(n * sides);
            std::vector<T> vb;
            for (number& x : b) vb.push_back(made<T>(x = {double(random_below(11) - 5), 0}));
            T *db = device(vb), *dx = device(std::vector<T>(n * sides));
            const T two = made<T>(2);
            const auto check = [&](int columns, bool by_rows) {
                const auto x = host(dx, n * sides);
                for (int r = 0; r < columns; ++r)
                    for (int i = 0; i < n; ++i) {
                        number sum = 0;
                        for (int j = 0; j < n; ++j)
                            sum += used(a, i, j, o, fill, diagonal) *
                                   get(x[by_rows ? j * sides + r : r * n + j]);
                        MUST(is_near(sum, 2.0 * b[by_rows ? i * sides + r : r * n + i]));
                    }
            };
            cusparseDnVecDescr_t vx, vy;
            OK(cusparseCreateDnVec(&vx, n, db, type_of<T>));
            OK(cusparseCreateDnVec(&vy, n, dx, type_of<T>));
            cusparseSpSVDescr_t sv;
            OK(cusparseSpSV_createDescr(&sv));
            size_t bytes = 0;
            const auto way = CUSPARSE_SPSV_ALG_DEFAULT;
            MUST(cusparseSpSV_solve(h, op, &two, m.descriptor, vx, vy, type_of<T>, way, sv) ==
                 CUSPARSE_STATUS_INVALID_VALUE);
            OK(cusparseSpSV_bufferSize(h, op, &two, m.descriptor, vx, vy, type_of<T>, way, sv,
                                       &bytes));
            void* buffer;
            cudaMalloc(&buffer, bytes);
            OK(cusparseSpSV_analysis(h, op, &two, m.descriptor, vx, vy, type_of<T>, way, sv,
                                     buffer));
            OK(cusparseSpSV_solve(h, op, &two, m.descriptor, vx, vy, type_of<T>, way, sv));
            check(1, false);
            // Other values of the diagonal, then of all entries.
            if (format == CUSPARSE_FORMAT_CSR) {
                std::vector<T> diagonal_values;
                for (int i = 0; i < n; ++i)
                    diagonal_values.push_back(made<T>(a[i * n + i] = i + 30));
                T* part = device(diagonal_values);
                OK(cusparseSpSV_updateMatrix(h, sv, part, CUSPARSE_SPSV_UPDATE_DIAGONAL));
                OK(cusparseSpSV_solve(h, op, &two, m.descriptor, vx, vy, type_of<T>, way, sv));
                check(1, false);
                std::vector<T> all;
                for (size_t k = 0; k < m.values.size(); ++k)
                    all.push_back(made<T>(a[(m.rows[k] - base) * n + m.columns[k] - base] *= 3.0));
                T* whole = device(all);
                OK(cusparseSpSV_updateMatrix(h, sv, whole, CUSPARSE_SPSV_UPDATE_GENERAL));
                OK(cusparseSpSV_solve(h, op, &two, m.descriptor, vx, vy, type_of<T>, way, sv));
                check(1, false);
                cudaMemcpy(m.d_values, whole, all.size() * sizeof(T), cudaMemcpyDeviceToDevice);
                cudaFree(part), cudaFree(whole);
            }
            OK(cusparseSpSV_destroyDescr(sv));
            OK(cusparseDestroyDnVec(vx));
            OK(cusparseDestroyDnVec(vy));

            cusparseSpSMDescr_t sm;
            OK(cusparseSpSM_createDescr(&sm));
            for (const bool by_rows : {false, true}) {
                // B is turned in memory where op(B) turns it.
                const auto order = by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
                for (const bool turns : {false, true}) {
                    cusparseDnMatDescr_t mb, mc;
                    const auto other = by_rows ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW;
                    const auto op_b = turns ? CUSPARSE_OPERATION_TRANSPOSE : as_it_is;
                    OK(cusparseCreateDnMat(&mb, turns ? sides : n, turns ? n : sides,
                                           by_rows ? sides : n, db, type_of<T>,
                                           turns ? other : order));
                    OK(cusparseCreateDnMat(&mc, n, sides, by_rows ? sides : n, dx, type_of<T>,
                                           order));
                    const auto algorithm = CUSPARSE_SPSM_ALG_DEFAULT;
                    OK(cusparseSpSM_bufferSize(h, op, op_b, &two, m.descriptor, mb, mc, type_of<T>,
                                               algorithm, sm, &bytes));
                    OK(cusparseSpSM_analysis(h, op, op_b, &two, m.descriptor, mb, mc, type_of<T>,
                                             algorithm, sm, buffer));
                    cudaMemset(dx, 0, n * sides * sizeof(T));
                    OK(cusparseSpSM_solve(h, op, op_b, &two, m.descriptor, mb, mc, type_of<T>,
                                          algorithm, sm));
                    check(sides, by_rows);
                    MUST(cusparseSpSM_solve(h, op, op_b, nullptr, m.descriptor, mb, mc, type_of<T>,
                                            algorithm, sm) == CUSPARSE_STATUS_INVALID_VALUE);
                    OK(cusparseDestroyDnMat(mb));
                    OK(cusparseDestroyDnMat(mc));
                }
            }
            OK(cusparseSpSM_destroyDescr(sm));
            cudaFree(db), cudaFree(dx), cudaFree(buffer);
        }
}

/// Where element i of system s is.
struct places {
    int step, stride;
    int operator()(int s, int i) const { return s * stride + i * step; }
};

static void three_diagonals(cusparseHandle_t h) {
    constexpr int count = 3, room = 12;
    for (int kind = 0; kind < 4; ++kind) {
        const places at = kind == 3 ? places{count, 1} : places{1, kind == 2 ? room : 0};
        const places of_x = kind < 2 ? places{1, room} : at;
        std::vector<double> low(count * room), mid(count * room), up(count * room), x(count * room);
        for (size_t i = 0; i < x.size(); ++i) {
            low[i] = random_below(9) - 4;
            up[i] = random_below(9) - 4;
            mid[i] = kind == 0 ? random_below(3) : 9 + random_below(3);  // the first needs pivots
            x[i] = random_below(9) - 4;
        }
        double *dl = device(low), *dm = device(mid), *du = device(up), *dx = device(x);
        size_t bytes = 0;
        if (kind == 0) {
            OK(cusparseDgtsv2_bufferSizeExt(h, n, count, dl, dm, du, dx, room, &bytes));
            OK(cusparseDgtsv2(h, n, count, dl, dm, du, dx, room, nullptr));
            MUST(cusparseDgtsv2(h, 2, count, dl, dm, du, dx, room, nullptr) ==
                 CUSPARSE_STATUS_INVALID_VALUE);
        } else if (kind == 1) {
            OK(cusparseDgtsv2_nopivot(h, n, count, dl, dm, du, dx, room, nullptr));
        } else if (kind == 2) {
            OK(cusparseDgtsv2StridedBatch(h, n, dl, dm, du, dx, count, room, nullptr));
        } else {
            OK(cusparseDgtsvInterleavedBatch(h, 1, n, dl, dm, du, dx, count, nullptr));
        }
        const auto got = host(dx, x.size());
        for (int s = 0; s < count; ++s)
            for (int i = 0; i < n; ++i) {
                double sum = mid[at(s, i)] * got[of_x(s, i)];
                if (i > 0) sum += low[at(s, i)] * got[of_x(s, i - 1)];
                if (i + 1 < n) sum += up[at(s, i)] * got[of_x(s, i + 1)];
                MUST(is_near(sum, x[of_x(s, i)]));
            }
        cudaFree(dl), cudaFree(dm), cudaFree(du), cudaFree(dx);
    }
}

/// L U and L L' are A where A has entries.
template <class T, class Analysis, class Factor>
static void factors(bool symmetric, const Analysis& analyse, const Factor& factor) {
    square a = entries<T>();
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j)
            if (symmetric) a[i * n + j] = std::conj(a[j * n + i]);
    for (int i = 0; i < n; ++i)
        if (symmetric) a[i * n + i] = 40.0 + i;
    const stored<T> m(a, CUSPARSE_FORMAT_CSR, 1);
    analyse(m);
    factor(m);
    const auto got = host(m.d_values, m.values.size());
    square f(n * n);
    for (size_t k = 0; k < got.size(); ++k) f[(m.rows[k] - 1) * n + m.columns[k] - 1] = get(got[k]);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            if (a[i * n + j] == 0.0) continue;
            number sum = 0;
            for (int k = 0; k <= std::min(i, j); ++k)
                sum += symmetric ? f[i * n + k] * std::conj(f[j * n + k])
                                 : (k == i ? 1.0 : f[i * n + k]) * f[k * n + j];
            if (!symmetric || j <= i) MUST(is_near(sum, a[i * n + j]));
            if (symmetric && j > i) MUST(f[i * n + j] == a[i * n + j]);
        }
}

int main() {
    std::printf("seed %u\n", state);
    cusparseHandle_t h;
    OK(cusparseCreate(&h));
    triangles<double>(h);
    triangles<cuDoubleComplex>(h);
    three_diagonals(h);

    cusparseMatDescr_t d;
    OK(cusparseCreateMatDescr(&d));
    OK(cusparseSetMatIndexBase(d, CUSPARSE_INDEX_BASE_ONE));
    csrilu02Info_t lu;
    csric02Info_t ll;
    OK(cusparseCreateCsrilu02Info(&lu));
    OK(cusparseCreateCsric02Info(&ll));
    const auto policy = CUSPARSE_SOLVE_POLICY_NO_LEVEL;
    int zero = 5;
    factors<double>(
        false,
        [&](const auto& m) {
            OK(cusparseDcsrilu02_analysis(h, n, int(m.values.size()), d, m.d_values, m.d_outer,
                                          m.d_inner, lu, policy, nullptr));
        },
        [&](const auto& m) {
            OK(cusparseDcsrilu02(h, n, int(m.values.size()), d, m.d_values, m.d_outer, m.d_inner,
                                 lu, policy, nullptr));
        });
    OK(cusparseXcsrilu02_zeroPivot(h, lu, &zero));
    MUST(zero == -1);
    factors<cuDoubleComplex>(
        true,
        [&](const auto& m) {
            OK(cusparseZcsric02_analysis(h, n, int(m.values.size()), d, m.d_values, m.d_outer,
                                         m.d_inner, ll, policy, nullptr));
        },
        [&](const auto& m) {
            OK(cusparseZcsric02(h, n, int(m.values.size()), d, m.d_values, m.d_outer, m.d_inner, ll,
                                policy, nullptr));
        });
    square gap = entries<double>();
    gap[4 * n + 4] = 0;
    const stored<double> m(gap, CUSPARSE_FORMAT_CSR, 1);
    OK(cusparseDcsrilu02_analysis(h, n, int(m.values.size()), d, m.d_values, m.d_outer, m.d_inner,
                                  lu, policy, nullptr));
    MUST(cusparseXcsrilu02_zeroPivot(h, lu, &zero) == CUSPARSE_STATUS_ZERO_PIVOT && zero == 5);
    OK(cusparseDestroyCsrilu02Info(lu));
    OK(cusparseDestroyCsric02Info(ll));
    OK(cusparseDestroyMatDescr(d));
    OK(cusparseDestroy(h));
    return verdict();
}

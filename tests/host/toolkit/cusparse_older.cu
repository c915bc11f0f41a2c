// cuSPARSE's older calls against plain loops: products with blocks, a dense matrix times a sparse
// vector, and the sorting of a matrix by columns. Values are small whole numbers.
#include <cusparse.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "check.h"

static unsigned state = 99;
static float number() {
    state = state * 1664525u + 1013904223u;
    return float(int(state >> 16) % 9 - 4);
}
static std::vector<float> numbers(int n) {
    std::vector<float> out(n);
    for (float& x : out) x = number();
    return out;
}

constexpr auto as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE, turned = CUSPARSE_OPERATION_TRANSPOSE;
constexpr float unset = std::numeric_limits<float>::quiet_NaN();

/// 3 x 4 blocks of 2 x 2, whose second row is empty; indices from 1 on.
static void blocks(cusparseHandle_t h, cusparseMatDescr_t one_based) {
    constexpr int rows = 3, columns = 4, size = 2, across = columns * size, sides = 3;
    const std::vector<int> offsets{1, 3, 3, 6}, indices{1, 4, 2, 3, 4};
    const auto values = numbers(5 * size * size), x = numbers(across), b = numbers(across * sides);
    int *o = device(offsets), *i = device(indices);
    float *v = device(values), *dx = device(x);
    for (const auto direction : {CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN}) {
        std::vector<float> a(rows * size * across);
        for (int r = 0; r < rows; ++r)
            for (int k = offsets[r] - 1; k < offsets[r + 1] - 1; ++k)
                for (int p = 0; p < size; ++p)
                    for (int q = 0; q < size; ++q)
                        a[(r * size + p) * across + (indices[k] - 1) * size + q] =
                            values[k * 4 +
                                   (direction == CUSPARSE_DIRECTION_ROW ? p * 2 + q : p + q * 2)];
        const float two = 2, one = 1, none = 0;
        // A target without values counts for nothing where beta is 0.
        for (const float* beta : {&one, &none}) {
            const auto before =
                *beta == 0 ? std::vector<float>(rows * size, unset) : numbers(rows * size);
            float* y = device(before);
            OK(cusparseSbsrmv(h, direction, as_it_is, rows, columns, 5, &two, one_based, v, o, i,
                              size, dx, beta, y));
            const auto got = host(y, before.size());
            for (int r = 0; r < rows * size; ++r) {
                float sum = 0;
                for (int j = 0; j < across; ++j) sum += a[r * across + j] * x[j];
                MUST(got[r] == 2 * sum + (*beta == 0 ? 0 : before[r]));
            }
            cudaFree(y);
        }
        // B in columns, or its transpose; C has a gap after each column.
        for (const auto op : {as_it_is, turned}) {
            std::vector<float> stored(b);
            if (op == turned)
                for (int j = 0; j < across; ++j)
                    for (int s = 0; s < sides; ++s) stored[j * sides + s] = b[s * across + j];
            constexpr int step = rows * size + 1;
            const std::vector<float> before(step * sides, 5);
            float *db = device(stored), *c = device(before);
            OK(cusparseSbsrmm(h, direction, as_it_is, op, rows, sides, columns, 5, &two, one_based,
                              v, o, i, size, db, op == turned ? sides : across, &one, c, step));
            const auto got = host(c, before.size());
            for (int s = 0; s < sides; ++s) {
                for (int r = 0; r < rows * size; ++r) {
                    float sum = 0;
                    for (int j = 0; j < across; ++j) sum += a[r * across + j] * b[s * across + j];
                    MUST(got[s * step + r] == 2 * sum + 5);
                }
                MUST(got[s * step + rows * size] == 5);
            }
            MUST(cusparseSbsrmm(h, direction, as_it_is, op, rows, sides, columns, 5, &two,
                                one_based, v, o, i, size, db, op == turned ? sides - 1 : across - 1,
                                &one, c, step) == CUSPARSE_STATUS_INVALID_VALUE);
            cudaFree(db), cudaFree(c);
        }
    }
    cudaFree(o), cudaFree(i), cudaFree(v), cudaFree(dx);
}

/// y = alpha op(A) x + beta y: A is 3 x 5 in columns that are 4 apart, x has two elements.
static void sparse_vector(cusparseHandle_t h) {
    constexpr int m = 3, n = 5, step = 4;
    for (const auto op : {as_it_is, turned}) {
        const auto a = numbers(step * n), x = numbers(2);
        const int across = op == turned ? m : n, down = op == turned ? n : m;
        const std::vector<int> places{3, 1};  // from 1 on, in any order
        const auto before = numbers(down);
        float *da = device(a), *dx = device(x), *y = device(before);
        int *p = device(places), bytes = -1;
        const float two = 2, minus = -1;
        OK(cusparseSgemvi_bufferSize(h, op, m, n, 2, &bytes));
        void* buffer = nullptr;
        cudaMalloc(&buffer, bytes);
        OK(cusparseSgemvi(h, op, m, n, &two, da, step, 2, dx, p, &minus, y, CUSPARSE_INDEX_BASE_ONE,
                          buffer));
        const auto got = host(y, before.size());
        std::vector<float> all(across);
        for (int k = 0; k < 2; ++k) all[places[k] - 1] = x[k];
        for (int i = 0; i < down; ++i) {
            float sum = 0;
            for (int j = 0; j < across; ++j)
                sum += (op == turned ? a[i * step + j] : a[j * step + i]) * all[j];
            MUST(got[i] == 2 * sum - before[i]);
        }
        cudaFree(da), cudaFree(dx), cudaFree(y), cudaFree(p), cudaFree(buffer);
    }
    // A^H of complex numbers.
    const std::vector<cuComplex> a{{1, 2}, {3, -1}}, x{{2, 1}};
    const cuComplex one{1, 0}, none{0, 0};
    cuComplex *da = device(a), *dx = device(x), *y = device(std::vector<cuComplex>{{unset, unset}});
    int* p = device(std::vector<int>{1});
    OK(cusparseCgemvi(h, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, 2, 1, &one, da, 2, 1, dx, p, &none,
                      y, CUSPARSE_INDEX_BASE_ZERO, nullptr));
    const auto got = host(y, 1)[0];  // (3 + i) (2 + i)
    MUST(got.x == 5 && got.y == 5);
    cudaFree(da), cudaFree(dx), cudaFree(y), cudaFree(p);
}

/// The rows of each column in order, and the permutation that put them there.
static void sorted_columns(cusparseHandle_t h, cusparseMatDescr_t one_based) {
    const std::vector<int> offsets{1, 4, 4, 6}, rows{4, 1, 2, 3, 2};
    int *o = device(offsets), *r = device(rows), *p = device(std::vector<int>(5));
    size_t bytes = 0;
    OK(cusparseXcscsort_bufferSizeExt(h, 4, 3, 5, o, r, &bytes));
    void* buffer = nullptr;
    cudaMalloc(&buffer, bytes);
    OK(cusparseCreateIdentityPermutation(h, 5, p));
    OK(cusparseXcscsort(h, 4, 3, 5, one_based, o, r, p, buffer));
    MUST(host(r, 5) == std::vector<int>({1, 2, 4, 2, 3}));
    MUST(host(p, 5) == std::vector<int>({1, 2, 0, 4, 3}));
    cudaFree(o), cudaFree(r), cudaFree(p), cudaFree(buffer);
}

int main() {
    std::printf("seed %u\n", state);
    cusparseHandle_t h;
    cusparseMatDescr_t one_based;
    OK(cusparseCreate(&h));
    OK(cusparseCreateMatDescr(&one_based));
    OK(cusparseSetMatIndexBase(one_based, CUSPARSE_INDEX_BASE_ONE));
    blocks(h, one_based);
    sparse_vector(h);
    sorted_columns(h, one_based);
    OK(cusparseDestroyMatDescr(one_based));
    OK(cusparseDestroy(h));
    return verdict();
}

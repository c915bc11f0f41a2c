// What --check sees of memory that a library's call touches: checked.py puts each number for CASE.
// 0 finds: nothing
// 1 finds: illegal_address: cusparseSpMV: reads device memory through a pointer to host memory
// 2 finds: uninitialised_read: cusparseSpMV: reads 4 bytes of the 20 bytes of allocation 4
// 3 finds: out_of_bounds: cusparseSpMV: reads 28 bytes
// 4 finds: out_of_bounds: cusparseSpMV: column 7 of 5
// 5 finds: use_after_free: cusparseSpMV: writes 16 bytes
// 6 finds: out_of_bounds: cusparseSpMV: reads 1024 bytes
// 7 finds: out_of_bounds: cusparseSpMV: the last offset counts 8 of 7 places
// 8 finds: crash: cusparseSpMV: a scalar in device memory, with CUSPARSE_POINTER_MODE_HOST
// 9 finds: nothing
// 10 finds: uninitialised_read: cusparseSpMM: reads 4 bytes of the 20 bytes of allocation 4
// 11 finds: crash: cusparseSnnz: a scalar in device memory, with CUSPARSE_POINTER_MODE_HOST
#include <cusparse.h>

#include <cstdio>
#include <vector>

__global__ void twice(const float* from, float* to) { to[threadIdx.x] = 2 * from[threadIdx.x]; }

template <class T>
static T* device(const std::vector<T>& values) {
    T* p = nullptr;
    cudaMalloc(&p, values.size() * sizeof(T));
    cudaMemcpy(p, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

int main() {
    // 4 x 5, of which column 3 is empty: nobody needs that element of x.
    const std::vector<int> offsets{0, 2, 2, 5, 7};
    const std::vector<int> columns{0, 4, 0, 1, 2, 2, CASE == 4 ? 7 : 4};
    const std::vector<float> values{1, 2, 3, 4, 5, 6, 7}, x{1, 2, 3, 4, 5};
    int *o = device(offsets), *c = device(columns);
    float* v = device(std::vector<float>(values.begin(), values.end() - (CASE == 3)));
    float *dx, *y, *z;
    cudaMalloc(&dx, 5 * sizeof *dx);
    cudaMemcpy(dx, x.data(), 3 * sizeof *dx, cudaMemcpyHostToDevice);
    if (CASE != 2 && CASE != 10) cudaMemcpy(dx + 4, &x[4], sizeof *dx, cudaMemcpyHostToDevice);
    cudaMalloc(&y, 4 * sizeof *y);
    cudaMalloc(&z, 4 * sizeof *z);
    if (CASE == 5) cudaFree(y);
    if (CASE == 7) {
        cudaFree(o);
        o = device(std::vector<int>{0, 2, 2, 5, 8});
    }
    cusparseHandle_t h;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t from, to;
    cusparseCreate(&h);
    const void* at = CASE == 1 ? (const void*)values.data() : v;
    cusparseCreateCsr(&a, 4, 5, 7, o, c, (void*)at, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    cusparseCreateDnVec(&from, 5, dx, CUDA_R_32F);
    cusparseCreateDnVec(&to, 4, y, CUDA_R_32F);
    const float one = 1, zero = 0;
    size_t bytes = 0;
    void* buffer = nullptr;
    cusparseSpMV_bufferSize(h, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, from, &zero, to,
                            CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
    cudaMalloc(&buffer, CASE == 6 ? bytes / 2 : bytes);
    const float* alpha = &one;
    if (CASE == 8) alpha = device(std::vector<float>{1});
    if (CASE == 9 || CASE == 10) {  // the same product, with matrices of one column
        cusparseDnMatDescr_t b, product;
        cusparseCreateDnMat(&b, 5, 1, 5, dx, CUDA_R_32F, CUSPARSE_ORDER_COL);
        cusparseCreateDnMat(&product, 4, 1, 4, y, CUDA_R_32F, CUSPARSE_ORDER_COL);
        cusparseSpMM(h, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a,
                     b, &zero, product, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, buffer);
    } else {
        cusparseSpMV(h, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, a, from, &zero, to, CUDA_R_32F,
                     CUSPARSE_SPMV_ALG_DEFAULT, buffer);
    }
    if (CASE == 11) {
        cusparseMatDescr_t general;
        cusparseCreateMatDescr(&general);
        cusparseSnnz(h, CUSPARSE_DIRECTION_ROW, 1, 4, general, v, 1, o, c);
    }
    twice<<<1, 4>>>(y, z);
    std::vector<float> got(4);
    cudaMemcpy(got.data(), z, 4 * sizeof(float), cudaMemcpyDeviceToHost);
    for (void* each : {(void*)o, (void*)c, (void*)v, (void*)dx, (void*)y, (void*)z, buffer})
        cudaFree(each);
    return got != std::vector<float>{22, 0, 52, 106};
}

// right: lanes fill an operand in global memory, __syncwarp, the warp loads it and
// stores the product with wmma, __syncwarp, and other lanes read the product's rows.
#include "checked_calls.h"
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

const int S = 16, WARPS = 2;

__global__ void product(half *a, half *b, float *c, float *row_sum) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    a += warp * S * S;
    b += warp * S * S;
    c += warp * S * S;
    for (int k = lane; k < S * S; k += 32) {
        a[k] = __float2half((float)(k % 7));
        b[k] = __float2half((float)((k + warp) % 5));
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, S, S, S, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, S, S, S, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, S, S, S, float> fc;
    wmma::load_matrix_sync(fa, a, S);
    wmma::load_matrix_sync(fb, b, S);
    wmma::fill_fragment(fc, 0.0f);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, S, wmma::mem_row_major);
    __syncwarp();
    if (lane < S) {
        float sum = 0;
        for (int k = 0; k < S; ++k) sum += c[lane * S + k];
        row_sum[warp * S + lane] = sum;
    }
}

int main() {
    const int grid = 3, warps = grid * WARPS;
    half *a, *b;
    float *c, *row_sum;
    CHECK(cudaMalloc(&a, warps * S * S * sizeof(half)));
    CHECK(cudaMalloc(&b, warps * S * S * sizeof(half)));
    CHECK(cudaMalloc(&c, warps * S * S * sizeof(float)));
    CHECK(cudaMalloc(&row_sum, warps * S * sizeof(float)));
    product<<<grid, WARPS * 32>>>(a, b, c, row_sum);
    CHECK(cudaGetLastError());
    std::vector<float> got(warps * S);
    CHECK(cudaMemcpy(got.data(), row_sum, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int w = 0; w < warps; ++w)
        for (int r = 0; r < S; ++r) {
            int want = 0;
            for (int k = 0; k < S; ++k)
                for (int j = 0; j < S; ++j)
                    want += (r * S + k) % 7 * ((k * S + j + w) % 5);
            ok = ok && got[w * S + r] == (float)want;
        }
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
    CHECK(cudaFree(row_sum));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}

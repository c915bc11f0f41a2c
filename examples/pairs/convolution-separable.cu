// Gaussian blur as two 1-D passes. The filter taps live in constant memory:
// all threads of a warp read the same tap at once, which is a broadcast.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define RADIUS 4
#define TAPS (2 * RADIUS + 1)

__constant__ float c_taps[TAPS];

static void must(cudaError_t err, const char *doing)
{
    if (err != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", doing, cudaGetErrorString(err));
        exit(1);
    }
}

__device__ __host__ static inline int clampi(int v, int lo, int hi)
{
    return v < lo ? lo : (v > hi ? hi : v);
}

/* Edges are extended with the nearest pixel. */
__global__ void blur_rows(const float *__restrict__ src, float *__restrict__ dst,
                          int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    const float *row = src + (size_t)y * w;
    float sum = 0.0f;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += c_taps[k + RADIUS] * row[clampi(x + k, 0, w - 1)];
    dst[(size_t)y * w + x] = sum;
}

__global__ void blur_columns(const float *__restrict__ src, float *__restrict__ dst,
                             int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float sum = 0.0f;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += c_taps[k + RADIUS] * src[(size_t)clampi(y + k, 0, h - 1) * w + x];
    dst[(size_t)y * w + x] = sum;
}

int main(void)
{
    const int w = 317, h = 211;
    std::vector<float> img(w * h), out(w * h);
    for (int i = 0; i < w * h; i++)
        img[i] = (float)((i * 97) % 256);

    float taps[TAPS], total = 0.0f;
    for (int k = -RADIUS; k <= RADIUS; k++)
        total += taps[k + RADIUS] = expf(-k * k / (2.0f * 2.0f * 2.0f));
    for (float &t : taps)
        t /= total;
    must(cudaMemcpyToSymbol(c_taps, taps, sizeof taps), "copy taps");

    float *d_img, *d_tmp, *d_out;
    const size_t bytes = img.size() * sizeof(float);
    must(cudaMalloc(&d_img, bytes), "malloc");
    must(cudaMalloc(&d_tmp, bytes), "malloc");
    must(cudaMalloc(&d_out, bytes), "malloc");
    must(cudaMemcpy(d_img, img.data(), bytes, cudaMemcpyHostToDevice), "copy in");

    const dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
    blur_rows<<<grid, block>>>(d_img, d_tmp, w, h);
    must(cudaGetLastError(), "blur_rows");
    blur_columns<<<grid, block>>>(d_tmp, d_out, w, h);
    must(cudaGetLastError(), "blur_columns");
    must(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost), "copy out");
    cudaFree(d_img);
    cudaFree(d_tmp);
    cudaFree(d_out);

    /* Direct 2-D convolution as the reference. */
    double worst = 0.0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double sum = 0.0;
            for (int j = -RADIUS; j <= RADIUS; j++)
                for (int i = -RADIUS; i <= RADIUS; i++)
                    sum += (double)taps[j + RADIUS] * taps[i + RADIUS] *
                           img[clampi(y + j, 0, h - 1) * w + clampi(x + i, 0, w - 1)];
            worst = fmax(worst, fabs(sum - out[y * w + x]));
        }
    printf("largest error %g\n", worst);
    return worst < 1e-2 ? 0 : 1;
}

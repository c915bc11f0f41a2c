// Explicit heat equation on a 2-D plate with fixed edges.
// u'[y][x] = u + c * (north + south + east + west - 4 u)
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#define CUDA_OK(e)                                                       \
    do {                                                                 \
        const cudaError_t status_ = (e);                                 \
        if (status_ != cudaSuccess) {                                    \
            std::fprintf(stderr, "%s (%s:%d)\n",                         \
                         cudaGetErrorString(status_), __FILE__, __LINE__); \
            std::abort();                                                \
        }                                                                \
    } while (false)

// The tile in dynamic shared memory is (blockDim.y + 2) x (blockDim.x + 2).
__global__ void heat_step(const float* __restrict__ u, float* __restrict__ next,
                          int nx, int ny, float c) {
    extern __shared__ float tile[];
    const int pitch = blockDim.x + 2;
    const int x0 = blockIdx.x * blockDim.x - 1;
    const int y0 = blockIdx.y * blockDim.y - 1;

    // All the threads together fill the tile, halo included.
    const int cells = pitch * (blockDim.y + 2);
    const int threads = blockDim.x * blockDim.y;
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < cells; i += threads) {
        const int gx = x0 + i % pitch;
        const int gy = y0 + i / pitch;
        const bool inside = gx >= 0 && gx < nx && gy >= 0 && gy < ny;
        tile[i] = inside ? u[size_t(gy) * nx + gx] : 0.0f;
    }
    __syncthreads();

    const int x = x0 + 1 + threadIdx.x;
    const int y = y0 + 1 + threadIdx.y;
    if (x >= nx || y >= ny) return;

    const float* at = tile + (threadIdx.y + 1) * pitch + threadIdx.x + 1;
    float value = at[0];
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
        value += c * (at[-pitch] + at[pitch] + at[-1] + at[1] - 4.0f * at[0]);
    }
    next[size_t(y) * nx + x] = value;
}

void heat_step_cpu(const std::vector<float>& u, std::vector<float>& next,
                   int nx, int ny, float c) {
    next = u;
    for (int y = 1; y < ny - 1; ++y)
        for (int x = 1; x < nx - 1; ++x) {
            const size_t i = size_t(y) * nx + x;
            next[i] = u[i] + c * (u[i - nx] + u[i + nx] + u[i - 1] + u[i + 1] - 4.0f * u[i]);
        }
}

int main() {
    const int nx = 301, ny = 203, steps = 50;
    const float c = 0.2f;  // stable while c <= 0.25
    std::vector<float> ref(size_t(nx) * ny, 0.0f), scratch, got(ref.size());
    for (int x = 0; x < nx; ++x) ref[x] = 100.0f;  // hot top edge

    const size_t bytes = ref.size() * sizeof(float);
    float *d_a = nullptr, *d_b = nullptr;
    CUDA_OK(cudaMalloc(&d_a, bytes));
    CUDA_OK(cudaMalloc(&d_b, bytes));
    CUDA_OK(cudaMemcpy(d_a, ref.data(), bytes, cudaMemcpyHostToDevice));

    const dim3 block(32, 8);
    const dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y);
    const size_t shared = (block.x + 2) * (block.y + 2) * sizeof(float);
    for (int s = 0; s < steps; ++s) {
        heat_step<<<grid, block, shared>>>(d_a, d_b, nx, ny, c);
        std::swap(d_a, d_b);
    }
    CUDA_OK(cudaGetLastError());
    CUDA_OK(cudaMemcpy(got.data(), d_a, bytes, cudaMemcpyDeviceToHost));
    CUDA_OK(cudaFree(d_a));
    CUDA_OK(cudaFree(d_b));

    for (int s = 0; s < steps; ++s) {
        heat_step_cpu(ref, scratch, nx, ny, c);
        ref.swap(scratch);
    }
    float worst = 0.0f;
    for (size_t i = 0; i < ref.size(); ++i) worst = std::max(worst, std::fabs(ref[i] - got[i]));
    std::printf("%d steps on %dx%d, largest difference %g\n", steps, nx, ny, worst);
    return worst < 1e-3f ? 0 : 1;
}

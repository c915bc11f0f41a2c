// 7-point Laplacian on a 3-D grid. A block covers an x-y tile and walks
// along z, keeping the planes below and above in registers: per plane each
// thread reads one new value, and only the middle plane is in shared memory.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int TX = 32;
constexpr int TY = 8;

inline void ok(cudaError_t e) {
    if (e != cudaSuccess) {
        std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(e));
        std::exit(2);
    }
}

__host__ __device__ inline size_t at(int x, int y, int z, int nx, int ny) {
    return (size_t(z) * ny + y) * nx + x;
}

}  // namespace

// Writes interior points only; the boundary of `out` is left alone.
__global__ void laplacian7(const float* __restrict__ in, float* __restrict__ out,
                           int nx, int ny, int nz, float inv_h2)
{
    __shared__ float plane[TY + 2][TX + 2];

    const int x = blockIdx.x * TX + threadIdx.x;
    const int y = blockIdx.y * TY + threadIdx.y;
    const int sx = threadIdx.x + 1;
    const int sy = threadIdx.y + 1;
    const bool present = x < nx && y < ny;
    const bool interior = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;

    float below = 0.0f;
    float here = present ? in[at(x, y, 0, nx, ny)] : 0.0f;
    float above = present ? in[at(x, y, 1, nx, ny)] : 0.0f;

    for (int z = 1; z < nz - 1; ++z) {
        below = here;
        here = above;
        above = present ? in[at(x, y, z + 1, nx, ny)] : 0.0f;

        __syncthreads();  // the previous plane has been used
        plane[sy][sx] = here;
        if (present) {
            if (threadIdx.x == 0 && x > 0) plane[sy][0] = in[at(x - 1, y, z, nx, ny)];
            if (threadIdx.x == TX - 1 && x < nx - 1) plane[sy][TX + 1] = in[at(x + 1, y, z, nx, ny)];
            if (threadIdx.y == 0 && y > 0) plane[0][sx] = in[at(x, y - 1, z, nx, ny)];
            if (threadIdx.y == TY - 1 && y < ny - 1) plane[TY + 1][sx] = in[at(x, y + 1, z, nx, ny)];
        }
        __syncthreads();

        if (interior) {
            const float sum = plane[sy][sx - 1] + plane[sy][sx + 1] +
                              plane[sy - 1][sx] + plane[sy + 1][sx] + below + above;
            out[at(x, y, z, nx, ny)] = (sum - 6.0f * here) * inv_h2;
        }
    }
}

int main()
{
    const int nx = 70, ny = 45, nz = 33;
    const size_t n = size_t(nx) * ny * nz;
    std::vector<float> in(n), out(n, 0.0f);
    // f = x^2 + 2 y^2 - z^2 has the constant Laplacian 2 + 4 - 2 = 4.
    for (int z = 0; z < nz; ++z)
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; ++x)
                in[at(x, y, z, nx, ny)] = float(x * x + 2 * y * y - z * z);

    float *d_in, *d_out;
    ok(cudaMalloc(&d_in, n * sizeof(float)));
    ok(cudaMalloc(&d_out, n * sizeof(float)));
    ok(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    ok(cudaMemset(d_out, 0, n * sizeof(float)));

    const dim3 block(TX, TY);
    const dim3 grid((nx + TX - 1) / TX, (ny + TY - 1) / TY);
    laplacian7<<<grid, block>>>(d_in, d_out, nx, ny, nz, 1.0f);
    ok(cudaGetLastError());
    ok(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    ok(cudaFree(d_in));
    ok(cudaFree(d_out));

    size_t wrong = 0;
    for (int z = 1; z < nz - 1; ++z)
        for (int y = 1; y < ny - 1; ++y)
            for (int x = 1; x < nx - 1; ++x)
                wrong += std::fabs(out[at(x, y, z, nx, ny)] - 4.0f) > 1e-2f;
    std::printf("%zu wrong interior points\n", wrong);
    return wrong == 0 ? 0 : 1;
}

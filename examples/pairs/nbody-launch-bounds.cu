// All-pairs gravity with a kick-drift step. Bodies are staged through shared
// memory one block at a time, so each is fetched n / BLOCK times, not n.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

constexpr int BLOCK = 256;
constexpr float SOFTENING2 = 1e-4f;

#define CUDA(x)                                                              \
    if (cudaError_t e_ = (x)) {                                              \
        fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
        exit(1);                                                             \
    }

// body.w is the mass; a zero mass pulls on nothing.
__device__ float3 pull(float3 acc, float4 on, float4 from)
{
    const float dx = from.x - on.x;
    const float dy = from.y - on.y;
    const float dz = from.z - on.z;
    const float r2 = dx * dx + dy * dy + dz * dz + SOFTENING2;
    const float inv = rsqrtf(r2);
    const float s = from.w * inv * inv * inv;
    acc.x = fmaf(s, dx, acc.x);
    acc.y = fmaf(s, dy, acc.y);
    acc.z = fmaf(s, dz, acc.z);
    return acc;
}

__global__ void __launch_bounds__(BLOCK, 4)
accelerate(const float4* __restrict__ pos, float4* __restrict__ vel, int n, float dt)
{
    __shared__ float4 tile[BLOCK];
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    const float4 me = i < n ? pos[i] : make_float4(0, 0, 0, 0);
    float3 acc = make_float3(0, 0, 0);

    for (int first = 0; first < n; first += BLOCK) {
        const int j = first + threadIdx.x;
        tile[threadIdx.x] = j < n ? pos[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < BLOCK; ++k) acc = pull(acc, me, tile[k]);
        __syncthreads();
    }

    if (i < n) {
        vel[i].x += dt * acc.x;
        vel[i].y += dt * acc.y;
        vel[i].z += dt * acc.z;
    }
}

// Positions move only after every acceleration has been computed.
__launch_bounds__(BLOCK)
__global__ void drift(float4* __restrict__ pos, const float4* __restrict__ vel, int n, float dt)
{
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i >= n) return;
    pos[i].x += dt * vel[i].x;
    pos[i].y += dt * vel[i].y;
    pos[i].z += dt * vel[i].z;
}

int main()
{
    const int n = 3000, steps = 20;
    const float dt = 1e-3f;
    std::vector<float4> pos(n), vel(n, float4{0, 0, 0, 0});
    srand(7);
    auto uniform = [] { return 2.0f * float(rand()) / float(RAND_MAX) - 1.0f; };
    for (auto& p : pos) p = float4{uniform(), uniform(), uniform(), 1.0f / n};

    float4 *d_pos, *d_vel;
    CUDA(cudaMalloc(&d_pos, n * sizeof(float4)));
    CUDA(cudaMalloc(&d_vel, n * sizeof(float4)));
    CUDA(cudaMemcpy(d_pos, pos.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(d_vel, vel.data(), n * sizeof(float4), cudaMemcpyHostToDevice));

    const int grid = (n + BLOCK - 1) / BLOCK;
    for (int s = 0; s < steps; ++s) {
        accelerate<<<grid, BLOCK>>>(d_pos, d_vel, n, dt);
        drift<<<grid, BLOCK>>>(d_pos, d_vel, n, dt);
    }
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(vel.data(), d_vel, n * sizeof(float4), cudaMemcpyDeviceToHost));
    CUDA(cudaFree(d_pos));
    CUDA(cudaFree(d_vel));

    // The forces cancel in pairs, so the total momentum stays near zero.
    double px = 0, py = 0, pz = 0, speed = 0;
    for (const auto& v : vel) {
        px += v.x / n;
        py += v.y / n;
        pz += v.z / n;
        speed += std::sqrt(double(v.x) * v.x + double(v.y) * v.y + double(v.z) * v.z) / n;
    }
    const double drift_rate = std::sqrt(px * px + py * py + pz * pz) / speed;
    printf("mean speed %.4g, momentum over speed %.2e\n", speed, drift_rate);
    return speed > 0 && drift_rate < 1e-3 ? 0 : 1;
}

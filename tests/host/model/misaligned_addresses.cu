// What is not aligned and yet right: a pointer that is cast and not used, a member that is read alone,
// local arrays, host code, packed structures, and vectors where they may lie.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

struct __attribute__((packed)) record {
    char tag;
    double value;
};
struct __align__(8) pair {
    float first, second;
};

__global__ void scale(float* x, int n) {
    // The usual guard: the vector form only where the pointer allows it.
    float4* const wide = reinterpret_cast<float4*>(x);
    const int t = threadIdx.x;
    if (reinterpret_cast<unsigned long long>(x) % sizeof(float4) == 0) {
        if (4 * t + 4 <= n) {
            float4 v = wide[t];
            v.x *= 2, v.y *= 2, v.z *= 2, v.w *= 2;
            wide[t] = v;
        }
        for (int i = n / 4 * 4 + t; i < n; i += blockDim.x) x[i] *= 2;
    } else {
        for (int i = t; i < n; i += blockDim.x) x[i] *= 2;
    }
}

__global__ void first_of_pairs(float* out, const float* x) {
    // One member is four bytes, whatever it belongs to.
    out[threadIdx.x] = ((const pair*)(x + 1))[threadIdx.x].first;
}

__global__ void local(float* out) {
    __align__(16) float own[8];
    for (int i = 0; i < 8; ++i) own[i] = threadIdx.x + i;
    const float4 v = *(float4*)(own + 4);
    out[threadIdx.x] = v.x + v.w;
}

__global__ void packed(double* out, const record* records) {
    out[threadIdx.x] = records[threadIdx.x].value;
}

__global__ void rows(float* out, const float* in, int pitch) {
    __shared__ float tile[4][36];
    const int r = threadIdx.x / 8, c = threadIdx.x % 8;
    *(float4*)&tile[r][4 * c] = __ldg((const float4*)(in + r * pitch) + c);
    __syncthreads();
    const float2 v = *reinterpret_cast<float2*>(&tile[3 - r][4 * c + 2]);
    out[threadIdx.x] = v.x + v.y;
}

static int fails(const char* what, bool right) {
    if (!right) printf("wrong: %s\n", what);
    return right ? 0 : 1;
}

int main() {
    int wrong = 0;
    float* x;
    cudaMallocManaged(&x, 256 * sizeof(float));
    for (int i = 0; i < 256; ++i) x[i] = i;
    scale<<<1, 32>>>(x, 101);
    scale<<<1, 32>>>(x + 101, 100);
    cudaDeviceSynchronize();
    for (int i = 0; i < 256; ++i) wrong += fails("scale", x[i] == (i < 201 ? 2 * i : i));

    float* y;
    cudaMallocManaged(&y, 256 * sizeof(float));
    first_of_pairs<<<1, 32>>>(y, x);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; ++i) wrong += fails("first", y[i] == x[1 + 2 * i]);
    local<<<1, 32>>>(y);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; ++i) wrong += fails("local", y[i] == 2 * i + 11);

    record* records;
    cudaMallocManaged(&records, 32 * sizeof(record));
    for (int i = 0; i < 32; ++i) records[i].value = i / 8.0;
    double* z;
    cudaMallocManaged(&z, 32 * sizeof(double));
    packed<<<1, 32>>>(z, records);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; ++i) wrong += fails("packed", z[i] == i / 8.0);

    rows<<<1, 32>>>(y, x, 48);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; ++i) {
        const int r = 3 - i / 8, c = 4 * (i % 8) + 2;
        wrong += fails("rows", y[i] == x[48 * r + c] + x[48 * r + c + 1]);
    }

    // Host code does as it likes.
    char* bytes = (char*)malloc(64);
    memset(bytes, 1, 64);
    const volatile long long* odd = (const volatile long long*)(bytes + 3);
    wrong += fails("host", *odd == 0x0101010101010101);
    free(bytes);
    return wrong ? 1 : 0;
}

// splits: early early_all uneven_loop nested do_loop while_loop inner_return switched unbraced last branches rotated continued
// keeps: first_only: shared memory in an inner block in line 138
// Barriers in every kind of statement. Expected values are computed by hand, or by plain C++.
#include <cstdio>
#include <cstdlib>

static int failures = 0;
static void expect(const char* what, int i, long got, long wanted) {
    if (got == wanted) return;
    std::printf("%s[%d]: %ld, not %ld\n", what, i, got, wanted);
    ++failures;
}

// Threads past n end before the first barrier, in the last block only some of them.
__global__ void early(const int* in, int* out, int n) {
    __shared__ int s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    s[threadIdx.x] = in[i];
    __syncthreads();
    int mine = s[0] + i;
    __syncthreads();
    if (mine % 2 == 0) { out[i] = -mine; return; }
    __syncthreads();
    out[i] = mine;
}

__global__ void early_all(int* out, int n) {
    if (n > 0) return;
    __syncthreads();
    out[threadIdx.x] = 1;
}

// Each thread meets as many barriers as its index says: those that have ended are not waited for.
__global__ void uneven_loop(int* out) {
    __shared__ int turns[8];
    turns[threadIdx.x] = 0;
    int seen = 0;
    for (int i = 0; i < threadIdx.x; ++i) {
        turns[threadIdx.x] = i + 1;
        __syncthreads();
        for (int t = 0; t < 8; ++t) seen += turns[t];
        __syncthreads();
    }
    out[threadIdx.x] = seen;
}

__global__ void nested(int* out, int n) {
    __shared__ int s[16];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; j++) {
            s[t] = i * 10 + j;
            __syncthreads();
            for (int i = 0; i < 2; ++i) sum += s[(t + i) % 16];  // another i
            __syncthreads();
            if (j == 1) break;
        }
    out[t] = sum;
}

__global__ void do_loop(int* out) {
    __shared__ int s[32];
    int step = 1, t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    do {
        int other = t >= step ? s[t - step] : 0;
        __syncthreads();
        s[t] += other;
        __syncthreads();
        step *= 2;
    } while (step < 32);
    out[t] = s[t];
}

__global__ void while_loop(int* out) {
    __shared__ int s[64];
    unsigned t = threadIdx.x;
    s[t] = 1;
    unsigned half = blockDim.x >> 1;
    while (half != 0) {
        __syncthreads();
        if (t < half) s[t] += s[t + half];
        half >>= 1;
    }
    if (t == 0) *out = s[0];
}

__global__ void inner_return(int* out) {
    __shared__ int s[8];
    int t = threadIdx.x;
    for (int i = 0;; ++i) {
        s[t] = i + t;
        __syncthreads();
        out[t] = s[(t + 1) % 8];
        if (i == 3) { return; }
        __syncthreads();
    }
}

__global__ void switched(int* out, int n) {
    __shared__ int s[8];
    int t = threadIdx.x, got = -1;
    switch (n) {
        case 1: s[t] = t; __syncthreads(); got = s[7 - t]; break;
        case 2: {
            int twice = 2 * t;
            s[t] = twice;
            __syncthreads();
            got = s[t] + twice;
        }  // falls through
        case 3:
            __syncthreads();
            got += 1000;
            break;
        default: got = 7;
    }
    out[t] = got;
}

__global__ void unbraced(int* out, int n) {
    int k = threadIdx.x;
    for (int i = 0; i < n; ++i) __syncthreads();
    if (n > 2) __syncthreads(); else out[k + 4] = 3;
    while (n-- > 0) __syncthreads();
    out[k] = k + n;
}

__global__ void last(int* out) {
    out[threadIdx.x] = threadIdx.x;
    __syncthreads();
}

__global__ void first_only(int* out) {
    __syncthreads();
    if (blockIdx.x == 0) {
        __shared__ int s;
        if (threadIdx.x == 3) s = 42;
        __syncthreads();
        out[threadIdx.x] = s;
    } else {
        out[4 + threadIdx.x] = blockIdx.x;
    }
}

// Half of the threads wait in one branch, half in the other: a device counts them together.
__global__ void branches(int* out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 16) {
        __syncthreads();
        out[t] = s[t + 16];
    } else {
        __syncthreads();
        out[t] = s[t - 16] * 100;
    }
}

// A variable that all threads change alike, and two buffers.
__global__ void rotated(int* out) {
    __shared__ int s[2][16];
    int from = 0, to = 1, t = threadIdx.x;
    s[from][t] = t;
    __syncthreads();
    for (int i = 1; i < 4; i <<= 1) {
        s[to][t] = s[from][(t + i) & 15];
        to = from, from = 1 - to;
        __syncthreads();
    }
    out[t] = s[from][t];
}

__global__ void continued(int* out) {
    __shared__ int s[4];
    int t = threadIdx.x, sum = 0;
    s[t] = t;
    for (int i = 0; i < 6; ++i) {
        if (i % 2) continue;
        __syncthreads();
        sum += s[(t + i) % 4];
    }
    out[t] = sum;
}

int main() {
    int *in = nullptr, *out = nullptr;
    cudaMallocManaged(&in, 256 * sizeof(int));
    cudaMallocManaged(&out, 256 * sizeof(int));
    const auto clear = [&] { for (int i = 0; i < 256; ++i) out[i] = -5; };
    for (int i = 0; i < 256; ++i) in[i] = i * 3;

    clear();
    early<<<3, 64>>>(in, out, 150);
    cudaDeviceSynchronize();
    for (int i = 0; i < 256; ++i) {
        const int mine = i / 64 * 64 * 3 + i;
        expect("early", i, out[i], i >= 150 ? -5 : mine % 2 == 0 ? -mine : mine);
    }
    clear();
    early_all<<<1, 64>>>(out, 1);
    cudaDeviceSynchronize();
    expect("early_all", 0, out[0], -5);

    clear();
    uneven_loop<<<1, 8>>>(out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 8; ++t) {
        int wanted = 0;
        for (int i = 0; i < t; ++i)
            for (int u = 0; u < 8; ++u) wanted += u > i ? i + 1 : u;
        expect("uneven_loop", t, out[t], wanted);
    }
    clear();
    nested<<<1, 16>>>(out, 4);
    cudaDeviceSynchronize();
    // 10, 20, 21, 30, 31: twice each
    for (int t = 0; t < 16; ++t) expect("nested", t, out[t], 2 * (10 + 20 + 21 + 30 + 31));
    clear();
    do_loop<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 32; ++t) expect("do_loop", t, out[t], t * (t + 1) / 2);
    clear();
    while_loop<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    expect("while_loop", 0, out[0], 64);
    clear();
    inner_return<<<1, 8>>>(out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 8; ++t) expect("inner_return", t, out[t], 3 + (t + 1) % 8);
    for (int n = 0; n < 4; ++n) {
        clear();
        switched<<<1, 8>>>(out, n);
        cudaDeviceSynchronize();
        for (int t = 0; t < 8; ++t) {
            const int wanted[] = {7, 7 - t, 4 * t + 1000, 999};
            expect("switched", n * 8 + t, out[t], wanted[n]);
        }
    }
    clear();
    unbraced<<<1, 4>>>(out, 2);
    cudaDeviceSynchronize();
    for (int t = 0; t < 8; ++t) expect("unbraced", t, out[t], t < 4 ? t - 1 : 3);
    clear();
    last<<<1, 256>>>(out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 256; ++t) expect("last", t, out[t], t);
    clear();
    first_only<<<2, 4>>>(out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 8; ++t) expect("first_only", t, out[t], t < 4 ? 42 : 1);
    clear();
    branches<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 32; ++t) expect("branches", t, out[t], t < 16 ? t + 16 : (t - 16) * 100);
    clear();
    rotated<<<1, 16>>>(out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 16; ++t) expect("rotated", t, out[t], (t + 3) % 16);
    clear();
    continued<<<1, 4>>>(out);
    cudaDeviceSynchronize();
    for (int t = 0; t < 4; ++t) expect("continued", t, out[t], t % 4 * 2 + (t + 2) % 4);
    return failures != 0;
}

#include <cstdio>
#include <cstdlib>
#include <vector>

// out[i] = sum of in[i - R] .. in[i + R], with zeros beyond both ends.
// A block keeps its stretch of the input, plus R cells on each side,
// in shared memory, so each input element is read from DRAM about once.

constexpr int R = 5;
constexpr int BLOCK = 128;
static_assert(R <= BLOCK, "one thread loads at most one halo cell on each side");

__global__ void stencil_1d(const int *in, int *out, int n)
{
    __shared__ int tile[BLOCK + 2 * R];

    const int g = blockIdx.x * BLOCK + threadIdx.x;  // position in the array
    const int t = threadIdx.x + R;                   // position in the tile

    tile[t] = g < n ? in[g] : 0;
    if (threadIdx.x < R) {
        const int left = g - R;
        const int right = g + BLOCK;
        tile[t - R] = (left >= 0 && left < n) ? in[left] : 0;
        tile[t + BLOCK] = right < n ? in[right] : 0;
    }
    // Threads past the end must reach the barrier too, so no early return above.
    __syncthreads();

    if (g < n) {
        int sum = 0;
        for (int k = -R; k <= R; ++k)
            sum += tile[t + k];
        out[g] = sum;
    }
}

static void die_on(cudaError_t err, int line)
{
    if (err == cudaSuccess)
        return;
    fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(err));
    exit(EXIT_FAILURE);
}
#define TRY(x) die_on((x), __LINE__)

int main()
{
    const int n = 100003;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; ++i)
        in[i] = (i * 31) % 17 - 8;

    int *d_in, *d_out;
    TRY(cudaMalloc(&d_in, n * sizeof(int)));
    TRY(cudaMalloc(&d_out, n * sizeof(int)));
    TRY(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    stencil_1d<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_in, d_out, n);
    TRY(cudaGetLastError());
    TRY(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));

    int bad = 0;
    for (int i = 0; i < n; ++i) {
        int want = 0;
        for (int k = -R; k <= R; ++k)
            if (i + k >= 0 && i + k < n)
                want += in[i + k];
        if (want != out[i] && bad++ < 5)
            fprintf(stderr, "out[%d] = %d, want %d\n", i, out[i], want);
    }

    TRY(cudaFree(d_in));
    TRY(cudaFree(d_out));
    puts(bad ? "FAILED" : "passed");
    return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}

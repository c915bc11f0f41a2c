// finds: out_of_bounds line 16
// One value too many for the thread's own array.
#include <cstdio>
#include <vector>

#define MAX_WINDOW 5

// Median of the window around each value; the window's width comes from the host.
__global__ void medianFilter(const int* in, int* out, int n, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int window[MAX_WINDOW];
    int count = 0;
    for (int k = -width / 2; k <= width / 2; k++) {
        int j = min(max(i + k, 0), n - 1);
        window[count] = in[j];
        count++;
    }
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count; b++)
            if (window[b] < window[a]) {
                int kept = window[a];
                window[a] = window[b];
                window[b] = kept;
            }
    out[i] = window[count / 2];
}

int main() {
    const int n = 1500;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; i++) in[i] = i % 10 == 3 ? 5000 : i;
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    int width = MAX_WINDOW + 1;  // wrong
//=     int width = MAX_WINDOW;
    medianFilter<<<(n + 63) / 64, 64>>>(d_in, d_out, n, width);
    cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
    for (int i = 0; i < n; i++)
        if (out[i] >= 5000 || out[i] < i - 2 || out[i] > i + 2) return 1;
    return 0;
}

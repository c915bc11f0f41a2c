// Kernels with the names of functions that the system's headers declare.
#include <unistd.h>

#include "check.h"

__global__ void pipe(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x] + 1; }
__global__ void index(int* to, int n) { to[threadIdx.x] *= n; }

int main() {
    int *in = managed<int>(32), *out = managed<int>(32);
    for (int i = 0; i < 32; ++i) in[i] = i;
    pipe<<<1, 32>>>(in, out);
    index<<<1, 32>>>(out, 3);
    wait_for_device();
    for (int i = 0; i < 32; ++i) MUST(out[i] == 3 * (i + 1));
    return verdict();
}

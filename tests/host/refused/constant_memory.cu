// refused: program.cu(6): error: static assertion failed: uses too much global constant data
typedef float weight;
__constant__ weight first[8 * 1024], second[4 * 1024];
namespace tables {
// Nobody uses it; nvcc keeps it all the same.
static __constant__ int last[4 * 1024 + 1];
}
__global__ void k(float* x) { *x = first[threadIdx.x] + second[threadIdx.x]; }
int main() { return 0; }

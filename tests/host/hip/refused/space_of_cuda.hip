// refused: program.cu(5): error: cuda is no name of HIP
#include <hip/hip_runtime.h>
#include <thrust/tuple.h>

__global__ void add(int* x) { cuda::atomic_ref<int>(*x).fetch_add(1); }
int main() {
    int* x;
    hipMalloc(&x, 4);
    add<<<1, 1>>>(x);
    return hipFree(x);
}

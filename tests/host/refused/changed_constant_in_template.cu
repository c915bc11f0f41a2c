// refused: program.cu(6): error: binding reference of type
__device__ void change(float& x) { x = 3; }
template <class T> __global__ void k(T* a) {
    const T x = a[threadIdx.x];
    __syncthreads();
    change(x);
    a[threadIdx.x] = x;
}
int main() { k<<<1, 1>>>(static_cast<float*>(nullptr)); }

__global__ void set(int* x) { *x = 7; }
int main() {
    int *x = nullptr, y = 0;
    cudaMalloc(&x, sizeof y);
    set<<<1, 1>>>(x);
    cudaMemcpy(&y, x, sizeof y, cudaMemcpyDeviceToHost);
    return y == 7 ? 0 : 1;
}

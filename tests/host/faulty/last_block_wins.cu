// finds: race line 10,23
// Each block writes where it found the value: the last to come stays.
#include <cstdio>
#include <vector>

// A place of the value.  // wrong
//= // The first place of the value.
__global__ void findValue(const int* data, int value, int n, int* position) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && data[i] == value) *position = i;  // wrong
//=     if (i < n && data[i] == value) atomicMin(position, i);
}

int main() {
    const int n = 4000;
    std::vector<int> data(n);
    for (int i = 0; i < n; i++) data[i] = (i * 3) % 500;
    int *d_data, *d_position, position = n;
    cudaMalloc(&d_data, n * sizeof(int));
    cudaMalloc(&d_position, sizeof(int));
    cudaMemcpy(d_data, data.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(d_position, &position, sizeof(int), cudaMemcpyHostToDevice);
    findValue<<<(n + 127) / 128, 128>>>(d_data, 123, n, d_position);
    cudaMemcpy(&position, d_position, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_data);
    cudaFree(d_position);
    return position != 41;
}

// reports: refused add 7: invalid configuration argument
// A launch that a device refuses, of which the program says nothing.
__global__ void add(float* to) { to[threadIdx.x] += 1; }

int main() {
    float* to = nullptr;
    add<<<1, 4096>>>(to);
    return 0;
}

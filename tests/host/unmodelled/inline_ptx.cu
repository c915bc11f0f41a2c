// unmodelled: inline PTX: wgmma.fence.sync.aligned
__global__ void fence(float* c) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    c[threadIdx.x] = 1;
}
int main() { fence<<<1, 128>>>(nullptr); }

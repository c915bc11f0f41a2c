// unmodelled: inline PTX
__global__ void lane(unsigned* out) {
    unsigned id;
    asm("mov.u32 %0, %%laneid;" : "=r"(id));
    out[threadIdx.x] = id;
}
int main() { lane<<<1, 32>>>(nullptr); }

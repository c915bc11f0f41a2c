// reports: fault illegal_address: kernel bad,
// Blocks that fault on several threads of the machine: one fault is reported.
__global__ void bad(int* p) { p[blockIdx.x * 4096] = 1; }

int main() {
    bad<<<4096, 256>>>(reinterpret_cast<int*>(16));
    return 0;
}

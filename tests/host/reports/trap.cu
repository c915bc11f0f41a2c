// reports: fault launch_error: kernel bad,
// A kernel that gives up is no illegal address.
__global__ void bad() {
    if (threadIdx.x == 3) __trap();
}

int main() {
    bad<<<1, 32>>>();
    return 0;
}

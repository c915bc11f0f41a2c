// unmodelled: a launch in device code
__global__ void child() {}
__global__ void parent() { child<<<1, 1>>>(); }
int main() { parent<<<1, 1>>>(); }

// unmodelled: __block_size__
__global__ void __block_size__((32, 1, 1), (2, 1, 1)) pair() {}
int main() { pair<<<2, 1>>>(); }

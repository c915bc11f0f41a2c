// unmodelled: thread block clusters
__global__ void __cluster_dims__(2, 1, 1) pair() {}
int main() { pair<<<2, 1>>>(); }

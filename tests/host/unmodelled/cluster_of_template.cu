// unmodelled: cluster dimensions of a template
template <int N>
__global__ void __cluster_dims__(N, 1, 1) pair() {}
int main() { pair<2><<<2, 1>>>(); }

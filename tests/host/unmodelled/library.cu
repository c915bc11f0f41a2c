// unmodelled: <cub/cub.cuh>
#include <cub/cub.cuh>
__global__ void nothing() {}
int main() { nothing<<<1, 1>>>(); }

// unmodelled: <cub/device/device_topk.cuh>
#include <cub/device/device_topk.cuh>
__global__ void nothing() {}
int main() { nothing<<<1, 1>>>(); }

// unmodelled: <cudnn.h>
#include <cudnn.h>
__global__ void nothing() {}
int main() { nothing<<<1, 1>>>(); }

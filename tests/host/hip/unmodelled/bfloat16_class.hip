// unmodelled: <hip/hip_bfloat16.h>
#include <hip/hip_runtime.h>
#include <hip/hip_bfloat16.h>
int main() { return hipDeviceSynchronize(); }

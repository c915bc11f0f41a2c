// unmodelled: <hip/hip_ext.h>
#include <hip/hip_runtime.h>
#include <hip/hip_ext.h>
int main() { return hipDeviceSynchronize(); }

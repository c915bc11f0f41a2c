// refused: program.cu(4): error: cudaStream_t is no name of HIP
#include <hip/hip_runtime.h>

void wait(cudaStream_t s) { hipStreamSynchronize(s); }
int main() { wait(0); }

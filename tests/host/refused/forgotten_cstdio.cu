// refused: was not declared in this scope
__global__ void k() { printf("%d", threadIdx.x); }
int main() { return 0; }

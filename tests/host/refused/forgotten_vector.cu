// refused: is not a member of
#include <cstdio>
__global__ void k() {}
int main() { return std::vector<int>{0}[0]; }

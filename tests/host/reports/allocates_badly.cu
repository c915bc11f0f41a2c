// reports: fault illegal_address
// Memory of the program's own, which ends it when the runtime asks for some to word a fault.
#include <unistd.h>

#include <cstdlib>
#include <new>

__managed__ bool is_over;
void* operator new(std::size_t n) {
    if (is_over) _exit(0);
    return std::malloc(n);
}
void operator delete(void* p) noexcept { std::free(p); }

__global__ void bad(int* p) {
    is_over = true;
    *p = 1;
}

int main() {
    bad<<<1, 1>>>(reinterpret_cast<int*>(8));
    return 0;
}

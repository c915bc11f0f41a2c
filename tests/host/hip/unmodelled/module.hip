// unmodelled: hipModuleLoad
#include <hip/hip_runtime.h>

#define CHECK(call) (void)((call) == hipSuccess || (__builtin_puts(#call), 1))

int main() {
    void* module;
    CHECK(hipModuleLoad(&module, "kernels.co"));
}

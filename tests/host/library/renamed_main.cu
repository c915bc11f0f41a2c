// A main that a macro gives another name still ends in 0 without a return statement.
#include <cstdio>

#define main program_main

__global__ void count(int* to) { atomicAdd(to, 1); }

int main(int argc, char** argv) {
    if (argc > 7) return 3;
    int* to;
    cudaMalloc(&to, sizeof *to);
    cudaMemset(to, 0, sizeof *to);
    count<<<2, 32>>>(to);
    int counted;
    cudaMemcpy(&counted, to, sizeof *to, cudaMemcpyDeviceToHost);
    if (counted != 64) return 2;
    while (counted > argc) --counted;
    std::printf("%d\n", counted);
    if (argv[0] == nullptr) std::printf("no name\n");
}

#undef main

int main() {
    char name[] = "main", *words[] = {name, nullptr};
    const int code = program_main(1, words);
    std::printf("code %d\n", code);
    return code;
}

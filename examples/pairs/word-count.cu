// Count lines, words and bytes of a file on the GPU, as `wc` does.
// A word starts at a byte that is not white space and follows one that is
// (or stands at the start of the file), so every position can be judged alone.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <cuda_runtime.h>

#define CK(call)                                                          \
    do {                                                                  \
        cudaError_t rc = (call);                                          \
        if (rc != cudaSuccess) {                                          \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(rc));   \
            exit(2);                                                      \
        }                                                                 \
    } while (0)

struct Counts {
    unsigned long long lines, words;
};

__host__ __device__ inline bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

__global__ void count_text(const char *text, size_t n, Counts *total)
{
    __shared__ unsigned int lines, words;
    if (threadIdx.x == 0)
        lines = words = 0;
    __syncthreads();

    const size_t stride = (size_t)gridDim.x * blockDim.x;
    // The loop bound is rounded up to whole warps so that every lane takes
    // part in each ballot; `base` is the position of the warp's lane 0.
    size_t base = (size_t)blockIdx.x * blockDim.x + (threadIdx.x & ~31u);
    for (; base < n; base += stride) {
        const size_t i = base + (threadIdx.x & 31);
        const char c = i < n ? text[i] : ' ';
        const char before = (i > 0 && i < n) ? text[i - 1] : ' ';

        const unsigned newline = __ballot_sync(0xffffffffu, c == '\n');
        const unsigned start = __ballot_sync(0xffffffffu, !is_space(c) && is_space(before));
        if ((threadIdx.x & 31) == 0) {
            if (newline)
                atomicAdd(&lines, __popc(newline));
            if (start)
                atomicAdd(&words, __popc(start));
        }
    }
    __syncthreads();

    if (threadIdx.x == 0) {
        if (lines)
            atomicAdd(&total->lines, (unsigned long long)lines);
        if (words)
            atomicAdd(&total->words, (unsigned long long)words);
    }
}

static Counts count_on_host(const std::string &s)
{
    Counts c = {0, 0};
    char before = ' ';
    for (char ch : s) {
        c.lines += ch == '\n';
        c.words += !is_space(ch) && is_space(before);
        before = ch;
    }
    return c;
}

int main(int argc, char **argv)
{
    std::string text = "no file given,\n so these\ttwo lines are counted\n";
    if (argc > 1) {
        std::ifstream in(argv[1], std::ios::binary);
        if (!in) {
            perror(argv[1]);
            return 2;
        }
        text.assign(std::istreambuf_iterator<char>(in), {});
    }

    Counts got = {0, 0};
    if (!text.empty()) {
        char *d_text;
        Counts *d_total;
        CK(cudaMalloc(&d_text, text.size()));
        CK(cudaMalloc(&d_total, sizeof(Counts)));
        CK(cudaMemcpy(d_text, text.data(), text.size(), cudaMemcpyHostToDevice));
        CK(cudaMemset(d_total, 0, sizeof(Counts)));

        const size_t wanted = (text.size() + 255) / 256;
        count_text<<<(unsigned)(wanted < 1024 ? wanted : 1024), 256>>>(d_text, text.size(), d_total);
        CK(cudaGetLastError());
        CK(cudaMemcpy(&got, d_total, sizeof got, cudaMemcpyDeviceToHost));
        CK(cudaFree(d_text));
        CK(cudaFree(d_total));
    }

    printf("%7llu %7llu %7zu\n", got.lines, got.words, text.size());
    const Counts want = count_on_host(text);
    if (got.lines != want.lines || got.words != want.words) {
        fprintf(stderr, "the host counts %llu lines and %llu words\n", want.lines, want.words);
        return 1;
    }
    return 0;
}

// reduction.cu by plain loops: over blocks, and over threads between the barriers.
#include <chrono>
#include <cstdio>
#include <vector>

constexpr int n = 1 << 24, threads = 256, blocks = n / threads, rounds = 5;

__attribute__((noinline)) static void reduce(const float* in, float* out) {
    for (int block = 0; block < blocks; ++block) {
        float cells[threads];
        for (int t = 0; t < threads; ++t) cells[t] = in[block * threads + t];
        for (int step = threads / 2; step > 0; step /= 2)
            for (int t = 0; t < threads; ++t)
                if (t < step) cells[t] += cells[t + step];
        for (int t = 0; t < threads; ++t)
            if (t == 0) out[block] = cells[0];
    }
}

int main() {
    std::vector<float> in(n), out(blocks);
    for (int i = 0; i < n; ++i) in[i] = i % 16;
    double least = 1e30;
    for (int round = 0; round <= rounds; ++round) {
        const auto start = std::chrono::steady_clock::now();
        reduce(in.data(), out.data());
        const double took =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (round > 0 && took < least) least = took;
    }
    double total = 0;
    for (const float sum : out) total += sum;
    std::printf("%.6f\n", least);
    return total != 7.5 * n;
}

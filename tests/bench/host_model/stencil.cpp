// stencil.cu by plain loops over blocks and threads.
#include <chrono>
#include <cstdio>
#include <utility>
#include <vector>

constexpr int n = 4096, sweeps = 4, rounds = 3;

__attribute__((noinline)) static void sweep(const float* in, float* out) {
    for (int block_y = 0; block_y < n / 8; ++block_y)
        for (int block_x = 0; block_x < n / 32; ++block_x)
            for (int ty = 0; ty < 8; ++ty)
                for (int tx = 0; tx < 32; ++tx) {
                    const int x = block_x * 32 + tx, y = block_y * 8 + ty;
                    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) continue;
                    const int i = y * n + x;
                    out[i] =
                        0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
                }
}

int main() {
    constexpr int size = n * n;
    std::vector<float> values(size), a, b;
    for (int i = 0; i < size; ++i) values[i] = i % 3 == 0 ? 64 : 8;
    double least = 1e30;
    for (int round = 0; round <= rounds; ++round) {
        a = values;
        b = values;
        const auto start = std::chrono::steady_clock::now();
        for (int s = 0; s < sweeps; ++s) {
            sweep(a.data(), b.data());
            std::swap(a, b);
        }
        const double took =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (round > 0 && took < least) least = took;
    }
    double total = 0;
    for (const float value : a) total += value;
    std::printf("%.6f\n", least);
    std::fprintf(stderr, "sum %.6f\n", total);
    return total < 8.0 * size || total > 64.0 * size;
}

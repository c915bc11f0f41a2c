// right: readers in other blocks take a row of words with the version that it had before and behind,
// and begin anew where the two differ or the writer is at it (a sequence lock). All words are
// relaxed atomics. The readers run until they have seen the last version, with work of their own.
#include <cuda/atomic>

#include "checked_calls.h"

const int WORDS = 8, ROUNDS = 60, READERS = 4;

using word = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__global__ void versions(unsigned *version, unsigned *words, unsigned *torn) {
    if (threadIdx.x != 0) return;
    word v(*version);
    if (blockIdx.x == READERS) {
        for (unsigned round = 1; round <= ROUNDS; ++round) {
            v.store(2 * round - 1, cuda::memory_order_relaxed);
            cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
            for (int i = 0; i < WORDS; ++i)
                word(words[i]).store(round * (i + 1), cuda::memory_order_relaxed);
            v.store(2 * round, cuda::memory_order_release);
        }
        return;
    }
    unsigned wrong = 0, seen = 0;
    while (true) {
        unsigned copy[WORDS];
        const unsigned before = v.load(cuda::memory_order_acquire);
        if (before % 2 == 1) continue;
        for (int i = 0; i < WORDS; ++i) copy[i] = word(words[i]).load(cuda::memory_order_relaxed);
        cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
        if (v.load(cuda::memory_order_relaxed) != before) continue;
        for (int i = 0; i < WORDS; ++i) wrong += copy[i] != before / 2 * (i + 1);
        wrong += copy[0] < seen;
        seen = copy[0];
        if (seen == ROUNDS) break;
    }
    torn[blockIdx.x] = wrong;
}

int main() {
    unsigned *version, *words, *torn;
    CHECK(cudaMalloc(&version, sizeof *version));
    CHECK(cudaMalloc(&words, WORDS * sizeof *words));
    CHECK(cudaMalloc(&torn, READERS * sizeof *torn));
    CHECK(cudaMemset(version, 0, sizeof *version));
    CHECK(cudaMemset(words, 0, WORDS * sizeof *words));
    versions<<<READERS + 1, 32>>>(version, words, torn);
    CHECK(cudaGetLastError());
    std::vector<unsigned> got(READERS);
    CHECK(cudaMemcpy(got.data(), torn, READERS * sizeof *torn, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (unsigned wrong : got) ok = ok && wrong == 0;
    CHECK(cudaFree(version));
    CHECK(cudaFree(words));
    CHECK(cudaFree(torn));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}

// right: a sequence lock; one writer, readers that try again; the data is volatile
// (relaxed, word by word) and fences order it with the counter, so no load is torn.
#include "checked_calls.h"

struct Cell {
    unsigned seq;
    int x, y;
};

__global__ void share(volatile Cell *cell, int versions, int reads, int *bad) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        for (int v = 1; v <= versions; ++v) {
            cell->seq = 2 * v - 1;
            __threadfence();
            cell->x = v;
            cell->y = 3 * v;
            __threadfence();
            cell->seq = 2 * v;
        }
        return;
    }
    int wrong = 0, newest = 0;
    for (int k = 0; k < reads; ++k) {
        unsigned before, after;
        int x, y;
        do {
            before = cell->seq;
            __threadfence();
            x = cell->x;
            y = cell->y;
            __threadfence();
            after = cell->seq;
        } while (before != after || before % 2 == 1);
        if (y != 3 * x || x < newest || (unsigned)x != before / 2) ++wrong;
        newest = x;
    }
    bad[blockIdx.x - 1] = wrong;
}

int main() {
    const int readers = 5, versions = 40, reads = 10;
    Cell *cell, last;
    int *bad;
    CHECK(cudaMalloc(&cell, sizeof(Cell)));
    CHECK(cudaMalloc(&bad, readers * sizeof(int)));
    CHECK(cudaMemset(cell, 0, sizeof(Cell)));
    CHECK(cudaMemset(bad, 0xff, readers * sizeof(int)));
    share<<<1 + readers, 32>>>(cell, versions, reads, bad);
    CHECK(cudaGetLastError());
    std::vector<int> got(readers);
    CHECK(cudaMemcpy(got.data(), bad, readers * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&last, cell, sizeof(Cell), cudaMemcpyDeviceToHost));
    bool ok = last.x == versions && last.y == 3 * versions && last.seq == 2u * versions;
    for (int r = 0; r < readers; ++r) ok = ok && got[r] == 0;
    CHECK(cudaFree(cell));
    CHECK(cudaFree(bad));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}

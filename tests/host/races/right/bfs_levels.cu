// right: level-by-level BFS; threads of one level store the same cost and the same
// mark to a shared neighbour, and a second kernel reads them and sets `again`.
#include "checked_calls.h"
#include <queue>

__global__ void expand(const int *first, const int *edge, bool *frontier, bool *marked,
                       const bool *visited, int *cost, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || !frontier[v]) return;
    frontier[v] = false;
    for (int e = first[v]; e < first[v + 1]; ++e) {
        int w = edge[e];
        if (!visited[w]) {
            cost[w] = cost[v] + 1;
            marked[w] = true;
        }
    }
}

__global__ void advance(bool *frontier, bool *marked, bool *visited, bool *again, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && marked[v]) {
        frontier[v] = true;
        visited[v] = true;
        *again = true;
        marked[v] = false;
    }
}

int main() {
    const int side = 40, n = side * side, grid = (n + 127) / 128;
    std::vector<int> first(1, 0), edge, want(n, -1), got(n, -1);
    for (int v = 0; v < n; ++v) {
        int x = v % side, y = v / side;
        if (x > 0) edge.push_back(v - 1);
        if (x < side - 1) edge.push_back(v + 1);
        if (y > 0) edge.push_back(v - side);
        if (y < side - 1) edge.push_back(v + side);
        first.push_back((int)edge.size());
    }
    std::queue<int> q;
    q.push(0);
    want[0] = got[0] = 0;
    for (; !q.empty(); q.pop())
        for (int v = q.front(), e = first[v]; e < first[v + 1]; ++e)
            if (want[edge[e]] < 0) {
                want[edge[e]] = want[v] + 1;
                q.push(edge[e]);
            }
    int *dfirst, *dedge, *cost;
    bool *flags, again = true, yes = true;  // frontier, marked, visited, again
    CHECK(cudaMalloc(&dfirst, first.size() * sizeof(int)));
    CHECK(cudaMalloc(&dedge, edge.size() * sizeof(int)));
    CHECK(cudaMalloc(&cost, n * sizeof(int)));
    CHECK(cudaMalloc(&flags, 3 * n + 1));
    bool *frontier = flags, *marked = flags + n, *visited = flags + 2 * n, *more = flags + 3 * n;
    CHECK(cudaMemcpy(dfirst, first.data(), first.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dedge, edge.data(), edge.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(cost, got.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(flags, 0, 3 * n + 1));
    CHECK(cudaMemcpy(frontier, &yes, 1, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(visited, &yes, 1, cudaMemcpyHostToDevice));
    while (again) {
        CHECK(cudaMemset(more, 0, 1));
        expand<<<grid, 128>>>(dfirst, dedge, frontier, marked, visited, cost, n);
        CHECK(cudaGetLastError());
        advance<<<grid, 128>>>(frontier, marked, visited, more, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&again, more, 1, cudaMemcpyDeviceToHost));
    }
    CHECK(cudaMemcpy(got.data(), cost, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(dfirst));
    CHECK(cudaFree(dedge));
    CHECK(cudaFree(cost));
    CHECK(cudaFree(flags));
    bool ok = got == want;
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}

// right: threads join trees by atomicCAS on roots and follow parents by volatile
// loads of single words; any parent seen is a valid step; plain reads come later.
#include "checked_calls.h"

__device__ int find_root(const volatile int *parent, int v) {
    int p = parent[v];
    while (p != v) {
        v = p;
        p = parent[v];
    }
    return v;
}

__global__ void join(int *parent, const int2 *edge, int m) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    int a = find_root(parent, edge[e].x), b = find_root(parent, edge[e].y);
    while (a != b) {
        if (a < b) {
            int t = a;
            a = b;
            b = t;
        }
        int old = atomicCAS(&parent[a], a, b);  // the greater root under the lesser
        if (old == a) break;
        a = find_root(parent, old);
        b = find_root(parent, b);
    }
}

__global__ void flatten(const int *parent, int *root, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int r = v;
    while (parent[r] != r) r = parent[r];
    root[v] = r;
}

int main() {
    const int n = 1200, block = 128;
    std::vector<int> h(n), got(n), want(n);
    std::vector<int2> edges;
    for (int v = 0; v < n; ++v) {
        h[v] = v;
        want[v] = v % 5 == 4 ? v : v % 5 % 2;  // components by v % 5, see below
        if (v % 5 != 4 && v >= 5) edges.push_back(make_int2(v, v - 5));
    }
    edges.push_back(make_int2(0, 2));
    edges.push_back(make_int2(3, 1));
    const int m = (int)edges.size();
    int *parent, *root;
    int2 *edge;
    CHECK(cudaMalloc(&parent, n * sizeof(int)));
    CHECK(cudaMalloc(&root, n * sizeof(int)));
    CHECK(cudaMalloc(&edge, m * sizeof(int2)));
    CHECK(cudaMemcpy(parent, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(edge, edges.data(), m * sizeof(int2), cudaMemcpyHostToDevice));
    join<<<(m + block - 1) / block, block>>>(parent, edge, m);
    CHECK(cudaGetLastError());
    flatten<<<(n + block - 1) / block, block>>>(parent, root, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), root, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool ok = got == want;
    CHECK(cudaFree(parent));
    CHECK(cudaFree(root));
    CHECK(cudaFree(edge));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}

// finds: illegal_address line 9
// A struct that the kernel gets by value has a pointer to the host's vector.
#include <cstdio>
#include <vector>

struct view { const int* table; int step; };

__global__ void look_up(view v, int* to) {
    to[threadIdx.x] = v.table[threadIdx.x * v.step];
}

int main() {
    const int n = 32, step = 50;
    std::vector<int> table(n * step, 3);
    int *d_table, *d_to, sum = 0;
    cudaMalloc(&d_table, table.size() * sizeof(int));
    cudaMalloc(&d_to, n * sizeof(int));
    cudaMemcpy(d_table, table.data(), table.size() * sizeof(int), cudaMemcpyHostToDevice);
    look_up<<<1, n>>>(view{table.data(), step}, d_to);    // wrong
//=     look_up<<<1, n>>>(view{d_table, step}, d_to);
    std::vector<int> got(n);
    cudaMemcpy(got.data(), d_to, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int v : got) sum += v;
    cudaFree(d_table);
    cudaFree(d_to);
    std::printf("%d\n", sum);
    return sum == 3 * n ? 0 : 1;
}

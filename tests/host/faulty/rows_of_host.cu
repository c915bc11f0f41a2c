// finds: illegal_address line 8
// A table of row pointers has the host's rows.
#include <cstdio>
#include <vector>

__global__ void sums(const int* const* rows, int width, int* to) {
    int sum = 0;
    for (int x = 0; x < width; x++) sum += rows[threadIdx.x][x];
    to[threadIdx.x] = sum;
}

int main() {
    const int height = 200, width = 64;
    std::vector<std::vector<int>> image(height, std::vector<int>(width, 1));
    std::vector<const int*> table;
    for (const auto& row : image) {
        int* d_row;
        cudaMalloc(&d_row, width * sizeof(int));
        cudaMemcpy(d_row, row.data(), width * sizeof(int), cudaMemcpyHostToDevice);
        table.push_back(row.data());                      // wrong
//=         table.push_back(d_row);
    }
    const int** d_table;
    int *d_sums, total = 0;
    cudaMalloc(&d_table, height * sizeof(int*));
    cudaMalloc(&d_sums, height * sizeof(int));
    cudaMemcpy(d_table, table.data(), height * sizeof(int*), cudaMemcpyHostToDevice);
    sums<<<1, height>>>(d_table, width, d_sums);
    std::vector<int> got(height);
    cudaMemcpy(got.data(), d_sums, height * sizeof(int), cudaMemcpyDeviceToHost);
    for (int sum : got) total += sum;
    std::printf("%d\n", total);
    return total == height * width ? 0 : 1;
}

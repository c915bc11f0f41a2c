// unmodelled: cooperative_groups::reduce_store_async
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void sum(int* out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    cg::reduce_store_async(warp, out, 1, cg::plus<int>());
}
int main() {
    int* out = nullptr;
    cudaMalloc(&out, sizeof *out);
    sum<<<1, 32>>>(out);
}

// unmodelled: cooperative_groups::exclusive_scan_update
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void place(int* out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int first = cg::exclusive_scan_update(warp, *out, 1, cg::plus<int>());
    out[1 + first] = first;
}
int main() {
    int* out = nullptr;
    cudaMalloc(&out, 33 * sizeof *out);
    place<<<1, 32>>>(out);
}

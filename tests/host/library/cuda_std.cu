// libcu++ in kernels: what stands in cuda::std has a device's versions of names that std has for the
// host alone, also behind a using.
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>

#include "check.h"

namespace own {
using namespace cuda::std;
__device__ int largest() { return numeric_limits<int>::max(); }
}  // namespace own

__global__ void use(double* out, cuda::std::span<int> numbers, cuda::std::array<int, 3> copied) {
    cuda::std::tuple<int, double> t{1, 2.5};
    out[0] = cuda::std::get<0>(t) + cuda::std::get<1>(t);
    cuda::std::complex<double> c(1, 2);
    out[1] = (c * c).imag();
    cuda::std::array<int, 3> own{1, 2, 3};
    out[2] = own[2] + copied[1] + static_cast<int>(own.size());
    auto pair = cuda::std::make_pair(1, 2);
    out[3] = pair.second;
    cuda::std::optional<int> nothing;
    out[4] = nothing.value_or(5);
    cuda::std::swap(numbers[0], numbers[1]);
    out[5] = numbers[0];
    out[6] = own::largest();
}

int main() {
    double* out = managed<double>(7);
    int* numbers = managed<int>(2);
    numbers[0] = 1;
    numbers[1] = 9;
    use<<<1, 1>>>(out, cuda::std::span<int>(numbers, 2), cuda::std::array<int, 3>{4, 5, 6});
    cudaDeviceSynchronize();
    const double want[] = {3.5, 4, 11, 2, 5, 9, 2147483647};
    for (int i = 0; i < 7; ++i) expect("result", i, out[i], want[i]);
    MUST(numbers[1] == 1);
    return verdict();
}

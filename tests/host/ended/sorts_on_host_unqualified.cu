// ends: cuset-host: illegal_address: host code, line 15: std::sort with a pointer to device memory works on the host
#include <algorithm>
#include <vector>

using namespace std;

int main() {
    int* x = nullptr;
    cudaMalloc(&x, 4096);
    cudaMemset(x, 0, 4096);
    vector<int> v(16, 3), w(16);
    int y[16];
    copy(v.begin(), v.end(), w.begin());
    fill(y, y + 16, 3);
    sort(x, x + 1024);
    return 0;
}

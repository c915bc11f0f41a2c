// wrong: the lock is given back before the last update of the record it guards, the
// two lines that race: account->moves++ after the unlock with itself (A and B).
#include "checked_calls.h"

struct Account {
    int lock, balance, moves;
};

__global__ void move(Account *account, const int *amount, int n) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (threadIdx.x % 32 != 0 || warp >= n) return;
    while (atomicCAS(&account->lock, 0, 1) != 0) {
    }
    __threadfence();
    account->balance += amount[warp];
    __threadfence();
    atomicExch(&account->lock, 0);
    account->moves++;  // race A B
}

int main() {
    const int n = 48, block = 128;
    std::vector<int> h(n);
    Account got = {0, 100, 0};
    int want = 100;
    for (int i = 0; i < n; ++i) want += h[i] = i * 5 % 17 - 8;
    Account *account;
    int *amount;
    CHECK(cudaMalloc(&account, sizeof(Account)));
    CHECK(cudaMalloc(&amount, n * sizeof(int)));
    CHECK(cudaMemcpy(account, &got, sizeof(Account), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(amount, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    move<<<n * 32 / block, block>>>(account, amount, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, account, sizeof(Account), cudaMemcpyDeviceToHost));
    bool ok = got.lock == 0 && got.balance == want && got.moves == n;
    CHECK(cudaFree(account));
    CHECK(cudaFree(amount));
    printf(ok ? "passed\n" : "failed\n");
    return ok ? 0 : 1;
}

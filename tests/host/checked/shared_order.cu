// Atomic operations and fences that order shared memory under --check, and those that do not.
// 1 finds: nothing
// 2 finds: nothing
// 3 finds: nothing
// 4 finds: nothing
// 5 finds: nothing
// 6 finds: race: 
// 7 finds: race: 
// 8 finds: race: 
// 9 finds: race: 
#include <cuda/atomic>

#include <cstdio>

__global__ void run(int* out) {
    const int t = threadIdx.x;
#if CASE == 1
    // Counters of libcu++, of two scopes, one of them over an int.
    __shared__ cuda::atomic<int, cuda::thread_scope_block> sum;
    __shared__ int count;
    if (t == 0) sum.store(0), count = 0;
    __syncthreads();
    sum.fetch_add(t, cuda::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_device> ref(count);
    int seen = ref.load();
    while (!ref.compare_exchange_weak(seen, seen + 1)) {
    }
    __syncthreads();
    if (t == 0) *out = sum.load() == 64 * 63 / 2 && count == 64;
#elif CASE == 2 || CASE == 6
    // A flag of libcu++, released by the one who has written, or not.
    constexpr auto order = CASE == 2 ? cuda::memory_order_release : cuda::memory_order_relaxed;
    __shared__ cuda::atomic<int, cuda::thread_scope_block> flag;
    __shared__ int data;
    if (t == 0) flag.store(0);
    __syncthreads();
    if (t == 0) {
        data = 7;
        flag.store(1, order);
    } else if (t == 32) {
        while (flag.load(cuda::memory_order_acquire) == 0) {
        }
        *out = data == 7;
    }
#elif CASE == 3 || CASE == 7
    // A lock with fences around what it guards, or without.
    __shared__ int lock, value;
    if (t == 0) lock = value = 0;
    __syncthreads();
    for (bool is_done = false; !is_done;) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            if (CASE == 3) __threadfence_block();
            value += t;
            if (CASE == 3) __threadfence_block();
            atomicExch(&lock, 0);
            is_done = true;
        }
    }
    __syncthreads();
    if (t == 0) *out = value == 64 * 63 / 2;
#elif CASE == 4 || CASE == 8
    // One lane speaks for its warp, which has met before its fence, or has not.
    __shared__ int flag, data[32];
    if (t == 0) flag = 0;
    __syncthreads();
    if (t < 32) {
        data[t] = t + 1;
        if (CASE == 4) __syncwarp();
        if (t == 31) {
            __threadfence_block();
            atomicExch(&flag, 1);
        }
    } else {
        while (atomicAdd(&flag, 0) == 0) {
        }
        __threadfence_block();
        if (data[t - 32] == t - 31 && t == 33) *out = 1;
    }
#elif CASE == 5
    // A chain: what the second knows of the first, the third knows too.
    __shared__ int first, second, data;
    if (t == 0) first = second = 0;
    __syncthreads();
    if (t == 0) {
        data = 7;
        __threadfence();
        atomicExch(&first, 1);
    } else if (t == 1) {
        while (atomicAdd(&first, 0) == 0) {
        }
        __threadfence();
        atomicExch(&second, 1);
    } else if (t == 40) {
        while (atomicAdd(&second, 0) == 0) {
        }
        *out = data == 7;
    }
#elif CASE == 9
    // Written behind the fence.
    __shared__ int flag, data;
    if (t == 0) flag = 0;
    __syncthreads();
    if (t == 0) {
        __threadfence_block();
        data = 7;
        atomicExch(&flag, 1);
    } else if (t == 32) {
        while (atomicAdd(&flag, 0) == 0) {
        }
        *out = data == 7;
    }
#endif
}

int main() {
    int *out, is_right = 0;
    cudaMalloc(&out, sizeof *out);
    run<<<1, 64>>>(out);
    cudaMemcpy(&is_right, out, sizeof is_right, cudaMemcpyDeviceToHost);
    cudaFree(out);
    std::puts(is_right ? "PASS" : "FAIL");
    return !is_right;
}

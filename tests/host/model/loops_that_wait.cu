// Blocks in a chain, each with a ring of two slots to the next: a bounded queue's producer waits
// for its consumer, and the other way round, so all must go on together, however they wait.

#include <cuda/atomic>

#include "check.h"

constexpr unsigned blocks = 5, items = 30;
using counter = cuda::atomic<unsigned, cuda::thread_scope_device>;

__device__ unsigned filled[8], drained[8];
__device__ counter stored[8], emptied[8];
__device__ int slots[8][2];
__device__ int total;

__device__ unsigned acquire(const unsigned* p) {
    unsigned v;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ void release(unsigned* p, unsigned v) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}
__device__ unsigned peek(const unsigned* p) { return *(const volatile unsigned*)p; }
__device__ void poke(unsigned* p, unsigned v) { *(volatile unsigned*)p = v; }

/// Functions that read by an instruction.
struct by_acquire {
    static __device__ void wait_empty(int b, unsigned k) {
        while (k - acquire(&drained[b]) >= 2) {
        }
    }
    static __device__ void wait_full(int b, unsigned k) {
        unsigned f;
        do f = acquire(&filled[b]);
        while (f <= k);
    }
    static __device__ void fill(int b, unsigned k) { release(&filled[b], k); }
    static __device__ void drain(int b, unsigned k) { release(&drained[b], k); }
};
/// Functions that read volatile memory.
struct by_volatile {
    static __device__ void wait_empty(int b, unsigned k) {
        while (k - peek(&drained[b]) >= 2) {
        }
        __threadfence();
    }
    static __device__ void wait_full(int b, unsigned k) {
        for (;;) {
            if (peek(&filled[b]) > k) break;
        }
        __threadfence();
    }
    static __device__ void fill(int b, unsigned k) {
        __threadfence();
        poke(&filled[b], k);
    }
    static __device__ void drain(int b, unsigned k) {
        __threadfence();
        poke(&drained[b], k);
    }
};
/// Atomic functions in loops of other forms.
struct by_functions {
    static __device__ void wait_empty(int b, unsigned k) {
        unsigned d;
        do {
            d = atomicAdd(&drained[b], 0);
        } while (k - d >= 2);
        __threadfence();
    }
    static __device__ void wait_full(int b, unsigned k) {
        bool is_full = false;
        while (!is_full) {
            is_full = atomicMax(&filled[b], 0u) > k;
        }
        __threadfence();
    }
    static __device__ void fill(int b, unsigned k) {
        __threadfence();
        atomicExch(&filled[b], k);
    }
    static __device__ void drain(int b, unsigned k) {
        __threadfence();
        atomicExch(&drained[b], k);
    }
};
/// Atomic objects, also without a call.
struct by_objects {
    static __device__ void wait_empty(int b, unsigned k) {
        while (k - emptied[b] >= 2) {
        }
    }
    static __device__ void wait_full(int b, unsigned k) {
        while (true) {
            if (stored[b].load(cuda::memory_order_acquire) > k) break;
        }
    }
    static __device__ void fill(int b, unsigned k) { stored[b] = k; }
    static __device__ void drain(int b, unsigned k) { emptied[b].store(k); }
};

template <class Queue>
__global__ void chain() {
    const unsigned b = blockIdx.x, last = gridDim.x - 1;
    int sum = 0;
    for (unsigned k = 0; k < items; ++k) {
        int value = k;
        if (b > 0) {
            if (threadIdx.x == 0) Queue::wait_full(b - 1, k);
            __syncthreads();
            value = slots[b - 1][k & 1] + 1;
            __syncthreads();
            if (threadIdx.x == 0) Queue::drain(b - 1, k + 1);
        }
        if (b < last) {
            if (threadIdx.x == 0) {
                Queue::wait_empty(b, k);
                slots[b][k & 1] = value;
                Queue::fill(b, k + 1);
            }
        } else {
            sum += value;
        }
    }
    if (b == last && threadIdx.x == 0) total = sum;
}

__global__ void clear() {
    filled[threadIdx.x] = drained[threadIdx.x] = 0;
    stored[threadIdx.x] = emptied[threadIdx.x] = 0;
    total = 0;
}

template <class Queue>
void check(const char* what) {
    clear<<<1, 8>>>();
    chain<Queue><<<blocks, 64>>>();
    wait_for_device();
    int got = 0;
    MUST(cudaMemcpyFromSymbol(&got, total, sizeof got) == cudaSuccess);
    expect(what, 0, got, int(items * (items - 1) / 2 + items * (blocks - 1)));
}

int main() {
    check<by_acquire>("by ld.acquire");
    check<by_volatile>("by volatile memory");
    check<by_functions>("by atomic functions");
    check<by_objects>("by atomic objects");
    return verdict();
}

// What the programs about CUB's device-wide algorithms share: items whose neighbours are watched,
// and calls that ask for their storage first.
#pragma once

#include "check.h"

static int count = 0;  // of the items of a call, for messages
static cudaStream_t stream;

static void must_be_right(bool is_right, const char* name, const char* what, std::size_t at = 0) {
    if (fails(is_right)) std::printf("%s of %d items: %s %zu\n", name, count, what, at);
}

template <class T>
T unset() {
    T value;
    std::memset(&value, 0xa5, sizeof value);
    return value;
}

/// Items that the device reaches. Three more behind them are nobody's to write.
template <class T>
struct items {
    T* at = nullptr;
    std::vector<T> initial;

    explicit items(const std::vector<T>& values) : initial(values) {
        initial.insert(initial.end(), 3, unset<T>());
        at = managed<T>(initial.size());
        std::memcpy(at, initial.data(), initial.size() * sizeof(T));
    }
    explicit items(int n) : items(std::vector<T>(n, unset<T>())) {}
    items(const items&) = delete;
    ~items() { cudaFree(at); }
    /// Whether they begin with `wanted`, and are otherwise as they were.
    void hold(const char* name, const std::vector<T>& wanted) const {
        std::size_t i = 0;
        while (i < initial.size() &&
               std::memcmp(at + i, i < wanted.size() ? &wanted[i] : &initial[i], sizeof(T)) == 0)
            ++i;
        must_be_right(i == initial.size(), name, "wrong at", i);
    }
};

/// Asks for the size of the storage, which must not do the work, and then calls.
template <class Call, class... Out>
void run(const char* name, const Call& call, const Out&... outs) {
    std::size_t bytes = 0;
    must_be_right(call(nullptr, bytes) == cudaSuccess && bytes != 0, name, "no size");
    cudaDeviceSynchronize();
    (outs.hold(name, {}), ...);
    void* room = nullptr;
    cudaMalloc(&room, bytes);
    must_be_right(call(room, bytes) == cudaSuccess, name, "an error");
    must_be_right(cudaDeviceSynchronize() == cudaSuccess, name, "a fault");
    cudaFree(room);
}
#define CALL(...) [&](void* room, std::size_t& bytes) { return __VA_ARGS__; }

static unsigned random_state = 12345;
static unsigned random_below(unsigned limit) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

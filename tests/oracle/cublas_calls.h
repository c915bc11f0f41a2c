// What the program that cublas_scipy.py makes shares: memory that is filled from seeds, as the
// script fills its own, calls in all modes, and comparison with what the script expects.
#pragma once

#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

using brain = __nv_bfloat16;

enum flags { wide = 1, on_device = 2, in_graph = 4, poisoned = 8, near_one = 16 };

static cublasHandle_t h;
static cudaStream_t stream;
static int seed, mode;
static int calls_made = 0;

/// From -1 to 1, or from 0.5 to 1.5 in steps that all types have.
static double value_at(int slot, unsigned i, bool coarse) {
    unsigned u = (i + 1) * 2654435761u + static_cast<unsigned>(seed) * 40503u +
                 static_cast<unsigned>(slot) * 97u;
    u = (u ^ (u >> 15)) * 2246822519u;
    u = (u ^ (u >> 13)) * 3266489917u;
    u ^= u >> 16;
    if (mode & near_one) return (u >> 25) / 128.0 + 0.5;
    return coarse ? (u >> 25) / 64.0 - 1 : (u >> 8) / 8388608.0 - 1;
}

template <class T>
struct parts {
    using type = T;
    static constexpr int count = 1;
};
template <>
struct parts<cuComplex> {
    using type = float;
    static constexpr int count = 2;
};
template <>
struct parts<cuDoubleComplex> {
    using type = double;
    static constexpr int count = 2;
};

template <class P>
P number(double x) {
    if constexpr (std::is_same_v<P, __half>)
        return __float2half(static_cast<float>(x));
    else if constexpr (std::is_same_v<P, brain>)
        return __float2bfloat16(static_cast<float>(x));
    else
        return static_cast<P>(x);
}

template <class P>
double plain(P x) {
    if constexpr (std::is_same_v<P, __half>)
        return __half2float(x);
    else if constexpr (std::is_same_v<P, brain>)
        return __bfloat162float(x);
    else
        return x;
}

/// Takes a number of the script's from its hexadecimal bits.
template <class P>
double taken(const char*& text) {
    using W = std::conditional_t<std::is_same_v<P, double>, double, float>;
    unsigned char bytes[sizeof(W)];
    for (unsigned char& byte : bytes) {
        const auto digit = [&] { return *text <= '9' ? *text++ - '0' : *text++ - 'a' + 10; };
        const int high = digit();
        byte = static_cast<unsigned char>(high * 16 + digit());
    }
    W made;
    std::memcpy(&made, bytes, sizeof made);
    return made;
}

/// Says where numbers are further from those of the script than its first one tells. What has none
/// there must be as before.
template <class P>
void compare(const unsigned char* now, const unsigned char* before, std::size_t bytes,
             const char*& text, const char* name) {
    const double margin = taken<P>(text);
    for (std::size_t at = 0; at < bytes; at += sizeof(P)) {
        const double wanted = taken<P>(text);
        P got, old;
        std::memcpy(&got, now + at, sizeof got);
        std::memcpy(&old, before + at, sizeof old);
        const bool stays = plain(got) == plain(old) || std::memcmp(&got, &old, sizeof got) == 0;
        const bool is_right = std::isnan(wanted) ? stays : std::abs(plain(got) - wanted) <= margin;
        if (!is_right)
            std::printf("%d %s[%zu] is %.9g, not %.9g within %.2g, from %.9g\n", calls_made, name,
                        at / sizeof(P), plain(got), wanted, margin, plain(old));
    }
}

/// Memory of a call: what it must not change has no comparison.
struct held {
    void* at;
    std::vector<unsigned char> before;
    const char* name;
    void (*compared)(const unsigned char*, const unsigned char*, std::size_t, const char*&,
                     const char*);
};
static std::vector<held> all_held;

template <class T>
T* buffer(int slot, int count, const char* name, bool written, bool on_host = false) {
    using P = typename parts<T>::type;
    std::vector<P> made(static_cast<std::size_t>(count) * parts<T>::count);
    for (std::size_t i = 0; i < made.size(); ++i)
        made[i] = number<P>(written && (mode & poisoned)
                                ? NAN
                                : value_at(slot, static_cast<unsigned>(i), sizeof(P) == 2));
    const std::size_t bytes = made.size() * sizeof(P);
    void* at = nullptr;
    if (on_host && !(mode & on_device))
        cudaMallocHost(&at, bytes + 1);
    else
        cudaMalloc(&at, bytes + 1);
    cudaMemcpy(at, made.data(), bytes, cudaMemcpyDefault);
    held kept{at, std::vector<unsigned char>(bytes), name, written ? compare<P> : nullptr};
    std::memcpy(kept.before.data(), made.data(), bytes);
    all_held.push_back(kept);
    return static_cast<T*>(at);
}

/// A factor, of 0, 1 or a seed.
template <class T>
T* factor(int of) {
    using P = typename parts<T>::type;
    P made[2] = {number<P>(of), number<P>(0)};
    const int kept_seed = seed, kept_mode = mode;
    seed = of, mode &= ~near_one;
    if (of > 1)
        for (unsigned i = 0; i < 2; ++i) made[i] = number<P>(value_at(99, i, sizeof(P) == 2));
    seed = kept_seed, mode = kept_mode;
    void* at = nullptr;
    if (mode & on_device)
        cudaMalloc(&at, sizeof made);
    else
        cudaMallocHost(&at, sizeof made);
    cudaMemcpy(at, made, sizeof made, cudaMemcpyDefault);
    all_held.push_back({at, {}, "", nullptr});
    return static_cast<T*>(at);
}

/// Numbers that the table gives: each is a mantissa times 64, and an exponent of 2 and 32.
template <class T>
T* given(const int* from, int count, const char* name, bool written) {
    using P = typename parts<T>::type;
    std::vector<P> made;
    for (int i = 0; i < count; ++i)
        made.push_back(number<P>(std::ldexp(from[i] >> 6, (from[i] & 63) - 32)));
    const std::size_t bytes = made.size() * sizeof(P);
    void* at = nullptr;
    if (mode & on_device)
        cudaMalloc(&at, bytes);
    else
        cudaMallocHost(&at, bytes);
    cudaMemcpy(at, made.data(), bytes, cudaMemcpyDefault);
    held kept{at, std::vector<unsigned char>(bytes), name, written ? compare<P> : nullptr};
    std::memcpy(kept.before.data(), made.data(), bytes);
    all_held.push_back(kept);
    return static_cast<T*>(at);
}

/// A batch's list of pointers.
template <class T>
T** listed(T* first, int apart, int count) {
    std::vector<T*> made;
    for (int i = 0; i < count; ++i) made.push_back(first + i * apart);
    void* at = nullptr;
    cudaMalloc(&at, sizeof(T*) * (made.size() + 1));
    cudaMemcpy(at, made.data(), sizeof(T*) * made.size(), cudaMemcpyDefault);
    all_held.push_back({at, {}, "", nullptr});
    return static_cast<T**>(at);
}

static void begin(int of, int flags) { seed = of, mode = flags; }

template <class Call>
void perform(const Call& call, const char* wanted) {
    ++calls_made;
    cublasSetPointerMode(h,
                         mode & on_device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST);
    if (mode & in_graph) cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    const cublasStatus_t status = call();
    if (mode & in_graph) {
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t launched = nullptr;
        cudaStreamEndCapture(stream, &graph);
        cudaGraphInstantiate(&launched, graph, 0);
        cudaGraphLaunch(launched, stream);
        cudaStreamSynchronize(stream);
        cudaGraphExecDestroy(launched);
        cudaGraphDestroy(graph);
    }
    const cudaError_t error = cudaStreamSynchronize(stream);
    if (status != CUBLAS_STATUS_SUCCESS || error != cudaSuccess)
        std::printf("%d status %d, error %d\n", calls_made, status, error);
    for (const held& own : all_held) {
        std::vector<unsigned char> now(own.before.size());
        cudaMemcpy(now.data(), own.at, now.size(), cudaMemcpyDefault);
        cudaPointerAttributes where;
        cudaPointerGetAttributes(&where, own.at);
        if (where.type == cudaMemoryTypeDevice)
            cudaFree(own.at);
        else
            cudaFreeHost(own.at);
        if (own.compared != nullptr)
            own.compared(now.data(), own.before.data(), now.size(), wanted, own.name);
        else if (now != own.before)
            std::printf("%d changes %s\n", calls_made, own.name);
    }
    all_held.clear();
}

static void open() {
    cublasCreate(&h);
    cudaStreamCreate(&stream);
    cublasSetStream(h, stream);
}
static void end() {
    cublasDestroy(h);
    cudaStreamDestroy(stream);
    std::printf("%d calls\n", calls_made);
}

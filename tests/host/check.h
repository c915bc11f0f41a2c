// What the programs that check themselves share: counted checks, memory, and a verdict.
// host_program writes this in the place of its #include; nvcc finds it with -I tests/host.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

static long long checks_made = 0;
static int failures = 0;

/// Counts a check. Returns whether it failed and is to be printed: the first 20 failures are.
static bool fails(bool is_right) {
    ++checks_made;
    return !is_right && ++failures <= 20;
}

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (fails((condition) ? true : false)) std::printf("line %d: %s\n", __LINE__, #condition); \
    } while (0)

/// For calls of CUDA and of its libraries: each of their kinds of error has 0 for success.
#define OK(call) check_call(__LINE__, #call, call)
template <class E>
static void check_call(int line, const char* call, E error) {
    if (!fails(static_cast<int>(error) == 0)) return;
    std::printf("line %d: %s: error %d", line, call, static_cast<int>(error));
    if constexpr (std::is_same<E, cudaError_t>::value)
        std::printf(", %s", cudaGetErrorString(error));
    std::puts("");
}
/// For a call that is given in error. The error is then no longer the last one.
#define REFUSED(call, error)      \
    do {                          \
        MUST((call) == (error));  \
        (void)cudaGetLastError(); \
    } while (0)

template <class T>
static void print_value(T x) {
    if constexpr (std::is_integral<T>::value || std::is_enum<T>::value)
        std::printf("%lld (%#llx)", static_cast<long long>(x), static_cast<unsigned long long>(x));
    else
        std::printf("%.17g", static_cast<double>(x));
}
template <class A, class B>
static void expect(const char* what, long long index, A got, B want) {
    if (!fails(got == static_cast<A>(want))) return;
    std::printf("%s [%lld]: ", what, index);
    print_value(got);
    std::printf(", must be ");
    print_value(static_cast<A>(want));
    std::puts("");
}
template <class A, class B>
static void expect(const char* what, int index, int field, A got, B want) {
    if (got != static_cast<A>(want) && failures < 20) std::printf("field %d of ", field);
    expect(what, index, got, want);
}
template <class T>
static void expect_all(const char* what, const char* part, const T* got,
                       const std::vector<T>& want) {
    for (std::size_t i = 0; i < want.size(); ++i) {
        if (got[i] != want[i] && failures < 20) std::printf("%s: ", what);
        expect(part, static_cast<long long>(i), got[i], want[i]);
    }
}

/// Device memory, all bits set.
template <class T>
static T* device(std::size_t count) {
    T* memory = nullptr;
    OK(cudaMalloc(&memory, count * sizeof(T)));
    OK(cudaMemset(memory, 0xff, count * sizeof(T)));
    return memory;
}
template <class T>
static T* device(const std::vector<T>& values) {
    T* memory = nullptr;
    OK(cudaMalloc(&memory, values.empty() ? 1 : values.size() * sizeof(T)));
    OK(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}
/// Managed memory that nobody has written.
template <class T>
static T* managed(std::size_t count) {
    T* memory = nullptr;
    OK(cudaMallocManaged(&memory, count == 0 ? 1 : count * sizeof(T)));
    return memory;
}
template <class T>
static T* managed(std::size_t count, unsigned char byte) {
    T* memory = managed<T>(count);
    std::memset(static_cast<void*>(memory), byte, count * sizeof(T));
    return memory;
}
template <class T>
static T* managed(const std::vector<T>& values) {
    T* memory = managed<T>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) memory[i] = values[i];
    return memory;
}
template <class T>
static std::vector<T> host(const T* memory, std::size_t count) {
    std::vector<T> values(count);
    OK(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}
/// What is in memory after all launches. The memory is freed.
template <class T>
static std::vector<T> taken(T* memory, std::size_t count) {
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    std::vector<T> values = host(memory, count);
    OK(cudaFree(memory));
    return values;
}
static void wait_for_device(const char* what = "a launch") {
    if (fails(cudaDeviceSynchronize() == cudaSuccess)) std::printf("%s: a fault\n", what);
}

/// What a kernel computed, and should have.
template <class T>
struct computed {
    T value, expected;
    double tolerance;  ///< relative
    int line;
};
/// `launch` is given memory for `most` of them, and for their number.
template <class T, class Launch>
static void check_computed(std::size_t most, const Launch& launch) {
    computed<T>* of_device = device<computed<T>>(most);
    int* n = device(std::vector<int>{0});
    launch(of_device, n);
    const int count = taken(n, 1)[0];
    MUST(count > 0);
    for (const computed<T>& c : taken(of_device, count)) {
        const double value = static_cast<double>(c.value),
                     expected = static_cast<double>(c.expected);
        if (!fails(c.value == c.expected ||
                   (c.tolerance > 0 &&
                    std::fabs(value - expected) <= c.tolerance * std::fabs(expected))))
            continue;
        std::printf("line %d: ", c.line);
        print_value(c.value);
        std::printf(", not ");
        print_value(c.expected);
        std::puts("");
    }
}

/// The program's exit code. A program that checks nothing fails.
static int verdict() {
    std::printf("%lld checks, %d failures\n", checks_made, failures);
    return failures != 0 || checks_made == 0;
}

// What the programs about CUB's scans of blocks and of warps share: an operator that does not
// commute, and plain loops for what must come out.
#pragma once

#include <utility>

#include "check.h"

/// x -> a x + b. To apply one after the other does not commute.
struct affine {
    unsigned a, b;
    /// First this one.
    __host__ __device__ affine operator+(const affine& g) const { return {a * g.a, b * g.a + g.b}; }
    bool operator==(const affine& other) const { return a == other.a && b == other.b; }
};
struct then {
    __host__ __device__ affine operator()(const affine& f, const affine& g) const { return f + g; }
};
/// What the operator of a sum is not: the other order.
struct after {
    __host__ __device__ affine operator()(const affine& f, const affine& g) const { return g + f; }
};

constexpr affine none{0, 0}, first{7, 3};

using affines = std::vector<affine>;
using named = std::vector<std::pair<const char*, affines>>;

template <class Op>
affines inclusive(const affines& in, Op op) {
    affines out{in[0]};
    for (std::size_t i = 1; i < in.size(); ++i) out.push_back(op(out.back(), in[i]));
    return out;
}
template <class Op>
affines inclusive_from(const affine& before, const affines& in, Op op) {
    affines out{op(before, in[0])};
    for (std::size_t i = 1; i < in.size(); ++i) out.push_back(op(out.back(), in[i]));
    return out;
}
template <class Op>
affines exclusive_from(const affine& before, const affines& in, Op op) {
    affines out{before};
    for (std::size_t i = 0; i + 1 < in.size(); ++i) out.push_back(op(out.back(), in[i]));
    return out;
}
template <class Op>
affines exclusive(const affines& in, Op op) {
    affines out = inclusive(in, op);
    out.insert(out.begin(), none), out.pop_back();
    return out;
}

static void compare(const char* what, const affine* got, const named& wanted) {
    for (const auto& [name, values] : wanted)
        for (const affine& value : values)
            if (fails(*got++ == value))
                std::printf("%s: %s wrong at %zu\n", what, name,
                            static_cast<std::size_t>(&value - values.data()));
}

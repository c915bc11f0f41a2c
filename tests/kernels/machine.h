// The machines that the kernels' cases run on, CPU or GPU, and the report of what is wrong. The
// cases are the same for both. C++17, for nvcc and the host backend.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "cuset/kernels/adamw.h"
#include "cuset/kernels/code_rows.h"
#include "cuset/kernels/dropout.h"
#include "cuset/kernels/region.h"
#include "cuset/kernels/token_loss.h"

namespace kernel_cases {

using namespace cuset::kernels;

/// Holds copies of the cases' arrays and runs the kernels on them.
class machine {
public:
    virtual ~machine() = default;
    /// A copy of `bytes`, at an address that is a multiple of 256.
    virtual void* in(const void* from, std::size_t bytes) = 0;
    virtual void out(void* to, const void* from, std::size_t bytes) = 0;
    /// Frees all copies.
    virtual void clear() = 0;
    /// 0, or what went wrong; the work is done when these return.
    virtual device_error run(const token_loss_rows& rows) = 0;
    virtual device_error run(const region_settings& settings, const region_batch& batch) = 0;
    virtual device_error run(const adamw_step& step) = 0;
    virtual device_error run(const dropout_rows& rows) = 0;
    virtual device_error run(const code_rows& matrix, void* to, value_type type) = 0;

    template <class T>
    T* copy_in(const std::vector<T>& values) {
        return static_cast<T*>(in(values.data(), values.size() * sizeof(T)));
    }
    template <class T>
    std::vector<T> copy_out(const T* from, std::size_t count) {
        std::vector<T> values(count);
        out(values.data(), from, count * sizeof(T));
        return values;
    }
};

/// A slow machine leaves out the large shapes; one that checks every access leaves out the middle
/// ones too.
enum class extent { tiny, small, full };

/// A small generator that is the same everywhere (Steele, Lea and Flood's SplitMix64).
class random_bits {
public:
    explicit random_bits(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
        z = (z ^ z >> 27) * 0x94d049bb133111ebU;
        return z ^ z >> 31;
    }
    /// In (0, 1).
    double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
    double normal() {
        return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform());
    }

private:
    std::uint64_t state_;
};

/// Compares, and keeps the first differences in words.
class findings {
public:
    /// Begins a set of values; its name is for the messages.
    void begin(std::string name) {
        name_ = std::move(name);
        ++cases_;
    }
    void near(const char* what, std::size_t index, double got, double wanted, double tolerance) {
        ++compared_;
        const bool same = std::isnan(wanted)   ? std::isnan(got)
                          : std::isinf(wanted) ? got == wanted
                                               : std::abs(got - wanted) <= tolerance;
        if (same) return;
        char text[256];
        std::snprintf(text, sizeof text, "%s[%zu] is %.9g, expected %.9g within %.3g", what, index,
                      got, wanted, tolerance);
        add(text);
    }
    void same(const char* what, const void* got, const void* wanted, std::size_t bytes) {
        ++compared_;
        if (bytes == 0 || std::memcmp(got, wanted, bytes) == 0) return;
        std::size_t at = 0;
        while (static_cast<const unsigned char*>(got)[at] ==
               static_cast<const unsigned char*>(wanted)[at])
            ++at;
        add(std::string(what) + " differs at byte " + std::to_string(at));
    }
    void ran(device_error error) {
        if (error != 0) add("error " + std::to_string(error));
    }
    void add(const std::string& text) {
        if (++wrong_ <= 20) text_ += name_ + ": " + text + '\n';
    }

    std::size_t wrong() const { return wrong_; }
    std::size_t cases() const { return cases_; }
    std::size_t compared() const { return compared_; }
    const std::string& text() const { return text_; }

private:
    std::string name_, text_;
    std::size_t wrong_ = 0, cases_ = 0, compared_ = 0;
};

/// The number of times that a case runs if its bits must not change.
constexpr int repetitions = 10;

}  // namespace kernel_cases

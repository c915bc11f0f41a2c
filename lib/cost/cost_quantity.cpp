#include "cuset/cost/cost_quantity.h"

#include <algorithm>
#include <cmath>

#include "cuset/cost/sass_operations.h"

namespace cuset {

namespace {

struct counted_quantity {
    cost_quantity shown;
    double (*of)(const launch_cost&);
};

double number(std::uint64_t count) { return static_cast<double>(count); }
double rounded(double count) { return static_cast<double>(std::llround(count)); }

constexpr counted_quantity quantities[] = {
    {{"cost.flops",
      "the floating-point operations of all widths, as the source has them: an addition, a "
      "subtraction, a multiplication, a division, a square root and a call of a mathematical "
      "function are one each, a fused multiply-add is two",
      false},
     [](const launch_cost& c) { return number(c.flops()); }},
    {{"cost.fp16",
      "the half-precision operations, as the source has them: an addition, a subtraction, a "
      "multiplication, a division and a square root are one each, a fused multiply-add is two, "
      "calls of mathematical functions do not count",
      false},
     [](const launch_cost& c) { return number(c.fp16.flops()); }},
    {{"cost.fp32",
      "the single-precision operations, as the source has them: an addition, a subtraction, a "
      "multiplication, a division and a square root are one each, a fused multiply-add is two, "
      "calls of mathematical functions do not count",
      false},
     [](const launch_cost& c) { return number(c.fp32.flops()); }},
    {{"cost.fp64",
      "the double-precision operations, as the source has them: an addition, a subtraction, a "
      "multiplication, a division and a square root are one each, a fused multiply-add is two, "
      "calls of mathematical functions do not count",
      false},
     [](const launch_cost& c) { return number(c.fp64.flops()); }},
    {{"cost.flops_sass",
      "the floating-point operations of all widths that the GPU executes: an addition and a "
      "multiplication are one each, a fused multiply-add is two, and divisions, square roots and "
      "mathematical functions count with the operations that the compiler makes of them",
      true},
     [](const launch_cost& c) {
         const sass_operations done = sass_operations_of(c);
         return rounded(done.fp16 + done.fp32 + done.fp64);
     }},
    {{"cost.fp32_sass",
      "the single-precision floating-point operations that the GPU executes: an addition and a "
      "multiplication are one each, a fused multiply-add is two, and divisions, square roots and "
      "mathematical functions count with the operations that the compiler makes of them",
      true},
     [](const launch_cost& c) { return rounded(sass_operations_of(c).fp32); }},
    {{"cost.fp64_sass",
      "the double-precision floating-point operations that the GPU executes: an addition and a "
      "multiplication are one each, a fused multiply-add is two, and divisions, square roots and "
      "mathematical functions count with the operations that the compiler makes of them",
      true},
     [](const launch_cost& c) { return rounded(sass_operations_of(c).fp64); }},
    {{"cost.bytes_read", "the bytes that the threads read from global memory", false},
     [](const launch_cost& c) { return number(c.bytes_read); }},
    {{"cost.bytes_written", "the bytes that the threads write to global memory", false},
     [](const launch_cost& c) { return number(c.bytes_written); }},
    {{"cost.atomics", "the atomic operations of the threads", false},
     [](const launch_cost& c) { return number(c.atomics); }},
};

const counted_quantity* found(std::string_view name) {
    const auto* const at = std::ranges::find_if(
        quantities, [&](const counted_quantity& q) { return q.shown.name == name; });
    return at == std::end(quantities) ? nullptr : at;
}

}  // namespace

const cost_quantity* cost_quantity_named(std::string_view name) {
    const counted_quantity* const q = found(name);
    return q == nullptr ? nullptr : &q->shown;
}

std::string cost_quantity_names() {
    std::string all;
    for (const counted_quantity& q : quantities)
        all.append(all.empty() ? "" : ", ").append(q.shown.name);
    return all;
}

double value_of(const cost_quantity& quantity, const launch_cost& cost) {
    return found(quantity.name)->of(cost);
}

std::optional<bool> has_hidden_flops(const launch_cost& cost) {
    double plain = 0;
    for (const floating_operations* f : {&cost.fp16, &cost.fp32, &cost.fp64})
        plain += number(f->add + 2 * f->fma);
    const sass_operations done = sass_operations_of(cost);
    // A sum of products of the table is not exact.
    if (done.fp16 + done.fp32 + done.fp64 - plain >= 0.5) return true;
    return done.unknown.empty() ? std::optional(false) : std::nullopt;
}

}  // namespace cuset

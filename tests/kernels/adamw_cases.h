// adamw() against torch.optim.AdamW's formulas behind clip_grad_norm_, in double.
#pragma once

#include <algorithm>

#include "machine.h"

namespace kernel_cases {

struct adamw_case {
    const char* name;
    std::vector<std::size_t> sizes;
    adamw_options options;
    double gradient_size;
    int steps;
    int bad_step;  ///< from 0: one gradient element is not finite; -1: none
};

inline void check(machine& on, const adamw_case& c, findings& found) {
    found.begin(std::string("adamw, ") + c.name);
    random_bits random(c.sizes.size() * 7 + static_cast<std::size_t>(c.steps));
    std::size_t total = 0;
    for (const std::size_t size : c.sizes) total += size + 1;  // odd places
    std::vector<float> value(total), gradient(total), zeros(total, 0.0F);
    for (float& x : value) x = static_cast<float>(random.normal());
    std::vector<double> p(value.begin(), value.end()), m(total), v(total);
    // Falls, then stays at the last.
    const std::vector<double> rates{1e-2, 5e-3, 1e-3};

    float* const value_at = on.copy_in(value);
    float* const first_at = on.copy_in(zeros);
    float* const second_at = on.copy_in(zeros);
    adamw_state begin{};
    adamw_step step;
    step.options = c.options;
    step.learning_rates = on.copy_in(rates);
    step.rates = rates.size();
    step.partials = on.copy_in(std::vector<double>(adamw_partials, NAN));
    step.state = on.copy_in(std::vector<adamw_state>{begin});
    step.count = c.sizes.size();
    int done = 0;
    for (int number = 0; number < c.steps; ++number) {
        std::vector<adamw_tensor> tensors;
        for (float& x : gradient) x = static_cast<float>(c.gradient_size * random.normal());
        double squares = 0;
        const bool bad = number == c.bad_step;
        std::vector<bool> covered(total, false);
        std::size_t at = 1;
        for (const std::size_t size : c.sizes) {
            for (std::size_t i = at; i < at + size; ++i) {
                squares += double(gradient[i]) * double(gradient[i]);
                covered[i] = true;
            }
            at += size + 1;
        }
        if (bad) gradient[total - 1] = number % 2 == 0 ? NAN : INFINITY;
        float* const gradient_at = on.copy_in(gradient);
        at = 1;
        for (const std::size_t size : c.sizes) {
            tensors.push_back(
                {value_at + at, gradient_at + at, first_at + at, second_at + at, size, 0});
            at += size + 1;
        }
        step.chunks = adamw_chunks(tensors.data(), tensors.size());
        step.tensors = on.copy_in(tensors);
        const auto before = on.copy_out(value_at, total);
        found.ran(on.run(step));
        const adamw_state state = on.copy_out(step.state, 1)[0];
        const auto after = on.copy_out(value_at, total);
        const auto cleared = on.copy_out(gradient_at, total);
        found.near("arrived", 0, state.arrived, 0, 0);
        found.near("finite", 0, state.finite, bad ? 0 : 1, 0);
        if (bad) {
            found.near("steps", 0, double(state.steps), done, 0);
            found.same("values without an update", after.data(), before.data(), total * 4);
            if (std::isfinite(state.norm)) found.add("the norm is finite");
            continue;
        }
        const double norm = std::sqrt(squares);
        found.near("norm", 0, state.norm, norm, 1e-12 * norm);
        found.near("steps", 0, double(state.steps), done + 1, 0);
        const double rate = rates[std::min<std::size_t>(std::size_t(done), rates.size() - 1)];
        found.near("learning_rate", 0, state.learning_rate, rate, 0);
        ++done;
        const adamw_options& o = c.options;
        const double clip = o.clip > 0 ? std::min(1.0, o.clip / (norm + 1e-6)) : 1;
        const double b1 = 1 - std::pow(o.beta1, done), b2 = std::sqrt(1 - std::pow(o.beta2, done));
        for (std::size_t i = 0; i < total; ++i) {
            if (!covered[i]) {
                found.near("what no tensor covers", i, after[i], before[i], 0);
                found.near("its gradient", i, cleared[i], gradient[i], 0);
                continue;
            }
            const double g = double(gradient[i]) * clip;
            m[i] += (g - m[i]) * (1 - o.beta1);
            v[i] = v[i] * o.beta2 + (1 - o.beta2) * g * g;
            p[i] = p[i] * (1 - rate * o.weight_decay) -
                   rate / b1 * m[i] / (std::sqrt(v[i]) / b2 + o.epsilon);
            // The bound is a few roundings of the value and of the update in every step; neither
            // grows.
            found.near("value", i, after[i], p[i],
                       done * (2e-7 * std::abs(p[i]) + 2e-6 * rates[0]));
            found.near("gradient", i, cleared[i], 0, 0);
        }
    }
    const auto first = on.copy_out(first_at, total), second = on.copy_out(second_at, total);
    for (std::size_t i = 0; i < total; ++i) {
        found.near("first", i, first[i], m[i], 1e-6 * (std::abs(m[i]) + c.gradient_size));
        found.near("second", i, second[i], v[i], 2e-6 * v[i]);
    }
    on.clear();
}

/// The same bits in every run, norm and values.
inline void check_repeats(machine& on, findings& found) {
    found.begin("adamw, ten times");
    std::vector<float> value(30001), gradient(30001), zeros(30001, 0.0F);
    random_bits random(3);
    for (float& x : value) x = static_cast<float>(random.normal());
    for (float& x : gradient) x = static_cast<float>(random.normal());
    std::vector<float> first_value;
    double first_norm = 0;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
        std::vector<adamw_tensor> tensors{{on.copy_in(value), on.copy_in(gradient),
                                           on.copy_in(zeros), on.copy_in(zeros), value.size(), 0}};
        adamw_step step;
        step.chunks = adamw_chunks(tensors.data(), 1);
        step.tensors = on.copy_in(tensors);
        step.count = 1;
        step.learning_rates = on.copy_in(std::vector<double>{1e-3});
        step.rates = 1;
        step.partials = on.copy_in(std::vector<double>(adamw_partials, NAN));
        step.state = on.copy_in(std::vector<adamw_state>{adamw_state{}});
        found.ran(on.run(step));
        const auto after = on.copy_out(tensors[0].value, value.size());
        const double norm = on.copy_out(step.state, 1)[0].norm;
        if (repetition == 0) {
            first_value = after;
            first_norm = norm;
        }
        found.same("the norm", &norm, &first_norm, sizeof norm);
        found.same("the values", after.data(), first_value.data(), after.size() * 4);
        on.clear();
    }
}

inline void adamw_cases(machine& on, extent size, findings& found) {
    const std::vector<std::size_t> sizes{1, 7, 0, 4095, 4096, 4097, 0, 12345};
    adamw_options plain, decayed, unclipped;
    decayed.weight_decay = 0.1;
    decayed.beta1 = 0.8;
    decayed.epsilon = 1e-3;
    unclipped.clip = 0;
    check(on, {"clipped", {1, 7, 0, 300, 5000}, plain, 1.0, 3, -1}, found);
    check_repeats(on, found);
    if (size == extent::tiny) return;
    check(on, {"below the clip", sizes, plain, 1e-4, 5, -1}, found);
    check(on, {"decay", sizes, decayed, 1.0, 5, -1}, found);
    check(on, {"no clip", sizes, unclipped, 1e-6, 4, -1}, found);
    check(on, {"huge gradients", sizes, plain, 1e30, 2, -1}, found);
    check(on, {"NaN in between", {5, 9000}, plain, 1.0, 4, 2}, found);
    check(on, {"infinity in between", {5, 9000}, plain, 1.0, 4, 1}, found);
    check(on, {"nothing to do", {0, 0}, plain, 1.0, 2, -1}, found);
    // More chunks than partial sums.
    check(on, {"many chunks", {2500001, 1800000}, plain, 1.0, size == extent::full ? 2 : 1, -1},
          found);
}

}  // namespace kernel_cases

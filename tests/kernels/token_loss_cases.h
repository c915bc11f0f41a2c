// token_loss() against the definitions in double.
#pragma once

#include <algorithm>
#include <functional>

#include "machine.h"

namespace kernel_cases {

enum class logit_kind { normal, narrow, equal, far_apart, one_hot, mostly_masked, rising, bad };

struct token_loss_case {
    std::size_t rows, vocabulary;
    std::size_t padding;  ///< elements between rows
    std::size_t offset;   ///< elements before the first: what alignment rows have
    logit_type type, gradient_type;
    bool in_place, scaled, entropy;
    logit_kind kind;
};

inline std::uint16_t to_bits(float x) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    if (x != x) return 0x7fc0;
    return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}
inline float from_bits(std::uint16_t half) {
    const std::uint32_t bits = std::uint32_t{half} << 16;
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

inline float logit_of(logit_kind kind, std::size_t row, std::size_t i, std::size_t vocabulary,
                      random_bits& random) {
    switch (kind) {
        case logit_kind::normal: return static_cast<float>(4 * random.normal());
        case logit_kind::narrow: return static_cast<float>(0.01 * random.normal());
        case logit_kind::equal: return 7.25F;
        case logit_kind::far_apart: return random.next() % 3 == 0 ? 1e4F : -1e4F;
        case logit_kind::one_hot: return i == (row * 7919 + 5) % vocabulary ? 40.0F : -40.0F;
        case logit_kind::mostly_masked:
            return i % 11 == 3 || i == 0 ? static_cast<float>(random.normal()) : -INFINITY;
        // Every element is a new maximum, so that the running sum is rescaled all the way.
        case logit_kind::rising:
            return static_cast<float>(i) * (60.0F / static_cast<float>(vocabulary));
        case logit_kind::bad: break;
    }
    // No distribution: one NaN, one +inf, nothing but -inf, and a row that is one.
    if (row % 4 == 2) return -INFINITY;
    if (i == (row % 2 == 0 ? vocabulary - 1 : 0) && row % 4 != 3)
        return row % 4 == 0 ? NAN : INFINITY;
    return static_cast<float>(random.normal());
}

struct row_reference {
    double maximum = -INFINITY, sum = 0, entropy = 0;
    bool is_distribution = true;

    explicit row_reference(const std::vector<float>& x) {
        for (const float value : x) {
            if (value != value || value == INFINITY) is_distribution = false;
            maximum = std::max(maximum, static_cast<double>(value));
        }
        if (maximum == -INFINITY) is_distribution = false;
        for (const float value : x) sum += std::exp(static_cast<double>(value) - maximum);
    }
    double probability(float x) const {
        return is_distribution ? std::exp(static_cast<double>(x) - maximum) / sum : NAN;
    }
    double log_probability(float x) const {
        return is_distribution ? static_cast<double>(x) - maximum - std::log(sum) : NAN;
    }
    static double entropy_of_largest(std::vector<float> x) {
        const std::size_t count = std::min<std::size_t>(20, x.size());
        std::partial_sort(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count), x.end(),
                          std::greater<float>());
        x.resize(count);
        const row_reference among(x);
        double entropy = 0;
        for (const float value : x)
            if (const double p = among.probability(value); p > 0) entropy -= p * std::log(p);
        return entropy;
    }
};

inline std::string name_of(const token_loss_case& c) {
    char text[160];
    std::snprintf(
        text, sizeof text, "token_loss %zu x %zu padding %zu offset %zu %s to %s%s%s%s kind %d",
        c.rows, c.vocabulary, c.padding, c.offset, c.type == logit_type::float32 ? "f32" : "bf16",
        c.gradient_type == logit_type::float32 ? "f32" : "bf16", c.in_place ? " in place" : "",
        c.scaled ? " scaled" : "", c.entropy ? " entropy" : "", static_cast<int>(c.kind));
    return text;
}

/// An array of floats or of bfloat16, by bytes.
class element_array {
public:
    element_array(logit_type type, std::size_t count) : type_(type), bytes_(count * size()) {}
    std::size_t size() const { return type_ == logit_type::float32 ? 4 : 2; }
    void set(std::size_t i, float x) {
        const std::uint16_t half = to_bits(x);
        std::memcpy(bytes_.data() + i * size(),
                    type_ == logit_type::float32 ? static_cast<const void*>(&x) : &half, size());
    }
    float at(std::size_t i) const {
        if (type_ == logit_type::float32) {
            float x;
            std::memcpy(&x, bytes_.data() + 4 * i, 4);
            return x;
        }
        std::uint16_t half;
        std::memcpy(&half, bytes_.data() + 2 * i, 2);
        return from_bits(half);
    }
    std::vector<unsigned char>& bytes() { return bytes_; }

private:
    logit_type type_;
    std::vector<unsigned char> bytes_;
};

inline void check(machine& on, const token_loss_case& c, findings& found, bool repeated) {
    found.begin(name_of(c));
    random_bits random(c.vocabulary * 31 + c.rows + static_cast<std::size_t>(c.kind));
    const std::size_t stride = c.vocabulary + c.padding, count = c.offset + c.rows * stride;
    const std::size_t gradient_offset = c.in_place ? c.offset : (c.offset + 1) % 8;
    const std::size_t gradient_stride = c.in_place ? stride : stride + 1;
    const std::size_t gradient_count = gradient_offset + c.rows * gradient_stride;
    element_array logits(c.type, count);
    element_array gradient(c.gradient_type, c.in_place ? 0 : gradient_count);
    // Elements between rows must be neither read nor written; outputs begin as NaN.
    for (std::size_t i = 0; i < count; ++i) logits.set(i, INFINITY);
    for (std::size_t i = 0; i < (c.in_place ? 0 : gradient_count); ++i) gradient.set(i, NAN);
    std::vector<std::vector<float>> rows(c.rows);
    std::vector<std::int32_t> targets(c.rows);
    std::vector<float> scale(c.rows, 1.0F);
    for (std::size_t r = 0; r < c.rows; ++r) {
        rows[r].resize(c.vocabulary);
        for (std::size_t i = 0; i < c.vocabulary; ++i) {
            const std::size_t at = c.offset + r * stride + i;
            logits.set(at, logit_of(c.kind, r, i, c.vocabulary, random));
            rows[r][i] = logits.at(at);
        }
        // First, last, and any.
        targets[r] = static_cast<std::int32_t>(r % 3 == 0   ? c.vocabulary - 1
                                               : r % 3 == 1 ? 0
                                                            : random.next() % c.vocabulary);
        if (c.scaled) scale[r] = r % 5 == 4 ? 0.0F : static_cast<float>(random.normal());
    }

    std::vector<unsigned char> first_bytes;
    std::vector<float> log_p, entropy;
    element_array result(c.gradient_type, gradient_count);
    for (int repetition = 0; repetition < (repeated ? repetitions : 1); ++repetition) {
        unsigned char* const x = on.copy_in(logits.bytes());
        unsigned char* const g = c.in_place ? x : on.copy_in(gradient.bytes());
        token_loss_rows work;
        work.logits = x + c.offset * logits.size();
        work.type = c.type;
        work.rows = c.rows;
        work.vocabulary = c.vocabulary;
        work.stride = stride;
        work.targets = on.copy_in(targets);
        work.gradient = g + gradient_offset * gradient.size();
        work.gradient_type = c.gradient_type;
        work.gradient_stride = gradient_stride;
        work.scale = c.scaled ? on.copy_in(scale) : nullptr;
        const std::vector<float> poison(c.rows, NAN);
        work.log_probability = on.copy_in(poison);
        work.entropy = c.entropy ? on.copy_in(poison) : nullptr;
        found.ran(on.run(work));
        log_p = on.copy_out(work.log_probability, c.rows);
        if (c.entropy) entropy = on.copy_out(work.entropy, c.rows);
        result.bytes() = on.copy_out(g, gradient_count * gradient.size());
        if (!c.in_place) {
            const auto after = on.copy_out(x, logits.bytes().size());
            found.same("logits that are not the gradient", after.data(), logits.bytes().data(),
                       after.size());
        }
        std::vector<unsigned char> bytes = result.bytes();
        for (const auto* values : {&log_p, &entropy}) {
            const auto* from = reinterpret_cast<const unsigned char*>(values->data());
            bytes.insert(bytes.end(), from, from + values->size() * sizeof(float));
        }
        if (repetition == 0) first_bytes = bytes;
        found.same("a repetition", bytes.data(), first_bytes.data(), bytes.size());
        on.clear();
    }

    for (std::size_t r = 0; r < c.rows; ++r) {
        const row_reference reference(rows[r]);
        const auto target = static_cast<std::size_t>(targets[r]);
        const double wanted = reference.log_probability(rows[r][target]);
        // Sums of vocabulary-many terms in float lanes, then a logarithm of 1e-7.
        found.near("log_probability", r, log_p[r], wanted, 4e-6 + 4e-7 * std::abs(wanted));
        if (c.entropy)
            found.near("entropy", r, entropy[r],
                       reference.is_distribution ? row_reference::entropy_of_largest(rows[r]) : NAN,
                       1e-6);
        const std::size_t at = gradient_offset + r * gradient_stride;
        for (std::size_t i = 0; i < c.vocabulary; ++i) {
            const double p = reference.probability(rows[r][i]), s = scale[r];
            const double value = s * (p - (i == target ? 1 : 0));
            // e^x of a float x is good to 1e-5 if it is tiny; p - 1 loses digits that p has.
            double tolerance = std::abs(s) * (1e-5 * p + (i == target ? 2e-6 : 1e-37));
            if (c.gradient_type == logit_type::bfloat16)
                tolerance += 0x1p-8 * std::abs(value) + 1e-38;
            found.near("gradient", i + r * c.vocabulary, result.at(at + i), value, tolerance);
        }
        for (std::size_t i = c.vocabulary; i < gradient_stride; ++i) {
            const float between = result.at(at + i);
            found.near("what lies behind the row", r, between, c.in_place ? INFINITY : NAN, 0);
        }
    }
    for (std::size_t i = 0; i < gradient_offset; ++i)
        found.near("what lies before the rows", i, result.at(i), c.in_place ? INFINITY : NAN, 0);
}

/// Without a gradient: log p and entropy alone.
inline void check_without_gradient(machine& on, logit_type type, findings& found) {
    found.begin("token_loss without a gradient");
    element_array logits(type, 3 * 101);
    std::vector<std::vector<float>> rows(3);
    random_bits random(5);
    for (std::size_t i = 0; i < 3 * 101; ++i) {
        logits.set(i, static_cast<float>(3 * random.normal()));
        rows[i / 101].push_back(logits.at(i));
    }
    token_loss_rows work;
    unsigned char* const x = on.copy_in(logits.bytes());
    work.logits = x;
    work.type = type;
    work.rows = 3;
    work.vocabulary = work.stride = 101;
    work.targets = on.copy_in(std::vector<std::int32_t>{0, 50, 100});
    work.log_probability = on.copy_in(std::vector<float>(3, NAN));
    work.entropy = on.copy_in(std::vector<float>(3, NAN));
    found.ran(on.run(work));
    const auto log_p = on.copy_out(work.log_probability, 3);
    const auto entropy = on.copy_out(work.entropy, 3);
    const auto after = on.copy_out(x, logits.bytes().size());
    for (std::size_t r = 0; r < 3; ++r) {
        const double wanted = row_reference(rows[r]).log_probability(rows[r][r * 50]);
        found.near("log_probability", r, log_p[r], wanted, 4e-6 + 4e-7 * std::abs(wanted));
        found.near("entropy", r, entropy[r], row_reference::entropy_of_largest(rows[r]), 1e-6);
    }
    found.same("the logits", after.data(), logits.bytes().data(), after.size());
    on.clear();
}

inline void token_loss_cases(machine& on, extent size, findings& found) {
    const logit_type f32 = logit_type::float32, bf16 = logit_type::bfloat16;
    struct types {
        logit_type in, out;
        bool in_place;
    };
    const types all_types[] = {{f32, f32, true},
                               {bf16, bf16, true},
                               {f32, bf16, false},
                               {f32, f32, false},
                               {bf16, bf16, false}};
    const logit_kind kinds[] = {
        logit_kind::normal,  logit_kind::narrow,        logit_kind::equal,  logit_kind::far_apart,
        logit_kind::one_hot, logit_kind::mostly_masked, logit_kind::rising, logit_kind::bad};
    // Every kind of logits and types, rows that no vector width divides, at every alignment.
    std::size_t number = 0;
    for (const std::size_t vocabulary : {1U, 7U, 19U, 67U, 1001U})
        for (const types& t : all_types)
            for (const logit_kind kind : kinds) {
                ++number;
                if (size == extent::tiny && number % 5 != 0) continue;
                const token_loss_case c{kind == logit_kind::bad ? 4U : 3U,
                                        vocabulary,
                                        number % 9,
                                        number % 8,
                                        t.in,
                                        t.out,
                                        t.in_place,
                                        number % 2 == 0,
                                        number % 3 != 0,
                                        kind};
                check(on, c, found, number % 16 == 0);
            }
    for (const logit_type type : {f32, bf16}) check_without_gradient(on, type, found);
    if (size == extent::tiny) {
        check(on, {2, 5003, 3, 1, bf16, bf16, true, true, true, logit_kind::normal}, found, false);
        return;
    }
    // Real vocabularies; those of odd size at odd strides. The larger do not fit in shared memory.
    for (const std::size_t vocabulary : {32000U, 49152U, 102400U, 152064U, 151643U, 262144U}) {
        if (size == extent::small && vocabulary != 49152 && vocabulary != 151643) continue;
        const std::size_t padding = vocabulary % 2 == 0 ? 0 : 4;
        for (const types& t : all_types) {
            const logit_kind kind = vocabulary == 49152 ? logit_kind::rising : logit_kind::normal;
            check(on,
                  {size == extent::full ? 5U : 1U, vocabulary, padding, padding / 4, t.in, t.out,
                   t.in_place, false, t.in_place, kind},
                  found, size == extent::full && vocabulary < 110000);
        }
    }
}

}  // namespace kernel_cases

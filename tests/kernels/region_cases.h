// regions() against the formulas of ARCHITECTURE.md (Method) in long double.
#pragma once

#include <algorithm>

#include "machine.h"

namespace kernel_cases {

enum class confidence_kind { spread, equal, certain, tiny, with_zeros };

struct region_reference {
    sample_region result{};
    std::vector<double> row_scale;
};

/// One sample, token by token as the formulas stand; tokens are counted from 1 there.
inline region_reference reference_of(const region_settings& s, const std::vector<float>& log_p,
                                     const std::vector<float>& entropy,
                                     const std::vector<std::uint8_t>& sensitive,
                                     const std::vector<std::uint8_t>& left_out,
                                     const std::vector<std::uint8_t>& droppable) {
    region_reference r;
    const auto size = static_cast<std::ptrdiff_t>(s.window);
    std::vector<double> c, in_windows;
    for (std::size_t t = 0; t < log_p.size(); ++t) {
        c.push_back(std::exp(static_cast<double>(log_p[t])));
        if (left_out[t] == 0) in_windows.push_back(c.back());
    }
    const auto count = static_cast<std::ptrdiff_t>(in_windows.size());
    r.result.window = {0, 0, 1};
    r.result.weight = 1;
    r.result.finite = 1;
    const bool weighted = s.rule == token_rule::masks && s.reweight && !c.empty();
    if (weighted && count == 0) r.result.weight = std::pow(0, s.weight_power);
    if (weighted && count > 0) {
        long double least = 2;
        for (std::ptrdiff_t t = 1; t <= (count < size ? 1 : count); ++t) {
            const std::ptrdiff_t first =
                count < size ? 1 : std::max<std::ptrdiff_t>(1, t - size / 2);
            const std::ptrdiff_t last =
                count < size ? count : std::min(count, t + (size + 1) / 2 - 1);
            long double sum = 0;
            for (std::ptrdiff_t i = first; i <= last; ++i)
                sum += in_windows[static_cast<std::size_t>(i - 1)];
            const long double mean = sum / static_cast<long double>(last - first + 1);
            if (mean < least * (1 - 1e-16L)) {
                least = mean;
                r.result.window = {first - 1, last, static_cast<double>(mean)};
            }
        }
        r.result.weight =
            static_cast<double>(std::pow(1 - least, static_cast<long double>(s.weight_power)));
    }
    long double loss = 0, nll = 0, confidences = 0;
    const double divisor = s.divisor == step_divisor::tokens    ? s.step_tokens
                           : s.divisor == step_divisor::samples ? s.step_samples
                                                                : s.step_samples * double(c.size());
    for (std::size_t t = 0; t < log_p.size(); ++t) {
        double k = 1;
        if (s.rule == token_rule::confidence) k = c[t];
        if (s.rule == token_rule::entropy) k = std::pow(double(entropy[t]) / 3, s.alpha);
        if (s.rule == token_rule::threshold) k = c[t] >= s.tau ? 1 : 0;
        if (s.rule == token_rule::masks) {
            double mask = c[t] > s.tau ? 1 : 0;
            if (s.soft_mask) mask = s.tau <= 0 ? 1 : c[t] / (c[t] + s.tau);
            if (!s.confidence_mask || droppable[t] == 0) mask = 1;
            k = mask + (sensitive[t] != 0 ? s.lambda : 0);
        }
        if (k != 0) ++r.result.kept;
        r.row_scale.push_back(r.result.weight * k / divisor);
        if (r.result.weight * k != 0)
            loss -= static_cast<long double>(r.result.weight) * k * log_p[t];
        nll -= log_p[t];
        confidences += c[t];
        if (!std::isfinite(log_p[t])) r.result.finite = 0;
    }
    if (r.result.finite == 0) std::fill(r.row_scale.begin(), r.row_scale.end(), NAN);
    r.result.loss = c.empty() ? 0 : static_cast<double>(loss / divisor);
    r.result.nll = static_cast<double>(nll);
    r.result.mean_confidence =
        c.empty() ? 0 : static_cast<double>(confidences / static_cast<long double>(c.size()));
    return r;
}

inline float log_confidence(confidence_kind kind, std::size_t t, random_bits& random) {
    switch (kind) {
        case confidence_kind::spread: return static_cast<float>(2 * std::log(random.uniform()));
        case confidence_kind::equal: return -0.5F;
        case confidence_kind::certain: return 0.0F;
        case confidence_kind::tiny:
            return t % 97 == 50 ? -80.0F : static_cast<float>(-40 * random.uniform());
        case confidence_kind::with_zeros: break;
    }
    return random.next() % 7 == 0 ? -INFINITY : static_cast<float>(std::log(random.uniform()));
}

inline void check(machine& on, const region_settings& settings,
                  const std::vector<std::size_t>& lengths, confidence_kind kind, bool tagged,
                  findings& found, bool leaves_out = false, bool spares = false) {
    char name[200];
    std::snprintf(name, sizeof name,
                  "regions of %zu samples, window %zu, rule %d, divisor %d, kind %d%s%s%s",
                  lengths.size(), settings.window, static_cast<int>(settings.rule),
                  static_cast<int>(settings.divisor), static_cast<int>(kind),
                  leaves_out ? ", without some tokens" : "", spares ? ", some not droppable" : "",
                  settings.soft_mask ? ", soft" : "");
    found.begin(name);
    random_bits random(settings.window * 10 + static_cast<std::size_t>(kind));
    std::vector<std::int64_t> first_row{0};
    std::vector<float> log_p, entropy;
    std::vector<std::uint8_t> sensitive, left_out, droppable;
    for (const std::size_t length : lengths) {
        first_row.push_back(first_row.back() + static_cast<std::int64_t>(length));
        for (std::size_t t = 0; t < length; ++t) {
            log_p.push_back(log_confidence(kind, t, random));
            entropy.push_back(static_cast<float>(3 * random.uniform()));
            sensitive.push_back(tagged && random.next() % 3 == 0 ? 1 : 0);
            // In runs, as comments stand; a response of one token has nothing else.
            const bool out = length == 1 || t % 40 < 25 || random.next() % 4 == 0;
            left_out.push_back(leaves_out && out ? 1 : 0);
            droppable.push_back(!spares || random.next() % 2 == 0 ? 1 : 0);
        }
    }
    const std::size_t rows = log_p.size();
    std::vector<unsigned char> first_bytes;
    std::vector<float> row_scale;
    std::vector<sample_region> results;
    for (int repetition = 0; repetition < (kind == confidence_kind::spread ? repetitions : 1);
         ++repetition) {
        region_batch batch;
        batch.samples = lengths.size();
        batch.first_row = on.copy_in(first_row);
        batch.log_probability = on.copy_in(log_p);
        batch.entropy = settings.rule == token_rule::entropy ? on.copy_in(entropy) : nullptr;
        batch.sensitive = tagged ? on.copy_in(sensitive) : nullptr;
        batch.left_out = leaves_out ? on.copy_in(left_out) : nullptr;
        batch.droppable = spares ? on.copy_in(droppable) : nullptr;
        batch.sums = on.copy_in(std::vector<window_sum>(rows + lengths.size(), {NAN, NAN}));
        batch.row_scale = on.copy_in(std::vector<float>(rows, NAN));
        sample_region poison;
        std::memset(&poison, 0xff, sizeof poison);
        batch.results = on.copy_in(std::vector<sample_region>(lengths.size(), poison));
        found.ran(on.run(settings, batch));
        row_scale = on.copy_out(batch.row_scale, rows);
        results = on.copy_out(batch.results, lengths.size());
        std::vector<unsigned char> bytes(rows * 4 + results.size() * sizeof poison);
        if (rows > 0) std::memcpy(bytes.data(), row_scale.data(), rows * 4);
        std::memcpy(bytes.data() + rows * 4, results.data(), results.size() * sizeof poison);
        if (repetition == 0) first_bytes = bytes;
        found.same("a repetition", bytes.data(), first_bytes.data(), bytes.size());
        on.clear();
    }

    for (std::size_t s = 0; s < lengths.size(); ++s) {
        const auto first = first_row[s], last = first_row[s + 1];
        const region_reference wanted =
            reference_of(settings, {log_p.begin() + first, log_p.begin() + last},
                         {entropy.begin() + first, entropy.begin() + last},
                         {sensitive.begin() + first, sensitive.begin() + last},
                         {left_out.begin() + first, left_out.begin() + last},
                         {droppable.begin() + first, droppable.begin() + last});
        const sample_region &got = results[s], &want = wanted.result;
        found.near("window.first", s, double(got.window.first), double(want.window.first), 0);
        found.near("window.last", s, double(got.window.last), double(want.window.last), 0);
        // 40 units of a double: exp has an error of one, and the sums have theirs; the sums around
        // a mean leave an error on a mean that is far below them.
        found.near("window.mean", s, got.window.mean, want.window.mean,
                   1e-14 * want.window.mean + 1e-24);
        found.near("weight", s, got.weight, want.weight, 1e-14);
        const double terms = double(last - first) * 0x1p-52 + 1e-14;
        found.near("loss", s, got.loss, want.loss, terms * std::abs(want.loss) + 1e-13);
        found.near("nll", s, got.nll, want.nll, terms * std::abs(want.nll));
        found.near("mean_confidence", s, got.mean_confidence, want.mean_confidence, terms);
        found.near("kept", s, double(got.kept), double(want.kept), 0);
        found.near("finite", s, double(got.finite), double(want.finite), 0);
        for (auto row = first; row < last; ++row) {
            const double scale = wanted.row_scale[static_cast<std::size_t>(row - first)];
            // A unit of float, and what 1 - C loses if C is about 1.
            found.near("row_scale", static_cast<std::size_t>(row),
                       row_scale[static_cast<std::size_t>(row)], scale,
                       0x1p-23 * std::abs(scale) + 1e-15);
        }
    }
}

inline void region_cases(machine& on, extent size, findings& found) {
    const std::vector<std::size_t> few{0, 1, 2, 33, 0, 70};
    std::vector<std::size_t> lengths{1,   0,   2,   3,   31,  32,  33,  255,
                                     256, 257, 511, 512, 513, 600, 1025};
    if (size == extent::tiny) lengths = {1, 0, 31, 33, 1030};  // three tiles
    if (size == extent::full) lengths.insert(lengths.end(), {4096, 5, 8191});
    const confidence_kind kinds[] = {confidence_kind::spread, confidence_kind::equal,
                                     confidence_kind::certain, confidence_kind::tiny,
                                     confidence_kind::with_zeros};
    region_settings settings;
    settings.step_tokens = 7001;
    settings.step_samples = 11;
    for (const std::size_t window : {1U, 2U, 5U, 256U, 10000U}) {
        if (size == extent::tiny && window != 5 && window != 256) continue;
        settings.window = window;
        for (const confidence_kind kind : kinds) check(on, settings, lengths, kind, true, found);
        check(on, settings, lengths, confidence_kind::spread, true, found, true);
        check(on, settings, lengths, confidence_kind::with_zeros, false, found, true);
    }
    settings.window = 5;
    settings.soft_mask = true;
    settings.weight_power = 2.5;
    for (const confidence_kind kind : kinds)
        check(on, settings, lengths, kind, true, found, false, kind == confidence_kind::tiny);
    settings.tau = 0;  // no 0 / 0
    check(on, settings, few, confidence_kind::with_zeros, true, found);
    settings.soft_mask = false;
    settings.tau = 0.1;
    settings.weight_power = 0;
    check(on, settings, lengths, confidence_kind::spread, true, found, true, true);
    settings.weight_power = 1;
    check(on, settings, few, confidence_kind::with_zeros, true, found, false, true);
    settings.window = 4;
    for (const auto rule : {token_rule::masks, token_rule::one, token_rule::confidence,
                            token_rule::entropy, token_rule::threshold})
        for (const auto divisor :
             {step_divisor::tokens, step_divisor::samples, step_divisor::samples_and_length})
            for (const bool on_top : {false, true}) {
                region_settings s = settings;
                s.rule = rule;
                s.divisor = divisor;
                s.confidence_mask = on_top;
                s.lambda = on_top ? 0.5 : 1;
                s.reweight = divisor != step_divisor::samples;
                s.alpha = on_top ? 1 : 1.7;
                check(on, s, few, confidence_kind::with_zeros, on_top, found);
                // At the threshold itself: c > tau is strict, c >= tau is not.
                s.tau = 1;
                check(on, s, few, confidence_kind::certain, on_top, found);
            }
}

}  // namespace kernel_cases

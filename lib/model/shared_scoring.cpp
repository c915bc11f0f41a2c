#include "shared_scoring.h"

#include <algorithm>
#include <cstdint>

namespace cuset {

namespace {

std::vector<double> numbers_of(std::span<const packed_batch> passes) {
    number_writer to;
    to.put(passes.size());
    for (const packed_batch& pass : passes) {
        to.put(pass.samples.size());
        to.put(pass.inputs.size());
        to.put(pass.targets.size());
        for (const packed_sample& sample : pass.samples) {
            to.put(sample.begin);
            to.put(sample.first_scored);
            to.put(sample.end);
        }
        for (const std::int32_t token : pass.inputs) to.put(token);
        for (const std::int32_t token : pass.targets) to.put(token);
    }
    return to.take();
}

std::vector<packed_batch> passes_of(std::span<const double> numbers) {
    number_reader from(numbers);
    std::vector<packed_batch> passes(from.get<std::size_t>());
    for (packed_batch& pass : passes) {
        pass.samples.resize(from.get<std::size_t>());
        pass.inputs.resize(from.get<std::size_t>());
        pass.targets.resize(from.get<std::size_t>());
        for (packed_sample& sample : pass.samples) {
            sample.begin = from.get<std::int64_t>();
            sample.first_scored = from.get<std::int64_t>();
            sample.end = from.get<std::int64_t>();
        }
        for (std::int32_t& token : pass.inputs) token = from.get<std::int32_t>();
        for (std::int32_t& token : pass.targets) token = from.get<std::int32_t>();
    }
    return passes;
}

}  // namespace

/// All log-probabilities of the round, pass after pass.
std::vector<double> shared_scoring::run_round(std::span<const packed_batch> passes) {
    const std::size_t rank = others_.part().rank;
    std::size_t all = 0, before = 0;
    for (std::size_t i = 0; i < passes.size(); ++i) {
        if (i == rank) before = all;
        all += passes[i].targets.size();
    }
    std::vector<double> values(all);
    if (rank < passes.size()) {
        std::vector<float> found(passes[rank].targets.size());
        forward_.run(passes[rank], found);
        std::copy(found.begin(), found.end(), values.begin() + static_cast<std::ptrdiff_t>(before));
    } else {
        layers_->take_part(false);
    }
    others_.sum(values);
    return values;
}

void shared_scoring::run(std::span<const packed_batch> passes,
                         std::vector<std::vector<float>>& found) try {
    while (found.size() < passes.size()) {
        const auto round =
            passes.subspan(found.size(), std::min(others_.part().of, passes.size() - found.size()));
        others_.send(numbers_of(round));
        const std::vector<double> values = run_round(round);
        const double* from = values.data();
        for (const packed_batch& pass : round) {
            found.emplace_back(pass.targets.size());
            for (float& value : found.back()) value = static_cast<float>(*from++);
        }
    }
} catch (...) {
    others_.give_up();
    throw;
}

void shared_scoring::serve() {
    for (;;) {
        const std::vector<double> work = others_.receive();
        if (work.empty()) return;
        static_cast<void>(run_round(passes_of(work)));
    }
}

}  // namespace cuset

#include "cuset/kernels/adamw.h"

#include <algorithm>
#include <cmath>

#include "../both_sides.h"
#include "adamw_loops.h"

namespace cuset::kernels {

namespace {

const adamw_loops& active_loops() {
    static const adamw_loops& loops = adamw_loops_of(active_instruction_set());
    return loops;
}

struct chunk {
    const adamw_tensor* tensor;
    std::size_t begin, size;
};

/// Finds the last tensor that begins at or before chunk c: empty tensors before it begin there too.
chunk chunk_at(const adamw_step& step, std::size_t c) {
    const adamw_tensor* const tensor =
        std::upper_bound(step.tensors, step.tensors + step.count, c,
                         [](std::size_t at, const adamw_tensor& t) { return at < t.first_chunk; }) -
        1;
    const std::size_t begin = (c - tensor->first_chunk) * adamw_chunk;
    return {tensor, begin, std::min(adamw_chunk, tensor->size - begin)};
}

}  // namespace

std::size_t adamw_chunks(adamw_tensor* tensors, std::size_t count) {
    std::size_t chunks = 0;
    for (std::size_t i = 0; i < count; ++i) {
        tensors[i].first_chunk = chunks;
        chunks += (tensors[i].size + adamw_chunk - 1) / adamw_chunk;
    }
    return chunks;
}

void adamw_squares(const adamw_step& step, std::size_t first, std::size_t last) {
    for (std::size_t partial = first; partial < last; ++partial) {
        double sum = 0;
        for (std::size_t c = partial; c < step.chunks; c += adamw_partials) {
            const chunk part = chunk_at(step, c);
            sum += active_loops().squares(part.tensor->gradient + part.begin, part.size);
        }
        step.partials[partial] = sum;
    }
}

void adamw_norm(const adamw_step& step) {
    double sum = 0;
    for (std::size_t i = 0; i < adamw_partials; ++i) sum += step.partials[i];
    adamw_state& state = *step.state;
    state.norm = std::sqrt(sum);
    state.finite = std::isfinite(state.norm) ? 1 : 0;
    if (state.finite == 0) return;
    const auto number = static_cast<std::size_t>(state.steps);
    const auto n = static_cast<double>(++state.steps);
    prepare_update(step.options, step.learning_rates[std::min(number, step.rates - 1)],
                   std::pow(step.options.beta1, n), std::sqrt(1 - std::pow(step.options.beta2, n)),
                   state);
}

void adamw_update(const adamw_step& step, std::size_t first, std::size_t last) {
    const adamw_state& state = *step.state;
    if (state.finite == 0) return;
    const adamw_constants constants{state.clip,
                                    static_cast<float>(1 - step.options.beta1),
                                    static_cast<float>(step.options.beta2),
                                    static_cast<float>(1 - step.options.beta2),
                                    state.decay,
                                    state.step_size,
                                    state.second_scale,
                                    static_cast<float>(step.options.epsilon)};
    for (std::size_t c = first; c < last; ++c) {
        const auto [tensor, begin, size] = chunk_at(step, c);
        active_loops().update(constants, size, tensor->value + begin, tensor->gradient + begin,
                              tensor->first + begin, tensor->second + begin);
    }
}

}  // namespace cuset::kernels

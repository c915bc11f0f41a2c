#include "cuset/train/stubborn_tokens.h"

#include <cstdint>
#include <unordered_map>

namespace cuset {

namespace {

/// What one sample alone has may be what it teaches.
constexpr std::size_t least_samples = 2;

std::int32_t id_of(const training_pair& pair, std::size_t response_token) {
    return pair.tokens[pair.prompt_length + response_token];
}

}  // namespace

stubborn_tokens::stubborn_tokens(const data_set& data) : data_(data) {
    for (const training_pair& pair : data.pairs) {
        low_.emplace_back(pair.response_tokens());
        droppable_.emplace_back(pair.response_tokens());
    }
}

void stubborn_tokens::enter(std::size_t epoch) {
    if (epoch == epoch_) return;
    epoch_ = epoch;
    struct occurrence {
        std::size_t samples = 0, last_sample = 0;
    };
    std::unordered_map<std::int32_t, occurrence> found;
    for (std::size_t s = 0; s < low_.size(); ++s)
        for (std::size_t t = 0; t < low_[s].size(); ++t) {
            if (!low_[s][t]) continue;
            occurrence& one = found[id_of(data_.pairs[s], t)];
            if (one.samples > 0 && one.last_sample == s) continue;
            ++one.samples;
            one.last_sample = s;
        }
    for (std::size_t s = 0; s < low_.size(); ++s)
        for (std::size_t t = 0; t < low_[s].size(); ++t) {
            droppable_[s][t] =
                low_[s][t] && found[id_of(data_.pairs[s], t)].samples >= least_samples;
            low_[s][t] = false;
        }
}

std::vector<float> stubborn_tokens::state() const {
    std::vector<float> state;
    state.reserve(data_.response_tokens());
    for (std::size_t s = 0; s < low_.size(); ++s)
        for (std::size_t t = 0; t < low_[s].size(); ++t)
            state.push_back((low_[s][t] ? 1.0F : 0.0F) + (droppable_[s][t] ? 2.0F : 0.0F));
    return state;
}

status stubborn_tokens::restore(std::span<const float> state, std::size_t epoch) {
    if (state.empty()) return data_error("its stubborn tokens are missing");
    std::size_t next = 0;
    for (std::size_t s = 0; s < low_.size(); ++s)
        for (std::size_t t = 0; t < low_[s].size(); ++t, ++next) {
            if (next == state.size()) return data_error("its stubborn tokens are of other data");
            const float value = state[next];
            if (value != 0 && value != 1 && value != 2 && value != 3)
                return data_error("its stubborn tokens are damaged");
            low_[s][t] = value == 1 || value == 3;
            droppable_[s][t] = value >= 2;
        }
    if (next != state.size()) return data_error("its stubborn tokens are of other data");
    epoch_ = epoch;
    return {};
}

}  // namespace cuset

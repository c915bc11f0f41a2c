#include "shared_decoding.h"

#include <vector>

namespace cuset {

namespace {

enum class request : unsigned char { append, copy };

}  // namespace

void shared_decoding::append(std::span<const decoding_step> steps, std::span<float> logits) try {
    number_writer to;
    to.put(static_cast<int>(request::append));
    to.put(steps.size());
    for (const decoding_step& step : steps) {
        to.put(step.sequence);
        to.put(step.past);
        to.put(step.scored);
        to.put(step.tokens.size());
        for (const std::int32_t token : step.tokens) to.put(token);
    }
    others_.send(to.take());
    own_->append(steps, logits);
} catch (...) {
    others_.give_up();
    throw;
}

void shared_decoding::copy(std::size_t from, std::size_t to_sequence, std::int64_t length) try {
    number_writer to;
    to.put(static_cast<int>(request::copy));
    to.put(from);
    to.put(to_sequence);
    to.put(length);
    others_.send(to.take());
    own_->copy(from, to_sequence, length);
} catch (...) {
    others_.give_up();
    throw;
}

void shared_decoding::serve() {
    for (;;) {
        const std::vector<double> work = others_.receive();
        if (work.empty()) return;
        number_reader from(work);
        switch (static_cast<request>(from.get<int>())) {
            case request::append: {
                std::vector<decoding_step> steps(from.get<std::size_t>());
                std::vector<std::vector<std::int32_t>> tokens(steps.size());
                std::int64_t rows = 0;
                for (std::size_t i = 0; i < steps.size(); ++i) {
                    steps[i].sequence = from.get<std::size_t>();
                    steps[i].past = from.get<std::int64_t>();
                    steps[i].scored = from.get<std::int64_t>();
                    tokens[i].resize(from.get<std::size_t>());
                    for (std::int32_t& token : tokens[i]) token = from.get<std::int32_t>();
                    steps[i].tokens = tokens[i];
                    rows += steps[i].scored;
                }
                std::vector<float> logits(static_cast<std::size_t>(rows * vocab_));
                own_->append(steps, logits);
                break;
            }
            case request::copy: {
                const auto first = from.get<std::size_t>(), second = from.get<std::size_t>();
                own_->copy(first, second, from.get<std::int64_t>());
                break;
            }
        }
    }
}

}  // namespace cuset

#include "cuset/sample/sampler.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <span>
#include <utility>

#include "cuset/base/processors.h"
#include "cuset/base/random_key.h"
#include "cuset/kernels/token_loss.h"
#include "cuset/sample/ngram_draft.h"

namespace cuset {

namespace {

/// What one more row of a pass costs, as a share of the pass: 0.03 to 0.08 on an AMD EPYC of
/// Zen 5. A token more is worth the pass of one sequence, and so a guess has to be right the more
/// often the more sequences share the pass; but what is nearly always right is always worth it.
constexpr double row_cost = 0.04, always_worth = 0.75;

/// Logits of a pass from which threads draw its tokens: a token of 152,064 logits takes 0.9 ms, so
/// that 64 answers at a time would take longer to draw than a GPU takes for the pass.
constexpr std::size_t worth_threads = 1 << 20;

/// A token drawn from a row, and the logarithm of its probability if that is kept.
struct drawn_token {
    result<std::int32_t> token = std::int32_t{0};
    float log_probability = 0;
};

struct place {
    explicit place(ngram_draft d) : draft(std::move(d)) {}

    std::size_t number = 0;  ///< of its request
    sampling_request request;
    sampled_answer answer;
    ngram_draft draft;
};

class sampling_run {
public:
    sampling_run(cached_decoder& decoder, const sampler_options& options)
        : decoder_(decoder),
          options_(options),
          threads_(options.threads > 0 ? options.threads : usable_cores()),
          arena_(threads_),
          choices_(options.choice),
          vocabulary_(static_cast<std::size_t>(decoder.config().vocab)),
          prompt_logits_(vocabulary_),
          places_(options.places) {}

    status run(const std::function<result<std::optional<sampling_request>>()>& next,
               const std::function<status(std::size_t, sampled_answer)>& done,
               const std::function<bool()>& would_wait,
               const std::function<void(std::size_t)>& step);

private:
    bool is_idle() const {
        return std::none_of(places_.begin(), places_.end(),
                            [](const auto& p) { return p.has_value(); });
    }
    status begin(sampling_request request, place& p, std::size_t sequence);
    status read_prompt(const sampling_request& request);
    drawn_token draw(std::span<const float> logits, std::uint64_t bits);
    void draw_rows(std::span<const std::uint64_t> bits);
    status take_token(place& p, const drawn_token& drawn);
    bool is_over(const place& p) const;
    std::size_t room(const place& p) const;
    result<std::size_t> advance();

    cached_decoder& decoder_;
    const sampler_options& options_;
    int threads_;
    tbb::task_arena arena_;
    tbb::enumerable_thread_specific<token_choice> choices_;
    std::size_t vocabulary_;
    std::shared_ptr<const std::vector<std::int32_t>> prompt_;  // in the last sequence
    std::vector<float> prompt_logits_, logits_;
    std::vector<drawn_token> drawn_;  // of each row of logits_
    draft_memory drafts_;
    std::vector<std::optional<place>> places_;
};

/// Prompts often begin alike, with the system's message: of that, what the last one had is kept.
status sampling_run::read_prompt(const sampling_request& request) {
    if (request.prompt == prompt_) return {};
    const std::span<const std::int32_t> tokens = *request.prompt;
    std::size_t known = 0;
    if (prompt_) {
        const std::size_t most = std::min(prompt_->size(), tokens.size() - 1);
        while (known < most && (*prompt_)[known] == tokens[known]) ++known;
    }
    prompt_.reset();
    decoder_.truncate(options_.places, known);
    const decoder_input rest{options_.places, tokens.subspan(known)};
    CUSET_TRY(decoder_.append({&rest, 1}, prompt_logits_));
    prompt_ = request.prompt;
    return {};
}

drawn_token sampling_run::draw(std::span<const float> logits, std::uint64_t bits) {
    drawn_token drawn;
    drawn.token = choices_.local().choose(logits, bits);
    if (drawn.token && options_.keeps_log_probabilities) {
        kernels::token_loss_state state = kernels::empty_token_loss;
        kernels::token_loss_strip(logits.data(), 1, logits.size(), logits.size(), 0, &*drawn.token,
                                  &state);
        kernels::token_loss_finish(&state, 1, &drawn.log_probability);
    }
    return drawn;
}

/// Draws a token from each row of logits_, also from those whose guesses turn out to be wrong.
void sampling_run::draw_rows(std::span<const std::uint64_t> bits) {
    drawn_.resize(bits.size());
    const auto draw_row = [&](std::size_t row) {
        drawn_[row] = draw(std::span(logits_).subspan(row * vocabulary_, vocabulary_), bits[row]);
    };
    if (threads_ == 1 || logits_.size() < worth_threads) {
        for (std::size_t row = 0; row < bits.size(); ++row) draw_row(row);
    } else {
        arena_.execute([&] { tbb::parallel_for(std::size_t{0}, bits.size(), draw_row); });
    }
}

status sampling_run::take_token(place& p, const drawn_token& drawn) {
    auto& answer = p.answer;
    if (!drawn.token) return status(drawn.token.error()).with_prefix(decoder_.name() + ": ");
    const std::int32_t token = *drawn.token;
    answer.tokens.push_back(token);
    if (options_.keeps_log_probabilities) answer.log_probabilities.push_back(drawn.log_probability);
    p.draft.extend(token);
    answer.ended =
        std::find(options_.ends.begin(), options_.ends.end(), token) != options_.ends.end();
    return {};
}

/// Tokens that the answer may still get.
std::size_t sampling_run::room(const place& p) const {
    const std::size_t tokens = p.answer.tokens.size(), all = p.request.prompt->size() + tokens;
    return std::min(options_.max_new_tokens - std::min(options_.max_new_tokens, tokens),
                    options_.max_tokens - std::min(options_.max_tokens, all));
}

bool sampling_run::is_over(const place& p) const { return p.answer.ended || room(p) == 0; }

status sampling_run::begin(sampling_request request, place& p, std::size_t sequence) {
    CUSET_TRY(read_prompt(request));
    decoder_.clear(sequence);
    p.request = std::move(request);
    p.answer = {};
    p.draft.read(*p.request.prompt);
    CUSET_TRY(take_token(p, draw(prompt_logits_, mixed_key(p.request.key, 0))));
    if (!is_over(p)) CUSET_TRY(decoder_.copy(options_.places, sequence));
    return {};
}

/// Makes a token for each sequence, and one more for every token of its draft that is the one
/// drawn. Returns how many.
result<std::size_t> sampling_run::advance() {
    std::vector<std::vector<std::int32_t>> tokens(places_.size());  // the last one and its draft
    std::vector<decoder_input> inputs;
    std::vector<std::uint64_t> bits;  // for each row's token
    std::size_t made = 0;
    const auto at_work =
        std::count_if(places_.begin(), places_.end(), [](const auto& p) { return p.has_value(); });
    const double least = std::min(row_cost * static_cast<double>(at_work), always_worth);
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (!places_[i]) continue;
        const auto guess = places_[i]->draft.propose(room(*places_[i]) - 1, least);
        tokens[i].push_back(places_[i]->answer.tokens.back());
        tokens[i].insert(tokens[i].end(), guess.begin(), guess.end());
        inputs.push_back({i, tokens[i], tokens[i].size()});
        for (std::size_t row = 0; row < tokens[i].size(); ++row)
            bits.push_back(
                mixed_key(places_[i]->request.key, places_[i]->answer.tokens.size() + row));
    }
    logits_.resize(bits.size() * vocabulary_);
    CUSET_TRY(decoder_.append(inputs, logits_));
    draw_rows(bits);
    const drawn_token* row = drawn_.data();
    for (const auto& input : inputs) {
        place& p = *places_[input.sequence];
        const std::span<const std::int32_t> guess = input.tokens.subspan(1);
        std::size_t right = 0;
        for (;; ++right) {
            CUSET_TRY(take_token(p, row[right]));
            if (right == guess.size() || p.answer.ended || p.answer.tokens.back() != guess[right])
                break;
        }
        made += right + 1;
        row += input.tokens.size();
        if (guess.empty()) continue;
        decoder_.truncate(input.sequence, p.request.prompt->size() + p.answer.tokens.size() - 1);
    }
    return made;
}

status sampling_run::run(const std::function<result<std::optional<sampling_request>>()>& next,
                         const std::function<status(std::size_t, sampled_answer)>& done,
                         const std::function<bool()>& would_wait,
                         const std::function<void(std::size_t)>& step) {
    bool at_end = false;
    std::size_t drawn = 0;
    const auto finish = [&](std::optional<place>& p, std::size_t sequence) -> status {
        decoder_.clear(sequence);
        const std::size_t number = p->number;
        if (options_.draft > 0) drafts_.answers.add(*p->request.prompt, p->answer.tokens);
        sampled_answer answer = std::move(p->answer);
        p.reset();
        return done(number, std::move(answer));
    };
    for (;;) {
        std::size_t at_work = 0;
        for (std::size_t i = 0; i < places_.size(); ++i) {
            while (!places_[i] && !at_end && (is_idle() || !would_wait())) {
                CUSET_ASSIGN(auto request, next());
                at_end = !request;
                if (at_end) break;
                places_[i].emplace(ngram_draft(options_.draft, drafts_)).number = drawn++;
                CUSET_TRY(begin(*std::move(request), *places_[i], i));
                step(1);
                if (is_over(*places_[i])) CUSET_TRY(finish(places_[i], i));
            }
            if (places_[i]) ++at_work;
        }
        if (at_work == 0) return {};
        CUSET_ASSIGN(const std::size_t made, advance());
        step(made);
        for (std::size_t i = 0; i < places_.size(); ++i)
            if (places_[i] && is_over(*places_[i])) CUSET_TRY(finish(places_[i], i));
    }
}

}  // namespace

status sample_answers(cached_decoder& decoder, const sampler_options& options,
                      const std::function<result<std::optional<sampling_request>>()>& next,
                      const std::function<status(std::size_t number, sampled_answer)>& done,
                      const std::function<bool()>& would_wait,
                      const std::function<void(std::size_t tokens)>& step) {
    return sampling_run(decoder, options).run(next, done, would_wait, step);
}

}  // namespace cuset

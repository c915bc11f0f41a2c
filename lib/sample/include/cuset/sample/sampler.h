// Answers of a model on this machine, several at a time: a new one takes the place of one that
// ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/model/cached_decoder.h"
#include "cuset/sample/token_choice.h"

namespace cuset {

struct sampler_options {
    token_choice_options choice;
    std::size_t places = 8;             ///< sequences at a time
    std::size_t max_new_tokens = 1024;  ///< of an answer, its end marker included
    std::size_t max_tokens = 4096;      ///< of prompt and answer
    std::vector<std::int32_t> ends;     ///< tokens that end an answer
    /// The most tokens of an answer that one pass checks beside the one that it makes: guesses of
    /// ngram_draft, also from answers that have ended. The answers are the same, since each token
    /// is still drawn from its own logits.
    std::size_t draft = 0;
    /// Of the processor, which draw the tokens of different rows; 0: one a core.
    int threads = 0;
    bool keeps_log_probabilities = false;  ///< in the answers
};

struct sampling_request {
    /// At least one token, and fewer than max_tokens. Of a prompt that begins like the one before
    /// it, only the rest is read.
    std::shared_ptr<const std::vector<std::int32_t>> prompt;
    std::uint64_t key = 0;  ///< seed of its random numbers: token i uses mixed_key(key, i)
};

struct sampled_answer {
    std::vector<std::int32_t> tokens;  ///< with the end marker, where there is one
    bool ended = false;                ///< by an end token, not by a limit
    /// If they are kept, for each token: log softmax of the model's own logits, at temperature 1
    /// and without top_p or top_k, whatever it was drawn with.
    std::vector<float> log_probabilities{};
};

/// Draws requests as places become free, and delivers answers as they end, with the request's
/// number from 0. On a CPU an answer depends on its prompt and key alone, not on the requests in
/// other places. `decoder` has places + 1 sequences, all empty, of max_tokens tokens.
/// `would_wait()` says whether drawing would wait for somebody; it is put off while answers are
/// being computed. `step(tokens)` is called after each pass with the number of tokens that the pass
/// made. An error of a callback ends the run, and so does a data error if logits are not finite.
status sample_answers(cached_decoder& decoder, const sampler_options& options,
                      const std::function<result<std::optional<sampling_request>>()>& next,
                      const std::function<status(std::size_t number, sampled_answer)>& done,
                      const std::function<bool()>& would_wait,
                      const std::function<void(std::size_t tokens)>& step);

}  // namespace cuset

// Answers of a model on this machine, several at a time: a finished one gives up its place.
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
};

struct sampling_request {
    /// At least one token, and less than max_tokens. Requests in a row that share it read it once.
    std::shared_ptr<const std::vector<std::int32_t>> prompt;
    std::uint64_t key = 0;  ///< of its random numbers: mixed_key(key, i) for token i
};

struct sampled_answer {
    std::vector<std::int32_t> tokens;  ///< with the end marker, where there is one
    bool ended = false;                ///< by itself, not by a length
};

/// Draws requests as places become free and delivers answers as they end, with the request's number
/// from 0. The answer to a request depends on its prompt and key alone, on a CPU: not on what is in
/// the other places. `decoder` has places + 1 sequences, all empty, of max_tokens tokens.
/// `would_wait()`: whether drawing waits for somebody; while answers are at work, it is left then.
/// `step(tokens)` is called after each pass with the tokens that it made. Errors of the callbacks
/// end the run; a data error of a model whose logits are not finite does too.
status sample_answers(cached_decoder& decoder, const sampler_options& options,
                      const std::function<result<std::optional<sampling_request>>()>& next,
                      const std::function<status(std::size_t number, sampled_answer)>& done,
                      const std::function<bool()>& would_wait,
                      const std::function<void(std::size_t tokens)>& step);

}  // namespace cuset

// Training pairs as tokens, all of them in memory: four bytes a token.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "cuset/ask/task_ask.h"
#include "cuset/base/status.h"
#include "cuset/stream/record_filter.h"
#include "cuset/text/chat_template.h"
#include "cuset/text/tokenizer.h"
#include "cuset/train/token_masks.h"

namespace cuset {

struct training_pair {
    std::string id;
    std::vector<std::int32_t> tokens;  ///< prompt, then response with the template's tail
    std::size_t prompt_length = 0;     ///< of `tokens`; at least 1
    std::vector<bool> sensitive;       ///< for each response token: the CUDA mask has it
    std::vector<bool> left_out{};      ///< of windows, as comments may be; empty: none is

    double weight = 1;  ///< what its loss is multiplied by

    /// Of record_form::preferences: prompt and response that were judged worse, where `tokens` has
    /// the better ones. The cut-off may leave them another part of the prompt.
    std::vector<std::int32_t> rejected{};
    std::size_t rejected_prompt_length = 0;
    std::vector<bool> rejected_sensitive{};  ///< as `sensitive`, of the worse response's tokens

    /// Of record_form::judged_answers.
    double advantage = 0;
    std::vector<float> old_log_p{};  ///< of the response's tokens, by the model that drew them
    bool is_masked = false;          ///< no token of it counts

    std::size_t length() const { return tokens.size() + rejected.size(); }
    std::size_t response_tokens() const {
        return length() - prompt_length - rejected_prompt_length;
    }
};

/// What the records of a data set are.
enum class record_form : unsigned char {
    pairs,           ///< a prompt and its response
    preferences,     ///< a prompt, and two responses of which one was judged better
    judged_answers,  ///< a prompt, an answer with its tokens' probabilities, and its advantage
};

struct data_set {
    std::vector<training_pair> pairs;
    std::uint64_t hash = 0;  ///< of all ids, tokens and their sensitivity, in order
    std::size_t cut_prompts = 0;
    std::size_t cut_responses = 0;   ///< pairs that lost their end marker
    std::string first_cut_response;  ///< its id
    /// What made the prompts, in alphabetical order; see task_ask::apply. Without those asked
    /// plain.
    std::set<std::string, std::less<>> asks;
    std::size_t without_response = 0;  ///< left out: the cut leaves no prompt or no response token
    stream_summary summary;

    std::size_t longest() const;
    std::size_t response_tokens() const;
};

struct data_set_options {
    record_form form = record_form::pairs;
    bool keeps_truncated = false;  ///< judged answers: those that a limit of tokens ended count too
    std::size_t max_tokens = 4096;
    std::size_t most_records = 0;    ///< of each input, the first ones; 0: all
    std::int64_t vocab = INT32_MAX;  ///< of the model: a token outside it is a data error
    token_masks masks;               ///< what the records' tags are read for
    /// Preferences and judged answers: whether `sensitive` has the tokens in kernels and launch
    /// configurations, which are looked for in the responses themselves.
    bool finds_code = false;
    std::string response_field;
    std::string weight_field{};  ///< of pairs: the member with the weight; empty: all weigh 1
};

/// Reads all records of `stream` (its output is not used). A record without a tag, or without
/// roles, is a data error if they are needed, as is one whose weight is no finite number of at
/// least 0.
///
/// Preferences are TRL's records {"prompt", "chosen", "rejected"}: strings, or lists of messages
/// ("role", "content"), where "chosen" and "rejected" are the assistant's turn alone or, without
/// "prompt", whole conversations that differ in their last turn. Tags are not read of them.
///
/// Judged answers have, beside prompt and response, "advantage" and the "score" of cuset-sample
/// --confidence; "finish": "length" says that a limit of tokens ended it. Their tokens are those of
/// the score, as they were drawn: another division of the same text would have other probabilities.
/// A data error for a score that is not of this tokenizer or not of the plain distribution, and for
/// an answer that does not fit into max_tokens with its prompt, since a cut would change what the
/// probabilities are of.
result<data_set> read_data_set(stream_options stream, const data_set_options& options,
                               const task_ask& ask, const tokenizer& words,
                               const chat_template& chat);

/// Moves pairs out of `data` into a set of their own, chosen by the seed: `size` pairs or, below 1,
/// that share of them, rounded up. At least one stays. The hash of `data` stays that of all; with
/// the seed and the size it decides which pairs are held out.
data_set hold_out(data_set& data, double size, std::uint64_t seed);

}  // namespace cuset

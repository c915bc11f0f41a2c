// A pair as a model sees it: the chat template around it, tokens, and the cut-off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/text/chat_template.h"
#include "cuset/text/tokenizer.h"

namespace cuset {

/// A prompt and a response that were encoded apart and then joined, so that no token crosses from
/// one into the other. Each is cut from its end as infer_seqlen says.
struct encoded_pair {
    std::vector<std::int32_t> ids;  ///< prompt, then the assistant's turn with the template's tail
    std::size_t prompt_length = 0;  ///< of `ids`
    /// ends[i] is where the bytes of response token i end in the response: ids.size() -
    /// prompt_length values, never falling. Tokens that are wholly outside the response, of the
    /// text around it and of the tail, have no bytes: they end where it begins, or ends.
    std::vector<std::size_t> ends;
    std::size_t prompt_cut = 0;    ///< prompt tokens left out
    std::size_t response_cut = 0;  ///< response tokens left out, the end marker among them
};

/// A response, and what the assistant's turn has around it, such as the lines of a fence. They are
/// encoded as one text, as a model writes it: a token may cross from one into the other.
struct framed_response {
    std::string_view text;
    std::string_view before = {}, after = {};
};

/// Appends the tokens of `conversation`, up to where a response begins: those that encode_pair puts
/// before a response, if it cuts nothing. (Qwen3's differ by its thinking block: see
/// chat_template::render.)
status encode_prompt(const tokenizer& words, const chat_template& chat,
                     std::span<const chat_message> conversation, std::vector<std::int32_t>& ids);

/// Encodes `conversation` (all before the response) and `response` in at most `max_tokens` tokens.
/// Errors are those of chat_template::render and tokenizer::encode. `pair` is overwritten, and its
/// memory is used again.
status encode_pair(const tokenizer& words, const chat_template& chat,
                   std::span<const chat_message> conversation, const framed_response& response,
                   std::size_t max_tokens, encoded_pair& pair);

}  // namespace cuset

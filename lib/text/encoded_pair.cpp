#include "cuset/text/encoded_pair.h"

#include <algorithm>
#include <string>

#include "cuset/text/cutoff.h"

namespace cuset {

namespace {

/// Appends the tokens of the prompt, each of its pieces encoded alone.
status encode_pieces(const tokenizer& words, const rendered_chat& around,
                     std::vector<std::int32_t>& ids) {
    const std::string_view prompt = around.prompt;
    std::size_t begin = 0;
    for (const std::size_t cut : around.cuts) {
        CUSET_TRY(words.encode(prompt.substr(begin, cut - begin), ids));
        begin = cut;
    }
    return words.encode(prompt.substr(begin), ids);
}

}  // namespace

status encode_prompt(const tokenizer& words, const chat_template& chat,
                     std::span<const chat_message> conversation, std::vector<std::int32_t>& ids) {
    CUSET_ASSIGN(const rendered_chat around, chat.render(conversation));
    return encode_pieces(words, around, ids);
}

status encode_pair(const tokenizer& words, const chat_template& chat,
                   std::span<const chat_message> conversation, const framed_response& response,
                   std::size_t max_tokens, encoded_pair& pair) {
    pair.ids.clear();
    pair.ends.clear();
    std::string turn;
    turn.append(response.before).append(response.text).append(response.after);
    CUSET_ASSIGN(const rendered_chat around, chat.render(conversation, turn));
    CUSET_TRY(encode_pieces(words, around, pair.ids));
    std::vector<std::int32_t> response_ids;
    std::size_t first = response.before.size();  // where the response begins in what is encoded
    if (around.lead_is_apart) {
        CUSET_TRY(words.encode(around.lead, response_ids));
        pair.ends.assign(response_ids.size(), 0);
    } else {
        first += around.lead.size();
        turn.insert(0, around.lead);
    }
    CUSET_TRY(words.encode(turn + around.tail, response_ids, pair.ends));

    const kept_lengths kept = infer_seqlen(pair.ids.size(), response_ids.size(), max_tokens);
    pair.prompt_cut = pair.ids.size() - kept.source;
    pair.response_cut = response_ids.size() - kept.target;
    pair.prompt_length = kept.source;
    pair.ids.resize(kept.source);
    pair.ids.insert(pair.ids.end(), response_ids.begin(),
                    response_ids.begin() + static_cast<std::ptrdiff_t>(kept.target));
    pair.ends.resize(kept.target);
    for (std::size_t& end : pair.ends)
        end = std::min(std::max(end, first) - first, response.text.size());
    return {};
}

}  // namespace cuset

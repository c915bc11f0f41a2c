// Reads sampled answers with an advantage. Private to lib/train.
#pragma once

#include <cstdint>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/stream/pair_record.h"
#include "cuset/text/tokenizer.h"

namespace cuset {

struct judged_answer {
    double advantage = 0;
    std::vector<std::int32_t> tokens;  ///< as they were drawn
    std::vector<std::size_t> ends;     ///< of each, in bytes of the response
    std::vector<float> log_p;          ///< of each, by the model that drew it
    bool is_truncated = false;         ///< a limit of tokens ended it
};

/// Reads "advantage", "finish" and "score" ("id", "end", "confidence": cuset-sample --confidence)
/// of a record that was read with its members and its response. A data error for what is missing or
/// has another form; for "temperature", "top_p" or "top_k", in the record or its score, that say
/// that the probabilities are not those of the plain distribution; and for tokens whose bytes by
/// `words` are not those of the response.
status read_judged_answer(const pair_record& record, const tokenizer& words, judged_answer& answer);

}  // namespace cuset

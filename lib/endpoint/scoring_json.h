// The JSON of the completions API as far as it scores a text: requests as text, answers as values.
#pragma once

#include <span>
#include <string>

#include "chat_json.h"
#include "cuset/endpoint/endpoint.h"

namespace cuset {

/// The body of a request. `theirs`: see endpoint_options::body.
std::string scoring_body(const text_to_score& request, const std::string& model,
                         std::span<const body_member> theirs);

/// Reads an answer, like read_completion.
reading read_scores(std::string& body, scored_tokens& out, std::string& why);

}  // namespace cuset

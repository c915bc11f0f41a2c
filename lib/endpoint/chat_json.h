// The JSON of the chat completions API: requests as text, answers as values.
#pragma once

#include <string>
#include <string_view>

#include "cuset/base/status.h"
#include "cuset/endpoint/endpoint.h"

namespace cuset {

enum class reading : unsigned char {
    whole,    ///< the answer has what was asked for
    no_json,  ///< cut, or no JSON: another attempt may succeed
    strange,  ///< JSON of another shape
};

/// The body of a request. `newer_limit_name`: "max_completion_tokens" for "max_tokens". `theirs`:
/// see endpoint_options::body.
std::string request_body(const completion_request& request, const std::string& model,
                         bool newer_limit_name, std::span<const body_member> theirs);

/// Reads an answer. `why` says what is wrong if the answer is not whole. `body` may be changed.
reading read_completion(std::string& body, completion& out, std::string& why);

/// Reads the name of the first model in a list of models, like read_completion.
reading read_first_model(std::string& body, std::string& name, std::string& why);

/// The message of an error answer, in one line of bounded length, with `key` removed. Empty if the
/// answer has no message.
std::string error_text(std::string& body, std::string_view key);

}  // namespace cuset

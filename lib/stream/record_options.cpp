#include "cuset/stream/pair_record.h"

namespace cuset {

namespace {

status check(const record_columns& columns, const record_options& options) {
    const auto complain_of = [](const std::string& what) {
        return usage_error("--columns: " + what);
    };
    if (!options.prompt_field.empty() || !options.response_field.empty())
        return complain_of("it goes with neither --prompt-field nor --response-field");
    for (const std::string& field :
         columns.is_conversation ? std::vector{columns.messages, columns.system}
                                 : std::vector{columns.prompt, columns.query, columns.response,
                                               columns.history, columns.system})
        if (!field.empty() && (field == "id" || field == "tag" || field == "score" ||
                               field == "window" || field == options.own_key))
            return complain_of('"' + field + "\" has another meaning here");
    if (!columns.is_conversation && columns.response.empty() && !options.questions)
        return complain_of("the data set has no response");
    return {};
}

}  // namespace

status check(const record_options& options) {
    if (options.columns) return check(*options.columns, options);
    const std::string &prompt = options.prompt_field, &response = options.response_field;
    const auto taken = [&](const std::string& field) {
        return !field.empty() &&
               (field == "id" || field == "tag" || field == "score" || field == options.own_key);
    };
    if (taken(response)) return usage_error("--response-field: \"" + response + "\" is no text");
    if (taken(prompt)) return usage_error("--prompt-field: \"" + prompt + "\" is no text");
    if (!prompt.empty() && prompt == (response.empty() ? "response" : response))
        return usage_error("--prompt-field: \"" + prompt + "\" is the response");
    return {};
}

}  // namespace cuset

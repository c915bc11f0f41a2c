// The options of the tools that ask an OpenAI-compatible server.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cuset/base/status.h"
#include "cuset/cli/option_table.h"
#include "cuset/endpoint/endpoint.h"

namespace cuset {

struct endpoint_flags {
    std::string endpoint, key_variable = "CUSET_API_KEY";
    std::int64_t concurrency = 8, attempts = 6;
    double request_timeout = 600;
    std::string body;
};

/// Appends the options and CUSET_API_KEY to the program's tables. `endpoint_help`: the help of
/// --endpoint. `kept`: the members that --body cannot change, for its help.
void add_endpoint_flags(program& p, endpoint_flags& flags, std::string endpoint_help,
                        std::span<const std::string_view> kept);

/// Checks what the parser cannot: --body without --endpoint, too.
status check(const endpoint_flags& flags);

/// Translates the flags; `model` is the server's name for the model. A usage error if --body is no
/// JSON object or has one of the members `kept`.
result<endpoint_options> to_endpoint_options(const endpoint_flags& flags, const std::string& model,
                                             std::span<const std::string_view> kept);

}  // namespace cuset

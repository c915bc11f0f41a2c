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

/// What follows in the help of --endpoint.
inline constexpr const char* several_servers_help =
    " Several servers of the same model have a comma between them: "
    "http://a:8000/v1,http://b:8000/v1. Requests are spread over them; those of a server that "
    "fails go to the others, and a warning names it. The key is sent to each.";
inline constexpr const char* requests_per_minute_help =
    "How many requests are sent in a minute, to all servers together and with all attempts; they "
    "leave at equal distances. 0: as many as there can be.";

inline constexpr std::int64_t most_requests_per_minute = 1'000'000'000;

struct endpoint_flags {
    std::string endpoint, key_variable = "CUSET_API_KEY";
    std::int64_t concurrency = 8, requests_per_minute = 0, attempts = 6;
    double request_timeout = 600;
    std::string body;
};

/// Appends the options and CUSET_API_KEY to the program's tables. `endpoint_help`: the help of
/// --endpoint. `kept`: the members that --body cannot change, for its help.
void add_endpoint_flags(program& p, endpoint_flags& flags, std::string endpoint_help,
                        std::span<const std::string_view> kept);

/// Checks what the parser cannot: --body or --requests-per-minute without --endpoint, too.
status check(const endpoint_flags& flags);

/// Translates the flags; `model` is the server's name for the model. A usage error if --body is no
/// JSON object or has one of the members `kept`.
result<endpoint_options> to_endpoint_options(const endpoint_flags& flags, const std::string& model,
                                             std::span<const std::string_view> kept);

}  // namespace cuset

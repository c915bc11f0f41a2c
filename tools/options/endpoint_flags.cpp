#include "endpoint_flags.h"

#include <cstdlib>

namespace cuset {

void add_endpoint_flags(program& p, endpoint_flags& flags, std::string endpoint_help,
                        std::span<const std::string_view> kept) {
    std::string names;
    for (std::size_t i = 0; i < kept.size(); ++i)
        names.append(i == 0 ? "" : i + 1 == kept.size() ? " and " : ", ").append(kept[i]);
    p.add({
        {0, "endpoint", "URL", std::move(endpoint_help) + several_servers_help, &flags.endpoint},
        {0, "key-variable", "NAME",
         "The environment variable that holds the server's key, if it needs one.",
         &flags.key_variable},
        {0, "body", "JSON",
         "An object that is merged into each request to the server. Its members take the place of "
         "those that cuset sends, and null takes one out: '{\"max_completion_tokens\":4096}', "
         "'{\"seed\":null}', '{\"chat_template_kwargs\":{\"enable_thinking\":false}}'. Only " +
             names + " cannot be given.",
         &flags.body},
        {0, "concurrency", "N", "Requests in flight, at each server.", &flags.concurrency,
         between(1, 1024)},
        {0, "requests-per-minute", "N", requests_per_minute_help, &flags.requests_per_minute,
         between(0, most_requests_per_minute)},
        {0, "attempts", "N",
         "How often a request is tried, at each server, if the server is busy (429), fails (5xx), "
         "times out or hangs up. Each wait is longer than the one before.",
         &flags.attempts, between(1, 1000)},
        {0, "request-timeout", "SECONDS", "How long one attempt may take.", &flags.request_timeout},
    });
    p.environment.emplace_back("CUSET_API_KEY", "The server's key: see --key-variable.");
}

status check(const endpoint_flags& flags) {
    if (!(flags.request_timeout > 0)) return usage_error("--request-timeout: not above 0");
    if (!flags.body.empty() && flags.endpoint.empty())
        return usage_error("--body goes with --endpoint: it is merged into requests to a server");
    if (flags.requests_per_minute > 0 && flags.endpoint.empty())
        return usage_error("--requests-per-minute goes with --endpoint");
    return {};
}

result<endpoint_options> to_endpoint_options(const endpoint_flags& flags, const std::string& model,
                                             std::span<const std::string_view> kept) {
    endpoint_options options;
    options.url = flags.endpoint;
    options.model = model;
    if (const char* key = std::getenv(flags.key_variable.c_str())) options.key = key;
    options.concurrency = static_cast<std::size_t>(flags.concurrency);
    options.requests_per_minute = static_cast<std::size_t>(flags.requests_per_minute);
    options.attempts = static_cast<std::size_t>(flags.attempts);
    options.timeout_seconds = flags.request_timeout;
    if (!flags.body.empty()) {
        auto body = read_body_members(flags.body, kept);
        if (!body) return std::move(body).error().with_prefix("--body: ");
        options.body = *std::move(body);
    }
    return options;
}

}  // namespace cuset

// The addresses below an API's base URL.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

struct server_urls {
    std::string chat, completions, models;  ///< the addresses that requests go to
    /// For messages: without a query, which may hold a key.
    std::string chat_shown, completions_shown, models_shown;
    std::string shown;  ///< the base, for messages
};

/// The base URLs of a list: see endpoint_options::url.
std::vector<std::string> split_urls(std::string_view list);

/// error_kind::usage; the message leaves the URL out if it holds a password.
result<server_urls> urls_of_server(const std::string& base);

}  // namespace cuset

// The addresses below an API's base URL.
#pragma once

#include <string>

#include "cuset/base/status.h"

namespace cuset {

struct server_urls {
    std::string chat, models;              ///< to send to
    std::string chat_shown, models_shown;  ///< for messages: without a query, which may hold a key
};

/// error_kind::usage, without the URL where it holds a password.
result<server_urls> urls_of_server(const std::string& base);

}  // namespace cuset

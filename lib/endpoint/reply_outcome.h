// What a server's reply means for its request and for the run.
#pragma once

#include <string>

#include "chat_json.h"
#include "http_client.h"

namespace cuset {

enum class outcome : unsigned char {
    whole,     ///< an answer to read
    again,     ///< another attempt may succeed
    refused,   ///< this request is answered with an error
    run_over,  ///< every other request would fail too
};

/// Says what a reply means before its body is read. `why` explains any reply that is not whole.
outcome outcome_of_reply(http_reply& reply, const std::string& url, const std::string& key,
                         std::string& why);

outcome outcome_of(reading read);

/// Judges a reply and reads it with `read`(body, out, why).
template <class Read, class Value>
outcome take(http_reply& reply, const std::string& url, const std::string& key, Read read,
             Value& out, std::string& why) {
    outcome what = outcome_of_reply(reply, url, key, why);
    if (what != outcome::whole) return what;
    what = outcome_of(read(reply.body, out, why));
    if (what != outcome::whole) why.insert(0, url + ": ");
    // Some servers send an error with the status of a success.
    if (what == outcome::refused)
        if (const std::string reason = error_text(reply.body, key); !reason.empty())
            why += ": " + reason;
    return what;
}

}  // namespace cuset

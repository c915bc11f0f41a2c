#include "reply_outcome.h"

namespace cuset {

outcome outcome_of_reply(http_reply& reply, const std::string& url, const std::string& key,
                         std::string& why) {
    if (reply.how != http_reply::ending::whole) {
        why = url + ": " + reply.failure;
        switch (reply.how) {
            case http_reply::ending::too_long: return outcome::refused;
            case http_reply::ending::hopeless: return outcome::run_over;
            default: return outcome::again;
        }
    }
    const long code = reply.code;
    if (code >= 200 && code < 300) return outcome::whole;
    why = url + " answers " + std::to_string(code);
    if (code >= 300 && code < 400) {
        why += ": redirects are not followed";
        return outcome::run_over;
    }
    if (const std::string reason = error_text(reply.body, key); !reason.empty())
        why += ": " + reason;
    if (code == 401 || code == 403)
        why += key.empty() ? " (no key was sent: set CUSET_API_KEY, or the variable that "
                             "--key-variable names)"
                           : " (the key that was sent is refused)";
    switch (code) {
        case 408:
        case 409:
        case 425:
        case 429: return outcome::again;
        case 401:
        case 403:
        case 404:
        case 405: return outcome::run_over;
        default: return code >= 400 && code < 500 ? outcome::refused : outcome::again;
    }
}

outcome outcome_of(reading read) {
    switch (read) {
        case reading::whole: return outcome::whole;
        case reading::no_json: return outcome::again;
        case reading::strange: break;
    }
    return outcome::refused;
}

}  // namespace cuset

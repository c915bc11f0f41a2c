// HTTP requests to one server, several at a time, with libcurl's multi interface.
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

/// The result of one request.
struct http_reply {
    enum class ending : unsigned char {
        whole,     ///< code and body are there
        broken,    ///< no connection, cut, or out of time: another attempt may succeed
        too_long,  ///< of more than longest_reply bytes, headers included
        hopeless,  ///< every request there will fail like this (for example an invalid certificate)
    };
    ending how = ending::whole;
    std::string failure;  ///< in words, if the reply is not whole
    long code = 0;
    std::string body;
    std::optional<double> retry_after_seconds;  ///< from now
};

class http_client {
public:
    using clock = std::chrono::steady_clock;

    static constexpr std::size_t longest_reply = 64U << 20U;

    /// `key`: see endpoint_options. At most `places` requests run at a time. Redirects are not
    /// followed.
    static result<http_client> make(std::size_t places, const std::string& key,
                                    double timeout_seconds);
    http_client(http_client&&) noexcept = default;
    http_client& operator=(http_client&&) = delete;
    ~http_client() = default;

    /// Begins a POST of JSON, or a GET if `body` is null, in a free place. The body must stay alive
    /// until the request ends.
    status send(std::size_t place, const std::string& url, const std::string* body);

    /// Waits until requests end or `until` comes, and names the places of requests that ended.
    /// Returns at once if `until` has passed.
    status wait(clock::time_point until, std::vector<std::size_t>& ended);

    /// The reply to the request that ended last in this place.
    http_reply& reply(std::size_t place) { return transfers_[place]->reply; }

private:
    struct multi_deleter {
        void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
    };
    using multi_handle = std::unique_ptr<CURLM, multi_deleter>;
    struct list_deleter {
        void operator()(curl_slist* list) const { curl_slist_free_all(list); }
    };
    using header_list = std::unique_ptr<curl_slist, list_deleter>;

    /// The address must stay the same: libcurl holds it.
    struct transfer {
        std::size_t place = 0;
        CURL* easy = nullptr;
        CURLM* multi = nullptr;  ///< while it is under way
        http_reply reply;
        std::size_t received = 0;
        bool too_long = false;
        char error[CURL_ERROR_SIZE] = {};

        transfer() = default;
        transfer(const transfer&) = delete;
        transfer& operator=(const transfer&) = delete;
        ~transfer();
    };

    http_client() = default;
    status set_up(transfer& t, double timeout_seconds);
    static std::size_t take_body(char* bytes, std::size_t, std::size_t count, void* to);
    static std::size_t take_header(char* bytes, std::size_t, std::size_t count, void* to);
    static void finish(transfer& t, CURLcode code);

    // The members are destroyed in the order that libcurl needs: transfers first.
    header_list headers_;
    multi_handle multi_;
    std::vector<std::unique_ptr<transfer>> transfers_;
};

}  // namespace cuset

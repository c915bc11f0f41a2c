// HTTP requests to one server, several at a time, by libcurl's multi interface.
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

/// What came of one request.
struct http_reply {
    enum class ending : unsigned char {
        whole,     ///< code and body are there
        broken,    ///< no connection, cut, or out of time: may be otherwise next time
        too_long,  ///< of more than longest_reply bytes, headers included
        hopeless,  ///< whatever is sent there will end like this (a certificate that is not valid)
    };
    ending how = ending::whole;
    std::string failure;  ///< where it is not whole: why, in words
    long code = 0;
    std::string body;
    std::optional<double> retry_after_seconds;  ///< from now
};

class http_client {
public:
    using clock = std::chrono::steady_clock;

    static constexpr std::size_t longest_reply = 64U << 20U;

    /// `key`: see endpoint_options. There can be `places` requests at a time. Redirects are not
    /// followed.
    static result<http_client> make(std::size_t places, const std::string& key,
                                    double timeout_seconds);
    http_client(http_client&&) noexcept = default;
    http_client& operator=(http_client&&) = delete;
    ~http_client() = default;

    /// Begins a POST of JSON, or a GET where `body` is null, in a place without one. The body stays
    /// where it is until the end.
    status send(std::size_t place, const std::string& url, const std::string* body);

    /// Waits until requests end or `until` comes, and names the places of those that ended. At once
    /// where `until` has passed.
    status wait(clock::time_point until, std::vector<std::size_t>& ended);

    /// Of the request that ended last in that place.
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

    /// libcurl holds its address.
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

    // In the order in which libcurl wants them to go: transfers first.
    header_list headers_;
    multi_handle multi_;
    std::vector<std::unique_ptr<transfer>> transfers_;
};

}  // namespace cuset

#include "http_client.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace cuset {

namespace {

constexpr double longest_connect_seconds = 30;

bool initialise_curl() {
    static const bool done = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    return done;
}

status curl_failed(const char* what) { return {error_kind::io, std::string("libcurl: ") + what}; }

long milliseconds(double seconds) {
    return static_cast<long>(std::clamp(seconds * 1000, 1.0, 1e9));
}

/// Whether an error is a set-up error on this side, which no second attempt can mend.
bool is_hopeless(CURLcode code) {
    switch (code) {
        case CURLE_URL_MALFORMAT:
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_ENGINE_INITFAILED:
        case CURLE_NOT_BUILT_IN: return true;
        default: return false;
    }
}

}  // namespace

http_client::transfer::~transfer() {
    if (multi) curl_multi_remove_handle(multi, easy);
    curl_easy_cleanup(easy);
}

result<http_client> http_client::make(std::size_t places, const std::string& key,
                                      double timeout_seconds) {
    if (!initialise_curl()) return curl_failed("cannot be initialised");
    http_client client;
    client.multi_.reset(curl_multi_init());
    if (!client.multi_) return curl_failed("no memory");
    // As many connections stay open as there can be requests at a time.
    curl_multi_setopt(client.multi_.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(places));
    const auto add = [&list = client.headers_](const std::string& header) {
        curl_slist* longer = curl_slist_append(list.get(), header.c_str());
        if (!longer) return false;
        static_cast<void>(list.release());
        list.reset(longer);
        return true;
    };
    // An empty "Expect:" stops libcurl from asking first whether a long body is welcome.
    if (!add("Content-Type: application/json") || !add("Accept: application/json") ||
        !add("Expect:") || (!key.empty() && !add("Authorization: Bearer " + key)))
        return curl_failed("no memory");
    for (std::size_t place = 0; place < places; ++place) {
        auto& t = *client.transfers_.emplace_back(std::make_unique<transfer>());
        t.place = place;
        CUSET_TRY(client.set_up(t, timeout_seconds));
    }
    return client;
}

status http_client::set_up(transfer& t, double timeout_seconds) {
    t.easy = curl_easy_init();
    if (!t.easy) return curl_failed("no memory");
    CURLcode code = CURLE_OK;
    const auto set = [&](CURLoption option, auto value) {
        if (code == CURLE_OK) code = curl_easy_setopt(t.easy, option, value);
    };
    // No signals: a SIGALRM would reach the whole program. (There is no SIGPIPE: libcurl sends with
    // MSG_NOSIGNAL, under TLS too.)
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 0L);
    // The curl program reads these variables; libcurl itself does not.
    for (const char* name : {"SSL_CERT_FILE", "CURL_CA_BUNDLE"})
        if (const char* file = std::getenv(name); file && *file) set(CURLOPT_CAINFO, file);
    // Each request has its own connection, so that a failure affects one request only.
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_HTTPHEADER, headers_.get());
    set(CURLOPT_USERAGENT, "cuset");
    set(CURLOPT_TIMEOUT_MS, milliseconds(timeout_seconds));
    set(CURLOPT_CONNECTTIMEOUT_MS,
        milliseconds(std::min(timeout_seconds, longest_connect_seconds)));
    // A server may be silent for minutes while it generates; keep-alives hold the connection open.
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_WRITEFUNCTION, &http_client::take_body);
    set(CURLOPT_WRITEDATA, static_cast<void*>(&t));
    set(CURLOPT_HEADERFUNCTION, &http_client::take_header);
    set(CURLOPT_HEADERDATA, static_cast<void*>(&t));
    set(CURLOPT_ERRORBUFFER, t.error);
    set(CURLOPT_PRIVATE, static_cast<void*>(&t));
    return code == CURLE_OK ? status::ok() : curl_failed(curl_easy_strerror(code));
}

status http_client::send(std::size_t place, const std::string& url, const std::string* body) {
    transfer& t = *transfers_[place];
    t.reply = {};
    t.received = 0;
    t.too_long = false;
    t.error[0] = '\0';
    CURLcode code = curl_easy_setopt(t.easy, CURLOPT_URL, url.c_str());
    if (code == CURLE_OK && body) {
        code = curl_easy_setopt(t.easy, CURLOPT_POSTFIELDSIZE_LARGE,
                                static_cast<curl_off_t>(body->size()));
        // This makes it a POST.
        if (code == CURLE_OK) code = curl_easy_setopt(t.easy, CURLOPT_POSTFIELDS, body->data());
    } else if (code == CURLE_OK) {
        code = curl_easy_setopt(t.easy, CURLOPT_HTTPGET, 1L);
    }
    if (code != CURLE_OK) return curl_failed(curl_easy_strerror(code));
    if (const CURLMcode added = curl_multi_add_handle(multi_.get(), t.easy); added != CURLM_OK)
        return curl_failed(curl_multi_strerror(added));
    t.multi = multi_.get();
    return {};
}

status http_client::wait(clock::time_point until, std::vector<std::size_t>& ended) {
    ended.clear();
    for (;;) {
        int running = 0;
        if (const CURLMcode code = curl_multi_perform(multi_.get(), &running); code != CURLM_OK)
            return curl_failed(curl_multi_strerror(code));
        int left = 0;
        while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
            if (message->msg != CURLMSG_DONE) continue;
            const CURLcode code = message->data.result;
            char* owner = nullptr;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &owner);
            transfer& t = *static_cast<transfer*>(static_cast<void*>(owner));
            finish(t, code);  // the message goes with this
            ended.push_back(t.place);
        }
        using ms = std::chrono::milliseconds;
        const auto left_ms = std::chrono::ceil<ms>(until - clock::now()).count();
        if (!ended.empty() || left_ms <= 0) return {};
        // libcurl may shorten the sleep for its own work.
        const auto sleep = static_cast<int>(std::min<ms::rep>(left_ms, 60'000));
        if (const CURLMcode code = curl_multi_poll(multi_.get(), nullptr, 0, sleep, nullptr);
            code != CURLM_OK)
            return curl_failed(curl_multi_strerror(code));
    }
}

void http_client::finish(transfer& t, CURLcode code) {
    http_reply& reply = t.reply;
    curl_easy_getinfo(t.easy, CURLINFO_RESPONSE_CODE, &reply.code);
    curl_off_t seconds = 0;
    if (curl_easy_getinfo(t.easy, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK && seconds > 0)
        reply.retry_after_seconds = static_cast<double>(seconds);
    if (t.too_long) {
        reply.how = http_reply::ending::too_long;
        reply.failure =
            "the answer is longer than " + std::to_string(longest_reply >> 20U) + " MiB";
    } else if (code != CURLE_OK) {
        reply.how = is_hopeless(code) ? http_reply::ending::hopeless : http_reply::ending::broken;
        reply.failure = t.error[0] != '\0' ? t.error : curl_easy_strerror(code);
    }
    curl_multi_remove_handle(std::exchange(t.multi, nullptr), t.easy);
}

std::size_t http_client::take_body(char* bytes, std::size_t, std::size_t count, void* to) {
    auto& t = *static_cast<transfer*>(to);
    t.received += count;
    t.too_long = t.received > longest_reply;
    if (t.too_long) return 0;  // libcurl ends the transfer
    t.reply.body.append(bytes, count);
    return count;
}

std::size_t http_client::take_header(char*, std::size_t, std::size_t count, void* to) {
    auto& t = *static_cast<transfer*>(to);
    t.received += count;
    t.too_long = t.received > longest_reply;
    return t.too_long ? 0 : count;
}

}  // namespace cuset

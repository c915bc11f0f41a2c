#include "server_url.h"

#include <curl/curl.h>

#include <memory>
#include <string_view>

namespace cuset {

namespace {

struct url_deleter {
    void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using url_handle = std::unique_ptr<CURLU, url_deleter>;

/// Empty if the part is absent.
std::string part_of(CURLU* url, CURLUPart part) {
    char* text = nullptr;
    if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return {};
    std::string copy(text);
    curl_free(text);
    return copy;
}

/// Sets the path, and returns the address with its query and without it.
void address(CURLU* url, const std::string& path, std::string& sent, std::string& shown) {
    const url_handle copy(curl_url_dup(url));
    curl_url_set(copy.get(), CURLUPART_PATH, path.c_str(), 0);
    sent = part_of(copy.get(), CURLUPART_URL);
    curl_url_set(copy.get(), CURLUPART_QUERY, nullptr, 0);
    shown = part_of(copy.get(), CURLUPART_URL);
}

}  // namespace

std::vector<std::string> split_urls(std::string_view list) {
    std::vector<std::string> urls;
    std::size_t begin = 0;
    for (std::size_t comma = list.find(','); comma != list.npos;
         comma = list.find(',', comma + 1)) {
        const std::string_view behind = list.substr(comma + 1);
        if (!behind.starts_with("http://") && !behind.starts_with("https://")) continue;
        urls.emplace_back(list.substr(begin, comma - begin));
        begin = comma + 1;
    }
    urls.emplace_back(list.substr(begin));
    return urls;
}

result<server_urls> urls_of_server(const std::string& base) {
    const url_handle url(curl_url());
    const CURLUcode error =
        curl_url_set(url.get(), CURLUPART_URL, base.c_str(), CURLU_NON_SUPPORT_SCHEME);
    if (!part_of(url.get(), CURLUPART_USER).empty() ||
        !part_of(url.get(), CURLUPART_PASSWORD).empty())
        return usage_error("the server's URL holds a user or a password");
    // A URL that curl cannot read may hold a password too.
    const std::string shown = base.find('@') == base.npos ? " \"" + base + '"' : "";
    if (error == CURLUE_BAD_SCHEME || (error && base.find("://") == base.npos))
        return usage_error("the server's URL" + shown + " does not begin with http:// or https://");
    if (error)
        return usage_error("the server's URL" + shown + " is none: " + curl_url_strerror(error));
    if (const std::string scheme = part_of(url.get(), CURLUPART_SCHEME);
        scheme != "http" && scheme != "https")
        return usage_error("the server's URL" + shown + " does not begin with http:// or https://");
    if (part_of(url.get(), CURLUPART_HOST).empty())
        return usage_error("the server's URL" + shown + " names no host");

    curl_url_set(url.get(), CURLUPART_FRAGMENT, nullptr, 0);
    constexpr std::string_view chat = "/chat/completions";
    std::string path = part_of(url.get(), CURLUPART_PATH);
    while (path.ends_with('/')) path.pop_back();
    for (const std::string_view end : {chat, std::string_view("/completions")})
        if (path.ends_with(end)) path.resize(path.size() - end.size());
    server_urls urls;
    std::string base_sent;
    address(url.get(), path, base_sent, urls.shown);
    address(url.get(), path + std::string(chat), urls.chat, urls.chat_shown);
    address(url.get(), path + "/completions", urls.completions, urls.completions_shown);
    address(url.get(), path + "/models", urls.models, urls.models_shown);
    return urls;
}

}  // namespace cuset

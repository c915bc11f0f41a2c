#include "cuset/curate/checks.h"

#include <algorithm>
#include <array>

namespace cuset {

namespace {

constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

void comments_in(std::string_view gap, std::vector<std::string_view>& found) {
    for (std::size_t i = 0; i + 1 < gap.size(); ++i) {
        if (gap[i] != '/' || (gap[i + 1] != '/' && gap[i + 1] != '*')) continue;
        const bool line = gap[i + 1] == '/';
        std::size_t end = line ? gap.find('\n', i) : gap.find("*/", i + 2);
        end = end == gap.npos ? gap.size() : line ? end : end + 2;
        found.push_back(gap.substr(i, end - i));
        i = end - 1;
    }
}

std::size_t solid_bytes(std::string_view text) {
    return text.size() -
           static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_blank));
}

}  // namespace

std::vector<std::string_view> comments_of(const code_tokens& code) {
    std::vector<std::string_view> found;
    std::size_t at = 0;
    for (const code_token& t : code.tokens()) {
        if (t.begin > at) comments_in(code.code().substr(at, t.begin - at), found);
        // A preprocessor line may have a comment behind it.
        const auto text = code.code().substr(t.begin, t.end - t.begin);
        if (!text.empty() && text[0] == '#' && text.find("/") != text.npos)
            if (const auto from = std::min(text.find("//"), text.find("/*")); from != text.npos)
                comments_in(text.substr(from), found);
        at = std::max<std::size_t>(at, t.end);
    }
    comments_in(code.code().substr(at), found);
    return found;
}

double comment_share(const code_tokens& code) {
    const std::size_t all = solid_bytes(code.code());
    if (all == 0) return 0;
    std::size_t commented = 0;
    for (const std::string_view comment : comments_of(code)) commented += solid_bytes(comment);
    return static_cast<double>(commented) / static_cast<double>(all);
}

std::optional<std::string> secret_in(std::string_view text) {
    struct form {
        std::string_view beginning;
        std::size_t least;  // word characters behind it
    };
    static constexpr std::array<form, 14> forms{{{"AKIA", 16},
                                                 {"ASIA", 16},
                                                 {"AIza", 35},
                                                 {"ghp_", 36},
                                                 {"gho_", 36},
                                                 {"ghs_", 36},
                                                 {"github_pat_", 40},
                                                 {"glpat-", 20},
                                                 {"hf_", 34},
                                                 {"sk-", 32},
                                                 {"sk-proj-", 32},
                                                 {"sk-ant-", 32},
                                                 {"xoxb-", 20},
                                                 {"xoxp-", 20}}};
    const auto is_part = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
    };
    std::size_t first = text.npos;
    std::string_view found;
    for (const form& f : forms) {
        for (std::size_t at = text.find(f.beginning); at < first && at != text.npos;
             at = text.find(f.beginning, at + 1)) {
            if (at > 0 && is_part(text[at - 1])) continue;
            std::size_t end = at + f.beginning.size();
            while (end < text.size() && is_part(text[end])) ++end;
            if (end - at - f.beginning.size() < f.least) continue;
            first = at;
            found = f.beginning;
        }
    }
    if (const auto at = text.find("-----BEGIN "); at < first) {
        const auto line = text.substr(at, 64);
        if (line.find("PRIVATE KEY-----") != line.npos) return "a private key";
    }
    if (first == text.npos) return {};
    return std::string(found) + "...";
}

std::optional<std::string> own_path_in(std::string_view text) {
    static constexpr std::array<std::string_view, 7> roots = {
        "/home/", "/Users/", "/root/", "/mnt/", "C:\\Users\\", "C:\\\\Users\\\\", "C:/Users/"};
    std::size_t first = text.npos;
    for (const std::string_view root : roots)
        for (std::size_t at = text.find(root); at < first && at != text.npos;
             at = text.find(root, at + 1)) {
            // A path that goes on from another part, or a part of an address, is none.
            if (at > 0 &&
                (syntax::is_word_byte(text[at - 1]) || text[at - 1] == '.' || text[at - 1] == '/'))
                continue;
            if (at + root.size() < text.size() && syntax::is_word_byte(text[at + root.size()]))
                first = at;
        }
    if (first == text.npos) return {};
    const std::size_t end = text.find_first_of(" \t\r\n\"'<>),;", first);
    return std::string(text.substr(first, std::min<std::size_t>(end - first, 100)));
}

std::optional<std::string_view> thought_of(std::string_view response) {
    constexpr std::string_view opening = "<think>", closing = "</think>";
    const std::size_t end = response.rfind(closing);
    const std::size_t begin = response.substr(0, end).find(opening);
    if (end == response.npos && begin == response.npos) return {};
    const std::size_t from = begin == response.npos ? 0 : begin + opening.size();
    return trimmed(response.substr(from, end == response.npos ? end : end - from));
}

}  // namespace cuset

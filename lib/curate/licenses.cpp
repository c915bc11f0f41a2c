#include "cuset/curate/licenses.h"

#include <algorithm>
#include <array>
#include <optional>

#include "spdx_names.h"

namespace cuset {

namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

constexpr bool is_plain(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool are_equal(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n\v\f";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Words in lower case with one blank before and behind each: what notices are compared in.
std::string words_of(std::string_view text) {
    std::string words = " ";
    for (const char c : text) {
        if (is_plain(lower(c)))
            words += lower(c);
        else if (words.back() != ' ')
            words += ' ';
    }
    if (words.back() != ' ') words += ' ';
    return words;
}

class notice_text {
public:
    explicit notice_text(std::string_view text) : words_(words_of(text)) {}
    std::size_t place_of(std::string_view phrase) const {
        return words_.find(' ' + std::string(phrase) + ' ');
    }
    bool has(std::string_view phrase) const { return place_of(phrase) != std::string::npos; }
    /// Quick, for the many comments that are none.
    bool may_be_notice() const {
        constexpr std::string_view parts[] = {"licen",
                                              "copy",
                                              "permission",
                                              "rights reserved",
                                              "redistribution",
                                              "unencumbered",
                                              "proprietary",
                                              "confidential",
                                              "gnu",
                                              "cc0",
                                              "held liable",
                                              "ownership rights"};
        return std::any_of(std::begin(parts), std::end(parts), [&](std::string_view part) {
            return words_.find(part) != std::string::npos;
        });
    }
    template <std::size_t n>
    bool has_any(const std::array<std::string_view, n>& phrases) const {
        return std::any_of(phrases.begin(), phrases.end(),
                           [&](std::string_view phrase) { return has(phrase); });
    }

private:
    std::string words_;
};

/// A licence with one notice, and what tells it apart from others with the same sentence.
struct known_notice {
    std::string_view name, phrase;
    std::string_view without = {};  ///< not where this stands too
};

constexpr known_notice plain_notices[] = {
    {"MPL-2.0", "mozilla public license v 2 0"},
    {"MPL-2.0", "mozilla public license version 2 0"},
    {"BSL-1.0", "boost software license version 1 0"},
    {"Unlicense", "this is free and unencumbered software released into the public domain"},
    {"CC0-1.0", "cc0 1 0 universal"},
    {"MIT", "permission is hereby granted free of charge to any person obtaining a copy",
     "university of illinois ncsa"},
    {"MIT", "mit license"},
    {"NCSA", "university of illinois ncsa"},
    {"Zlib",
     "in no event will the authors be held liable for any damages arising from the use of "
     "this software"},
    {"EPL-2.0", "eclipse public license v 2 0"},
    {"EPL-2.0", "eclipse public license 2 0"},
    {"WTFPL", "do what the fuck you want to public license"},
};

constexpr std::array<std::string_view, 5> notices_of_nvidia = {
    "nvidia corporation and its licensors retain all intellectual property",
    "nvidia corporation and its affiliates and licensors retain all intellectual property",
    "subject to nvidia ownership rights", "nvidia end user license agreement",
    "confidential and proprietary to nvidia"};

/// GNU's licences. The text of one speaks of the others, behind its own name; and so does
/// Mozilla's.
std::optional<std::string> license_of_gnu(const notice_text& text) {
    struct family {
        std::string_view name;
        std::array<std::string_view, 2> phrases;
        std::vector<std::pair<std::string_view, std::string_view>> versions;
    };
    static const family families[] = {
        {"GPL-",
         {"gnu general public license", "gnu gpl"},
         {{"version 3", "3.0"}, {"version 2", "2.0"}}},
        {"LGPL-",
         {"gnu lesser general public license", "gnu library general public license"},
         {{"version 2 1", "2.1"}, {"version 3", "3.0"}, {"version 2", "2.0"}}},
        {"AGPL-", {"gnu affero general public license", "gnu agpl"}, {{"version 3", "3.0"}}},
    };
    const family* named = nullptr;
    std::size_t first = std::string::npos;
    for (const family& f : families)
        for (const std::string_view phrase : f.phrases)
            if (const std::size_t at = text.place_of(phrase); at < first) {
                named = &f;
                first = at;
            }
    if (named == nullptr || text.has("mozilla public license")) return {};
    // The licence itself explains how a notice may allow later versions.
    const bool is_notice =
        !text.has("everyone is permitted to copy and distribute verbatim copies");
    const bool later = is_notice && text.has("any later version");
    for (const auto& [phrase, version] : named->versions)
        if (text.has(phrase))
            return std::string(named->name) + std::string(version) +
                   (later ? "-or-later" : "-only");
    return "unknown";
}

std::optional<std::string> license_of_bsd(const notice_text& text) {
    if (text.has("bsd 3 clause") || text.has("3 clause bsd")) return "BSD-3-Clause";
    if (text.has("bsd 2 clause") || text.has("2 clause bsd")) return "BSD-2-Clause";
    if (!text.has("redistribution and use in source and binary forms with or without modification "
                  "are permitted") ||
        text.has("university of illinois ncsa"))
        return {};
    if (text.has("all advertising materials mentioning features")) return "BSD-4-Clause";
    return text.has("endorse or promote products") ? "BSD-3-Clause" : "BSD-2-Clause";
}

std::optional<std::string> license_of_isc(const notice_text& text) {
    if (!text.has("permission to use copy modify and or distribute this software for any purpose "
                  "with or without fee is hereby granted") &&
        !text.has("permission to use copy modify and distribute this software for any purpose with "
                  "or without fee is hereby granted"))
        return {};
    return text.has("provided that the above copyright notice") ? "ISC" : "0BSD";
}

std::optional<std::string> license_of_apache(const notice_text& text) {
    constexpr std::array<std::string_view, 4> phrases = {
        "apache license version 2 0", "apache license v2 0", "apache license 2 0",
        "apache 2 0 license"};
    if (!text.has_any(phrases)) return {};
    return text.has("llvm exceptions") || text.has("llvm exception")
               ? "Apache-2.0 WITH LLVM-exception"
               : "Apache-2.0";
}

}  // namespace

std::string license_of(std::span<const std::string_view> comments) {
    constexpr std::string_view mark = "SPDX-License-Identifier:";
    std::string all;
    for (const std::string_view comment : comments) {
        all.append(comment) += ' ';
        const std::size_t at = comment.find(mark);
        if (at == comment.npos) continue;
        std::string_view rest = comment.substr(at + mark.size());
        rest = trimmed(rest.substr(0, std::min(rest.find('\n'), rest.find("*/"))));
        if (!rest.empty()) return std::string(rest);
    }
    return license_in(all);
}

std::string license_in(std::string_view text) {
    const notice_text notice(text);
    if (!notice.may_be_notice()) return "none";
    std::vector<std::string> found;
    const auto add = [&](std::optional<std::string> name) {
        if (name && std::find(found.begin(), found.end(), *name) == found.end())
            found.push_back(*std::move(name));
    };
    if (notice.has_any(notices_of_nvidia)) add("LicenseRef-NVIDIA-proprietary");
    add(license_of_gnu(notice));
    add(license_of_apache(notice));
    add(license_of_bsd(notice));
    add(license_of_isc(notice));
    for (const known_notice& known : plain_notices)
        if (notice.has(known.phrase) && (known.without.empty() || !notice.has(known.without)))
            add(std::string(known.name));
    if (found.empty()) {
        if (notice.has("all rights reserved")) return "LicenseRef-all-rights-reserved";
        static constexpr std::array<std::string_view, 9> words = {
            "copyright", "copyrighted", "license",      "licence", "licensed",
            "licenced",  "proprietary", "confidential", "copyleft"};
        return notice.has_any(words) ? "unknown" : "none";
    }
    std::string all;
    for (const std::string& name : found) all += (all.empty() ? "" : " AND ") + name;
    return all;
}

bool is_allowed(std::string_view expression, std::span<const std::string> allowed) {
    if (expression.find_first_of("()") != expression.npos) return false;
    if (const auto at = expression.find(" OR "); at != expression.npos)
        return is_allowed(trimmed(expression.substr(0, at)), allowed) ||
               is_allowed(trimmed(expression.substr(at + 4)), allowed);
    if (const auto at = expression.find(" AND "); at != expression.npos)
        return is_allowed(trimmed(expression.substr(0, at)), allowed) &&
               is_allowed(trimmed(expression.substr(at + 5)), allowed);
    return std::any_of(allowed.begin(), allowed.end(),
                       [&](std::string_view name) { return are_equal(name, expression); });
}

std::vector<std::string> license_names() {
    std::vector<std::string> names{"none", "unknown"};
    for (std::string_view rest = spdx_licenses_txt; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        names.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return names;
}

bool is_license_name(std::string_view name) {
    name = name.substr(0, name.find(" WITH "));
    if (name.starts_with("LicenseRef-")) return true;
    const auto names = license_names();
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view known) { return are_equal(name, known); });
}

bool is_license_file(std::string_view file_name) {
    constexpr std::string_view names[] = {"license", "licence", "copying", "copyright"};
    return std::any_of(std::begin(names), std::end(names), [&](std::string_view name) {
        if (!are_equal(file_name.substr(0, name.size()), name)) return false;
        const std::string_view rest = file_name.substr(name.size());
        return rest.empty() || rest.front() == '.' || rest.front() == '-' || rest.front() == '_';
    });
}

}  // namespace cuset

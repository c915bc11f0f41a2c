#include "reserved_names.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "cuset/syntax/lexer.h"
#include "source_words.h"

namespace cuset {

namespace {

// Refused anywhere in a name, and in a string, which may name a symbol to a linker or loader.
constexpr std::string_view parts[] = {"cuset_host",
                                      "CUSET_HOST",
                                      "cuset_managed",
                                      "no_sanitize",
                                      "no_address_safety_analysis",
                                      "disable_sanitizer_instrumentation"};
constexpr std::string_view beginnings[] = {
    "__asan_",   "__sanitizer_", "__lsan_",     "__tsan_",       "__ubsan_",
    "__hwasan_", "__msan_",      "ASAN_POISON", "ASAN_UNPOISON", "__interceptor_"};
// Names of sections that are used before the runtime begins.
constexpr std::string_view string_parts[] = {"preinit_array", "sanitizer/"};

constexpr std::string_view attributes[] = {"section", "ifunc", "alias", "weakref", "naked"};

/// Parts of names that `##` must not make; they are too long to be made by accident.
constexpr std::string_view pasted[] = {
    "cuset_host",       "CUSET_HOST",         "no_sanitize",      "no_address_safety",
    "asan_poison",      "asan_unpoison",      "asan_on_error",    "asan_default_options",
    "set_error_report", "set_death_callback", "disable_sanitizer"};

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

/// `__section__` means `section` too.
std::string_view without_underscores(std::string_view name) {
    if (name.size() > 4 && name.starts_with("__") && name.ends_with("__"))
        return name.substr(2, name.size() - 4);
    return name;
}

class search {
public:
    explicit search(std::string_view program) : words_(source_words(program)) {}
    std::optional<translation_error> run();

private:
    bool is_reserved(std::size_t i) const;
    std::size_t end_of_attributes(std::size_t i) const;
    bool is_attribute(std::size_t i, bool in_attributes) const;
    std::string pasted_name() const;
    bool is(std::size_t i, std::string_view punctuation) const {
        return i < words_.size() && words_[i].is(punctuation);
    }

    std::vector<source_word> words_;
    bool pastes_ = false;
};

bool search::is_reserved(std::size_t i) const {
    const source_word& w = words_[i];
    const auto in_text = [&](std::string_view part) { return has(w.text, part); };
    if (w.what == source_word::kind::name) {
        return std::ranges::any_of(parts, in_text) ||
               std::ranges::any_of(beginnings,
                                   [&](std::string_view b) { return w.text.starts_with(b); }) ||
               (w.text == "sanitizer" && is(i + 1, "/") && i > 0 && is(i - 1, "<"));
    }
    return w.what == source_word::kind::string &&
           (std::ranges::any_of(parts, in_text) || std::ranges::any_of(string_parts, in_text) ||
            has(w.text, "__asan_") || has(w.text, "__sanitizer_"));
}

/// The end of the list of attributes that begins at i, or i if none does.
std::size_t search::end_of_attributes(std::size_t i) const {
    std::size_t at = i;
    if (words_[i].is_name("__attribute__") || words_[i].is_name("__attribute")) {
        ++at;
    } else if (!is(i, "[") || !is(i + 1, "[")) {
        return i;
    }
    if (!is(at, "(") && !is(at, "[")) return i;
    std::size_t depth = 0;
    for (; at < words_.size(); ++at) {
        if (is(at, "(") || is(at, "[")) ++depth;
        if ((is(at, ")") || is(at, "]")) && --depth == 0) return at;
    }
    return words_.size();
}

bool search::is_attribute(std::size_t i, bool in_attributes) const {
    const std::string& text = words_[i].text;
    const std::string_view name = without_underscores(text);
    if (!syntax::is_one_of(name, attributes)) return false;
    if (in_attributes || name.size() != text.size()) return true;
    // `__attri##bute__((section("x")))`
    return pastes_ && i > 1 && is(i - 1, "(") && is(i - 2, "(") && is(i + 1, "(");
}

/// The name that words of the text can be joined to: it is the end of one word, whole others, and
/// the beginning of the last.
std::string search::pasted_name() const {
    constexpr std::size_t longest = 32;
    std::unordered_set<std::string_view> whole, first, last;
    for (const source_word& w : words_) {
        if (w.what != source_word::kind::name) continue;
        const std::string_view text = w.text;
        if (!whole.insert(text).second) continue;
        for (std::size_t n = 1; n <= std::min(longest, text.size()); ++n) {
            first.insert(text.substr(text.size() - n));
            last.insert(text.substr(0, n));
        }
    }
    for (const std::string_view name : pasted) {
        std::vector<bool> reached(name.size());
        for (std::size_t i = 1; i < name.size(); ++i) {
            reached[i] = reached[i] || first.contains(name.substr(0, i));
            if (!reached[i]) continue;
            if (last.contains(name.substr(i))) return std::string(name);
            for (std::size_t j = i + 1; j < name.size(); ++j)
                if (whole.contains(name.substr(i, j - i))) reached[j] = true;
        }
    }
    return {};
}

std::optional<translation_error> search::run() {
    pastes_ = std::ranges::any_of(words_, [](const source_word& w) { return w.is("##"); });
    std::size_t attributes_end = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        const source_word& w = words_[i];
        if (is_reserved(i)) {
            std::string name = w.text.substr(0, 100);
            if (w.text == "sanitizer") name = "<sanitizer/…>";
            return translation_error{w.line, '\'' + name + "' is a name of the evaluator's own",
                                     true};
        }
        if (i >= attributes_end) attributes_end = end_of_attributes(i);
        if (w.what == source_word::kind::name && is_attribute(i, i < attributes_end))
            return translation_error{
                w.line, "the attribute '" + w.text + "' is not for programs that are judged", true};
    }
    if (!pastes_) return std::nullopt;
    if (const std::string name = pasted_name(); !name.empty()) {
        const auto at =
            std::ranges::find_if(words_, [](const source_word& w) { return w.is("##"); });
        return translation_error{
            at->line, "'##' can put together '" + name + "', a name of the evaluator's own", true};
    }
    return std::nullopt;
}

}  // namespace

std::optional<translation_error> find_reserved_name(std::string_view program) {
    return search(program).run();
}

}  // namespace cuset

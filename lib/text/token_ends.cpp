#include "cuset/text/token_ends.h"

#include <algorithm>
#include <charconv>

#include "cuset/base/visible_text.h"
#include "vocabulary.h"

namespace cuset {

namespace {

/// The longest beginning that a first token without a text may be.
constexpr std::size_t longest_hidden_token = 256;
constexpr std::string_view replacement = "\uFFFD";

using positions = std::vector<std::size_t>;  // ascending, each once

void add(std::size_t position, positions& out) {
    const auto place = std::lower_bound(out.begin(), out.end(), position);
    if (place == out.end() || *place != position) out.insert(place, position);
}

bool is_inside_character(std::string_view text, std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

std::size_t character_length(std::string_view text, std::size_t at) {
    std::size_t end = at + 1;
    while (is_inside_character(text, end)) ++end;
    return end - at;
}

/// Reads "\xE2" or "0xE2>" behind their first character.
std::optional<char> byte_of_digits(std::string_view digits) {
    unsigned value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 2 || read.ec != std::errc{} || read.ptr != digits.data() + 2)
        return std::nullopt;
    return static_cast<char>(value);
}

/// The bytes that "bytes:\xe2\x80" and "<0xE2>" stand for; nothing for any other text.
std::optional<std::string> escaped_bytes(std::string_view shown) {
    std::string bytes;
    if (shown.size() == 6 && shown.starts_with("<0x") && shown.ends_with('>')) {
        const auto byte = byte_of_digits(shown.substr(3, 2));
        if (!byte) return std::nullopt;
        bytes += *byte;
        return bytes;
    }
    constexpr std::string_view mark = "bytes:";
    if (!shown.starts_with(mark) || shown.size() == mark.size()) return std::nullopt;
    for (std::size_t at = mark.size(); at < shown.size();) {
        if (shown.substr(at, 2) == "\\x") {
            const auto byte = byte_of_digits(shown.substr(at + 2, 2));
            if (!byte) return std::nullopt;
            bytes += *byte;
            at += 4;
        } else {
            bytes += shown[at++];
        }
    }
    return bytes;
}

/// Adds to `out` where a token may end that begins at `at` of the text and is shown so.
class speller {
public:
    explicit speller(std::string_view text) : text_(text) {}
    virtual ~speller() = default;
    virtual void add_ends(std::size_t at, std::string_view shown, positions& out) const = 0;

protected:
    void add_if_there(std::size_t at, std::string_view bytes, positions& out) const {
        if (text_.substr(at, bytes.size()) == bytes) add(at + bytes.size(), out);
    }
    std::string_view text_;
};

/// Tokens are shown as text.
class text_speller final : public speller {
public:
    using speller::speller;

    void add_ends(std::size_t at, std::string_view shown, positions& out) const override {
        spell(at, shown, out);
        if (const auto bytes = escaped_bytes(shown)) add_if_there(at, *bytes, out);
    }

private:
    void spell(std::size_t at, std::string_view shown, positions& out) const {
        for (;;) {
            const std::size_t mark = shown.find(replacement);
            const std::string_view literal = shown.substr(0, mark);
            if (text_.substr(at, literal.size()) != literal) return;
            at += literal.size();
            if (mark == shown.npos) return add(at, out);
            shown.remove_prefix(mark + replacement.size());
            if (is_inside_character(text_, at)) {
                ++at;
                continue;
            }
            if (at == text_.size()) return;
            // Bytes that begin a character end the token, since the character's rest is not in it.
            if (shown.empty())
                for (std::size_t some = 1; some < character_length(text_, at); ++some)
                    add(at + some, out);
            if (!text_.substr(at).starts_with(replacement)) return;
            at += replacement.size();
        }
    }
};

/// Tokens are shown in the alphabet of byte-level vocabularies: a character for each byte. Special
/// tokens are shown as text.
class byte_speller final : public speller {
public:
    using speller::speller;

    void add_ends(std::size_t at, std::string_view shown, positions& out) const override {
        std::string bytes;
        if (text::spelling_to_bytes(shown, bytes)) add_if_there(at, bytes, out);
        add_if_there(at, shown, out);
    }
};

/// Quotes a piece of text for a message.
std::string quoted(std::string_view text) {
    const std::string_view some = beginning_of(text, 24);
    return '"' + visible_text(some) + (some.size() < text.size() ? "\u2026\"" : "\"");
}

status no_match(std::string_view text, std::span<const std::optional<std::string>> tokens,
                std::size_t token, std::size_t at) {
    while (is_inside_character(text, at)) --at;
    return data_error("the server's token " + std::to_string(token + 1) + " is " +
                      quoted(tokens[token].value_or("")) + ", where the text goes on with " +
                      quoted(text.substr(at)));
}

/// `furthest`: how many tokens fit the text, if not all do; `fits` if they do in several ways.
constexpr std::size_t fits = ~std::size_t{0};
result<std::vector<std::size_t>> align(const speller& spell, std::string_view text,
                                       std::span<const std::optional<std::string>> tokens,
                                       tokens_behind behind, std::size_t& furthest) {
    const std::size_t most_behind = behind == tokens_behind::one_made ? 1 : tokens.size();
    // Where the first tokens may end, for each number of them.
    std::vector<positions> reached{{0}};
    const auto add_next = [&](std::size_t token, std::size_t at, positions& out) {
        if (tokens[token])
            spell.add_ends(at, *tokens[token], out);
        else
            for (std::size_t some = 1; some <= std::min(text.size(), longest_hidden_token); ++some)
                add(some, out);
    };
    std::size_t used = tokens.size() + 1;
    for (std::size_t token = 0;; ++token) {
        if (reached[token].back() == text.size() && tokens.size() - token <= most_behind) {
            used = token;
            break;
        }
        furthest = token;
        if (token == tokens.size())
            return data_error("the server's tokens end " +
                              std::to_string(text.size() - reached[token].back()) +
                              " bytes before the text does");
        if (token > 0 && !tokens[token])
            return data_error("the server leaves out the text of token " +
                              std::to_string(token + 1));
        positions next;
        for (const std::size_t at : reached[token]) add_next(token, at, next);
        if (next.empty()) return no_match(text, tokens, token, reached[token].back());
        reached.push_back(std::move(next));
    }
    // The text may end with a later token too, one that has bytes of it.
    for (std::size_t token = used; token < tokens.size() && tokens[token]; ++token) {
        positions open = reached[token], next;
        std::erase(open, text.size());
        for (const std::size_t at : open) add_next(token, at, next);
        if (next.empty()) break;
        reached.push_back(std::move(next));
        if (reached.back().back() != text.size()) continue;
        furthest = fits;
        if (behind == tokens_behind::one_made)
            return data_error(
                "the server's texts of the tokens leave open which token is the last");
        used = token + 1;
    }
    // Of those the ones from which the rest fits.
    reached[used] = {text.size()};
    for (std::size_t token = used; token-- > 0;)
        std::erase_if(reached[token], [&](std::size_t at) {
            positions ends;
            add_next(token, at, ends);
            return std::none_of(ends.begin(), ends.end(), [&](std::size_t end) {
                return std::binary_search(reached[token + 1].begin(), reached[token + 1].end(),
                                          end);
            });
        });
    std::vector<std::size_t> ends;
    for (std::size_t token = 1; token <= used; ++token) {
        const bool is_hidden = token == 1 && !tokens.front();
        if (reached[token].size() == 1 || is_hidden) {
            ends.push_back(reached[token].back());
            continue;
        }
        furthest = fits;
        return data_error("the server's texts of the tokens leave open where token " +
                          std::to_string(token) + " ends, " +
                          quoted(tokens[token - 1].value_or("")));
    }
    return ends;
}

}  // namespace

result<std::vector<std::size_t>> ends_of_tokens(std::string_view text,
                                                std::span<const std::optional<std::string>> tokens,
                                                tokens_behind behind) {
    std::size_t as_text = 0, as_bytes = 0;
    auto ends = align(text_speller(text), text, tokens, behind, as_text);
    if (ends || as_text == fits) return ends;
    auto others = align(byte_speller(text), text, tokens, behind, as_bytes);
    return others || as_bytes > as_text ? std::move(others) : std::move(ends);
}

}  // namespace cuset

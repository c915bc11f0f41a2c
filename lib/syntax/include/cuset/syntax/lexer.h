// The lexical pass over C++, CUDA and HIP text: live tokens with bracket links, and the tokens
// where kernels and launches may begin.
//
// Why this is no parser: a grammar guesses to recover from what it cannot parse (macros, split
// conditionals, cut-off text). A guess can end a kernel early and still look clean: that of
// tree-sitter loses 2.6 % of public kernels and does not say which. Which bytes are comments,
// strings or dead text, and which braces match, can always be told without a grammar.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace cuset::syntax {

/// A token's kind: the character itself for one-character punctuation, else one of these. A digraph
/// has the kind of the token it stands for. So has a word that this text defines as a lone brace
/// before it (`#define BEGIN {` or `#define END }`).
enum token_kind : std::uint8_t {
    word = 128,
    number,
    string,       ///< with its prefix; raw or not
    character,    ///< with its prefix
    scope,        ///< ::
    arrow,        ///< ->
    comparison,   ///< an operator that ends in =, such as <= or ==
    less,         ///< a run of `<`, except launch_open
    launch_open,  ///< a run of exactly three, or `<< <`
    greater,      ///< a run of `>`; `>> >` counts as a run of three
    paste,        ///< ##
    define,       ///< `#define`; name, parameters and replacement follow, up to define_end
    define_end,   ///< empty, at the end of that line
    pp_if,        ///< #if, #ifdef, #ifndef with a branch that is not constant
    pp_elif,
    pp_else,
    pp_endif,
};

constexpr std::uint32_t no_token = UINT32_MAX;

struct token {
    std::uint32_t begin;
    std::uint32_t end;
    /// For brackets the partner's index, or no_token. define and define_end link to each other.
    /// pp_if and pp_elif hold the condition, as a hash whose lowest bit means "not"; always_true
    /// for `#if 1`.
    std::uint32_t link;
    std::uint8_t kind;
    bool spliced;        ///< a backslash-newline is inside
    std::uint8_t count;  ///< for less and greater: the length of the run, at most 255
};

constexpr std::uint32_t always_true = 0;

/// A place where a kernel or launch may begin: a `__global__`, a `<<<` or a launch function's name.
struct site {
    std::uint32_t token;
    std::uint32_t define;  ///< the define token of the #define around it, or no_token
};

enum class pp_keyword : std::uint8_t {
    if_,
    ifdef,
    ifndef,
    elif,
    elifdef,
    elifndef,
    else_,
    endif,
    define,
    include,
    other,
};

/// A live preprocessor line other than #define: text [begin, end) without its newline. The text
/// after its name begins at `argument`, and the next token is `next`.
struct directive {
    std::uint32_t begin, argument, end, next;
    pp_keyword keyword;
};

/// Tokens [first, end).
struct token_range {
    std::uint32_t first = 0, end = 0;
    bool empty() const { return first >= end; }
};

/// Whether the word is in the list.
template <std::size_t n>
bool is_one_of(std::string_view w, const std::string_view (&words)[n]) {
    return std::ranges::find(words, w) != std::end(words);
}

/// The tokens of one piece of code. Indices are into `tokens`, offsets into `text`.
struct token_stream {
    std::string_view text;
    std::vector<token> tokens;  ///< live ones only
    std::vector<site> heads;
    std::vector<site> launches;
    std::vector<std::uint32_t> conditionals;  ///< the pp_ tokens
    std::vector<directive> directives;
    /// Some conditional opens or closes brackets without their partner in the same branch. The
    /// links then hold for one configuration only.
    bool splits_brackets = false;
    std::size_t cuda_names = 0;  ///< identifiers like cudaMalloc, includes like <cuda_runtime.h>
    std::size_t hip_names = 0;

    std::uint32_t size() const { return static_cast<std::uint32_t>(tokens.size()); }
    std::string_view raw(std::uint32_t i) const {
        return text.substr(tokens[i].begin, tokens[i].end - tokens[i].begin);
    }
    /// The token's spelling, without splices.
    std::string spelling(std::uint32_t i) const;
    bool is(std::uint32_t i, std::uint8_t kind) const {
        return i < tokens.size() && tokens[i].kind == kind;
    }
    bool is_word(std::uint32_t i, std::string_view spelling) const;
    /// Whether token i is one of the words.
    template <std::size_t n>
    bool is_any_word(std::uint32_t i, const std::string_view (&words)[n]) const {
        return std::ranges::any_of(words, [&](std::string_view w) { return is_word(i, w); });
    }
    /// Whether any token of the range is.
    template <std::size_t n>
    bool has_word(token_range range, const std::string_view (&words)[n]) const {
        for (std::uint32_t i = range.first; i < range.end; ++i)
            if (is_any_word(i, words)) return true;
        return false;
    }
    bool is_opener(std::uint32_t i) const { return is(i, '(') || is(i, '[') || is(i, '{'); }
    bool is_closer(std::uint32_t i) const { return is(i, ')') || is(i, ']') || is(i, '}'); }
    /// The partner of the opening bracket at i; no_token if there is none before `end`.
    std::uint32_t closer_of(std::uint32_t i, std::uint32_t end = no_token) const {
        return tokens[i].link < end ? tokens[i].link : no_token;
    }
    /// The partner of the closing bracket at i; no_token if there is none at `floor` or after.
    std::uint32_t opener_of(std::uint32_t i, std::uint32_t floor) const {
        return tokens[i].link >= floor ? tokens[i].link : no_token;
    }
    /// The last token of the group that begins at i: the partner of an opening bracket before
    /// `end`, else i itself.
    std::uint32_t group_end(std::uint32_t i, std::uint32_t end = no_token) const {
        const std::uint32_t close = is_opener(i) ? closer_of(i, end) : no_token;
        return close == no_token ? i : close;
    }
    /// Whether nothing, not even a blank, stands between token i and the next.
    bool touches_next(std::uint32_t i) const {
        return i + 1 < tokens.size() && tokens[i].end == tokens[i + 1].begin;
    }
    /// The end, as a token index, of the code that contains `s`: its #define's define_end, or
    /// size().
    std::uint32_t limit(site s) const {
        return s.define == no_token ? size() : tokens[s.define].link;
    }
    /// The same as a byte offset.
    std::uint32_t end_of_code(site s) const {
        return s.define == no_token ? static_cast<std::uint32_t>(text.size())
                                    : tokens[tokens[s.define].link].begin;
    }
};

/// Lexes `text` (shorter than 4 GiB) into `out`, whose buffers are reused. Linear in the length.
void lex(std::string_view text, token_stream& out);

/// The same tokens and directives, but no structure: brackets have no partners, and heads, launches
/// and names are not looked for.
void lex_without_structure(std::string_view text, token_stream& out);

/// Whether each byte can be part of an identifier ($ and all of UTF-8's upper half can).
inline constexpr std::array<bool, 256> word_bytes = [] {
    std::array<bool, 256> t{};
    for (std::size_t i = 0; i < 256; ++i) {
        t[i] = (i >= 'a' && i <= 'z') || (i >= 'A' && i <= 'Z') || (i >= '0' && i <= '9') ||
               i == '_' || i == '$' || i >= 128;
    }
    return t;
}();
inline bool is_word_byte(char c) { return word_bytes[static_cast<unsigned char>(c)]; }

/// If a backslash-newline is at `p` (spaces before the newline are allowed, as in GCC and Clang),
/// returns the position after it and any that follow it; else `p`.
const char* skip_splices(const char* p, const char* end);

}  // namespace cuset::syntax

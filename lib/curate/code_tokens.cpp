#include "cuset/curate/code_tokens.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace cuset {

namespace {

using namespace syntax;

__extension__ typedef unsigned __int128 wide;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    const wide product = static_cast<wide>(a ^ 0x2d358dccaa6c78a5U) * (b ^ 0x8bb84b93962eacc9U);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t eight_bytes(const char* p) {
    std::uint64_t bits;
    std::memcpy(&bits, p, 8);
    return bits;
}

/// The bytes of a text of at most 8, whose length is hashed beside them. Reads overlap, since a
/// copy of any length would be a call.
std::uint64_t few_bytes(const char* p, std::size_t size) {
    if (size >= 4) {
        std::uint32_t first, last;
        std::memcpy(&first, p, 4);
        std::memcpy(&last, p + size - 4, 4);
        return std::uint64_t{first} << 32 | last;
    }
    const auto byte = [&](std::size_t i) {
        return std::uint64_t{static_cast<unsigned char>(p[i])};
    };
    return size == 0 ? 0 : byte(0) << 16 | byte(size / 2) << 8 | byte(size - 1);
}

/// Words that no program may choose another one for.
bool is_fixed_name(std::string_view name) {
    static const std::unordered_set<std::string_view> words = {"alignas",
                                                               "alignof",
                                                               "asm",
                                                               "auto",
                                                               "bool",
                                                               "break",
                                                               "case",
                                                               "catch",
                                                               "char",
                                                               "class",
                                                               "concept",
                                                               "const",
                                                               "consteval",
                                                               "constexpr",
                                                               "const_cast",
                                                               "continue",
                                                               "decltype",
                                                               "default",
                                                               "delete",
                                                               "do",
                                                               "double",
                                                               "dynamic_cast",
                                                               "else",
                                                               "enum",
                                                               "explicit",
                                                               "export",
                                                               "extern",
                                                               "false",
                                                               "float",
                                                               "for",
                                                               "friend",
                                                               "goto",
                                                               "if",
                                                               "inline",
                                                               "int",
                                                               "long",
                                                               "mutable",
                                                               "namespace",
                                                               "new",
                                                               "noexcept",
                                                               "nullptr",
                                                               "operator",
                                                               "private",
                                                               "protected",
                                                               "public",
                                                               "register",
                                                               "reinterpret_cast",
                                                               "requires",
                                                               "return",
                                                               "short",
                                                               "signed",
                                                               "sizeof",
                                                               "static",
                                                               "static_assert",
                                                               "static_cast",
                                                               "struct",
                                                               "switch",
                                                               "template",
                                                               "this",
                                                               "thread_local",
                                                               "throw",
                                                               "true",
                                                               "try",
                                                               "typedef",
                                                               "typeid",
                                                               "typename",
                                                               "union",
                                                               "unsigned",
                                                               "using",
                                                               "virtual",
                                                               "void",
                                                               "volatile",
                                                               "wchar_t",
                                                               "while",
                                                               "main",
                                                               "std",
                                                               "threadIdx",
                                                               "blockIdx",
                                                               "blockDim",
                                                               "gridDim",
                                                               "warpSize",
                                                               "dim3",
                                                               "half",
                                                               "half2",
                                                               "float2",
                                                               "float3",
                                                               "float4",
                                                               "double2",
                                                               "int2",
                                                               "int3",
                                                               "int4",
                                                               "uint2",
                                                               "uint3",
                                                               "uint4",
                                                               "size_t",
                                                               "int8_t",
                                                               "int16_t",
                                                               "int32_t",
                                                               "int64_t",
                                                               "uint8_t",
                                                               "uint16_t",
                                                               "uint32_t",
                                                               "uint64_t"};
    return name.starts_with("__") || name.starts_with("cuda") || name.starts_with("hip") ||
           name.starts_with("atomic") || name.starts_with("cublas") || words.contains(name);
}

constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Text that is no token: white space, comments, dead branches, the inside of a directive.
void append_gap(std::string_view gap, const ignored_parts& ignored, std::string& out) {
    for (std::size_t i = 0; i < gap.size();) {
        const bool line = gap.substr(i).starts_with("//"), block = gap.substr(i).starts_with("/*");
        if (ignored.comments && (line || block)) {
            const std::size_t end = line ? gap.find('\n', i) : gap.find("*/", i + 2);
            i = end == gap.npos ? gap.size() : line ? end : end + 2;
        } else {
            if (!ignored.space || !is_blank(gap[i])) out += gap[i];
            ++i;
        }
    }
}

std::uint64_t hash_of_directive(std::string_view text) {
    std::string squeezed;
    append_gap(text, {}, squeezed);
    return hash_of_bytes(squeezed);
}

// Most tokens are short: a copy of any length would be a call, and one of 16 bytes may go beyond
// the token in both texts.
constexpr std::size_t step = 16;

/// Room for append_token() of so many tokens of the code, which do not overlap.
char* room_for(std::string_view code, std::size_t tokens, std::string& out) {
    out.resize(code.size() + tokens + step);
    return out.data();
}

/// Writes the bytes [begin, end) of the code and a mark behind them, and moves `to` behind that.
[[gnu::always_inline]] inline void append_token(std::string_view code, std::size_t begin,
                                                std::size_t end, char*& to) {
    const std::size_t size = end - begin;
    if (size <= step && code.size() - begin >= step)
        std::memcpy(to, code.data() + begin, step);
    else
        std::memcpy(to, code.data() + begin, size);
    to += size;
    *to++ = '\n';
}

/// The same for a preprocessor line, or the `#define` of one, which may have white space and
/// comments within. One that begins with a digraph stays as it is.
void append_directive(std::string_view code, std::size_t begin, std::size_t end, char*& to) {
    if (code[begin] != '#') return append_token(code, begin, end, to);
    std::string squeezed;
    append_gap(code.substr(begin, end - begin), {}, squeezed);
    to = std::copy(squeezed.begin(), squeezed.end(), to);
    *to++ = '\n';
}

constexpr std::uint64_t any_literal = 0x6c69746572616cU;

}  // namespace

std::uint64_t hash_of_bytes(std::string_view bytes) {
    const char* p = bytes.data();
    std::size_t left = bytes.size();
    std::uint64_t hash = 0x9e3779b97f4a7c15U ^ left;
    for (; left > 8; left -= 8, p += 8) hash = mixed(hash, eight_bytes(p));
    return mixed(hash, few_bytes(p, left));
}

result<ignored_parts> ignored_parts_named(std::string_view list) {
    ignored_parts parts{false, false, false, false};
    if (list == "none") return parts;
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t end = std::min(list.find(',', at), list.size());
        const std::string_view name = list.substr(at, end - at);
        bool* const part = name == "comments"   ? &parts.comments
                           : name == "space"    ? &parts.space
                           : name == "names"    ? &parts.names
                           : name == "literals" ? &parts.literals
                                                : nullptr;
        if (part == nullptr)
            return usage_error("'" + std::string(name) +
                               "' is none of comments, space, names, literals (or none alone)");
        *part = true;
        at = end + 1;
    }
    if ((parts.names || parts.literals) && !(parts.comments && parts.space))
        return usage_error("names and literals are ignored only beside comments and space");
    return parts;
}

// Calls both in the order of the text: for each preprocessor line other than #define, and for the
// number and the token of each live token.
template <class Directive, class Token>
void code_tokens::for_parts(const Directive& directive, const Token& visit) const {
    std::uint32_t i = 0;
    const auto visit_to = [&](std::uint32_t end) {
        for (; i < end; ++i)  // directives have the text of conditionals
            if (const token& t = stream_.tokens[i]; t.kind < define_end) visit(i, t);
    };
    for (const syntax::directive& line : stream_.directives) {
        visit_to(std::min(line.next, stream_.size()));
        directive(line.begin, line.end);
    }
    visit_to(stream_.size());
}

void code_tokens::read(std::string_view code, const token_parts& parts) {
    lex_without_structure(code, stream_);
    tokens_.clear();
    tokens_.reserve(stream_.size() + stream_.directives.size());
    const auto add_line = [&](std::uint32_t begin, std::uint32_t end) {
        const std::uint64_t hash =
            parts.hashes ? hash_of_directive(code.substr(begin, end - begin)) : 0;
        tokens_.push_back({hash, begin, end, false});
    };
    for_parts(add_line, [&](std::uint32_t i, const token& t) {
        const bool literal = t.kind == number || t.kind == string || t.kind == character;
        const std::uint64_t hash = literal && parts.ignore_literals ? any_literal
                                   : !parts.hashes                  ? 0
                                   : t.spliced ? hash_of_bytes(stream_.spelling(i))
                                               : hash_of_bytes(stream_.raw(i));
        const bool is_name = parts.names && t.kind == word && !is_fixed_name(stream_.raw(i));
        tokens_.push_back({hash, t.begin, t.end, is_name});
    });
}

void code_tokens::squeeze(std::string_view code, std::string& out) {
    lex_without_structure(code, stream_);
    tokens_.clear();
    char* to = room_for(code, stream_.size() + stream_.directives.size(), out);
    for_parts(
        [&](std::uint32_t begin, std::uint32_t end) { append_directive(code, begin, end, to); },
        [&](std::uint32_t, const token& t) {
            if (t.kind == define || t.kind == paste)
                append_directive(code, t.begin, t.end, to);
            else
                append_token(code, t.begin, t.end, to);
        });
    out.resize(static_cast<std::size_t>(to - out.data()));
}

void code_tokens::append_tokens(std::string& out) const {
    char* to = room_for(stream_.text, tokens_.size(), out);
    for (const code_token& t : tokens_) {
        if (stream_.text[t.begin] == '#' && t.end - t.begin > 1)
            append_directive(stream_.text, t.begin, t.end, to);
        else
            append_token(stream_.text, t.begin, t.end, to);
    }
    out.resize(static_cast<std::size_t>(to - out.data()));
}

void code_tokens::normalised(const ignored_parts& ignored, std::string& out) const {
    const std::string_view code = stream_.text;
    const bool keeps_gaps = !ignored.comments || !ignored.space;
    if (!keeps_gaps && !ignored.names && !ignored.literals) return append_tokens(out);
    out.clear();
    // Which names came before; their numbers replace them.
    std::vector<std::pair<std::uint64_t, std::uint32_t>> places;
    if (ignored.names) {
        for (std::uint32_t i = 0; i < tokens_.size(); ++i)
            if (tokens_[i].is_name) places.emplace_back(tokens_[i].hash, i);
        std::sort(places.begin(), places.end());
        places.erase(std::unique(places.begin(), places.end(),
                                 [](const auto& a, const auto& b) { return a.first == b.first; }),
                     places.end());
    }
    std::size_t at = 0;
    for (const code_token& t : tokens_) {
        if (keeps_gaps && t.begin > at) append_gap(code.substr(at, t.begin - at), ignored, out);
        const std::string_view text = code.substr(t.begin, t.end - t.begin);
        if (t.is_name && ignored.names) {
            const auto place = std::lower_bound(places.begin(), places.end(),
                                                std::pair<std::uint64_t, std::uint32_t>(t.hash, 0));
            out += '\1' + std::to_string(place->second);
        } else if (ignored.literals && t.hash == any_literal) {
            out += '\2';
        } else if (text.size() > 1 && text[0] == '#') {
            append_gap(text, ignored, out);
        } else {
            out += text;
        }
        // A mark between tokens, so that "a b" is not "ab". Gaps that are kept say it themselves
        // only if white space is kept too.
        if (ignored.space) out += '\n';
        at = std::max<std::size_t>(at, t.end);
    }
    if (keeps_gaps) append_gap(code.substr(at), ignored, out);
}

void shingles_of(std::span<const std::uint64_t> hashes, std::size_t width,
                 std::vector<std::uint64_t>& out) {
    out.clear();
    if (hashes.empty()) return;
    width = std::min(std::max<std::size_t>(width, 1), hashes.size());
    out.reserve(hashes.size() - width + 1);
    for (std::size_t i = 0; i + width <= hashes.size(); ++i) {
        std::uint64_t hash = width;
        for (std::size_t j = 0; j < width; ++j) hash = mixed(hash, hashes[i + j]);
        out.push_back(hash);
    }
}

void code_tokens::shingles(std::size_t width, bool ignore_names,
                           std::vector<std::uint64_t>& out) const {
    out.clear();
    if (tokens_.empty()) return;
    width = std::min(std::max<std::size_t>(width, 1), tokens_.size());
    out.reserve(tokens_.size() - width + 1);
    for (std::size_t i = 0; i + width <= tokens_.size(); ++i) {
        std::uint64_t hash = width;
        for (std::size_t j = 0; j < width; ++j) {
            const code_token& t = tokens_[i + j];
            std::uint64_t piece = t.hash;
            if (ignore_names && t.is_name) {
                std::size_t first = 0;
                while (!tokens_[i + first].is_name || tokens_[i + first].hash != t.hash) ++first;
                piece = first;
            }
            hash = mixed(hash, piece);
        }
        out.push_back(hash);
    }
}

void code_tokens::renamed_runs(std::size_t width, std::vector<std::uint64_t>& out) const {
    out.clear();
    if (tokens_.empty()) return;
    width = std::min(std::max<std::size_t>(width, 1), tokens_.size());
    std::vector<std::uint64_t> back(tokens_.size());  // 0: it is new
    std::unordered_map<std::uint64_t, std::size_t> last;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        if (!tokens_[i].is_name) continue;
        const auto [place, is_new] = last.try_emplace(tokens_[i].hash, i);
        if (!is_new) back[i] = i - std::exchange(place->second, i);
    }
    out.reserve(tokens_.size() - width + 1);
    for (std::size_t i = 0; i + width <= tokens_.size(); ++i) {
        std::uint64_t hash = width;
        for (std::size_t j = 0; j < width; ++j) {
            const code_token& t = tokens_[i + j];
            hash = mixed(hash, !t.is_name ? t.hash : back[i + j] <= j ? back[i + j] : 0);
        }
        out.push_back(hash);
    }
}

std::size_t code_tokens::kinds_in(std::size_t first, std::size_t width) const {
    std::vector<std::uint64_t> kinds;
    for (std::size_t i = first; i < std::min(first + width, tokens_.size()); ++i)
        if (!tokens_[i].is_name) kinds.push_back(tokens_[i].hash);
    std::sort(kinds.begin(), kinds.end());
    return static_cast<std::size_t>(std::unique(kinds.begin(), kinds.end()) - kinds.begin());
}

void words_of(std::string_view text, std::vector<text_word>& out) {
    out.clear();
    std::string word;
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               static_cast<unsigned char>(c) >= 128;
    };
    for (std::size_t i = 0; i < text.size();) {
        if (!is_letter(text[i])) {
            ++i;
            continue;
        }
        const std::size_t begin = i;
        word.clear();
        for (; i < text.size() && is_letter(text[i]); ++i)
            word += static_cast<char>(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]);
        out.push_back({hash_of_bytes(word), begin, i});
    }
}

}  // namespace cuset

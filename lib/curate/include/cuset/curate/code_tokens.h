// Code as the duplicate searches see it: without what two copies of one program may differ in.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/syntax/lexer.h"

namespace cuset {

/// What two texts may differ in and still be the same program.
struct ignored_parts {
    bool comments = true;  ///< dead text too: the branch of `#if 0`
    bool space = true;
    bool names = false;  ///< a name is its first place in the text; keywords and names of CUDA stay
    bool literals = false;  ///< numbers, strings and characters
    bool operator==(const ignored_parts&) const = default;
};

/// Reads a list such as "comments,space,names" or "none". A usage error for another word, and for
/// names or literals beside a part of the text that is not ignored: only tokens have names.
result<ignored_parts> ignored_parts_named(std::string_view list);

/// A live token, or a whole preprocessor line other than #define.
struct code_token {
    std::uint64_t hash;        ///< of its spelling; all literals share one if they are ignored
    std::uint32_t begin, end;  ///< bytes of the code
    bool is_name;              ///< a name that a program may choose
};

/// What is found out about tokens; what is not needed costs time.
struct token_parts {
    bool ignore_literals = false;
    bool hashes = true;  ///< else code_token::hash is 0, but for a literal that is ignored
    bool names = true;   ///< else no token is a name
};

/// Keeps its buffers between calls, so each thread needs its own. Any bytes are accepted, and time
/// is linear in the length.
class code_tokens {
public:
    /// `code` is shorter than 4 GiB, and outlives the object's views.
    void read(std::string_view code, const token_parts& parts = {});
    std::span<const code_token> tokens() const { return tokens_; }
    std::string_view code() const { return stream_.text; }

    /// Sets `out` to the code without what is ignored. Two programs are exact duplicates if these
    /// texts are equal. Call read() first, with hashes and names if names are ignored.
    void normalised(const ignored_parts& ignored, std::string& out) const;

    /// Sets `out` to what normalised() makes of `code` if comments and space are ignored, without
    /// the tokens, of which there are none then.
    void squeeze(std::string_view code, std::string& out);

    /// Sets `out` to a hash of each run of `width` tokens (of all tokens, if there are fewer), in
    /// their order; equal runs have equal hashes. With `ignore_names`, a name is its first place in
    /// the run, so that a consistent renaming changes nothing. Empty if there are no tokens.
    void shingles(std::size_t width, bool ignore_names, std::vector<std::uint64_t>& out) const;

    /// The same of runs that two programs share whatever their names are, for wide runs: a name is
    /// how far before it the run has it too.
    void renamed_runs(std::size_t width, std::vector<std::uint64_t>& out) const;
    /// How many different tokens that are no names a run has. Of a list of names it is few.
    std::size_t kinds_in(std::size_t first, std::size_t width) const;

private:
    void append_tokens(std::string& out) const;
    template <class Directive, class Token>
    void for_parts(const Directive& directive, const Token& token) const;

    syntax::token_stream stream_;
    std::vector<code_token> tokens_;
};

/// The same for words of a prompt: runs of letters, digits and bytes above 127, in lower case.
struct text_word {
    std::uint64_t hash;
    std::size_t begin, end;
};
void words_of(std::string_view text, std::vector<text_word>& out);

/// A hash of each run of `width` hashes, as in code_tokens::shingles.
void shingles_of(std::span<const std::uint64_t> hashes, std::size_t width,
                 std::vector<std::uint64_t>& out);

/// A hash of bytes: good, fast, and not for anybody who chooses them to collide.
std::uint64_t hash_of_bytes(std::string_view bytes);

}  // namespace cuset

// Byte-level BPE tokenizers, read from a Hugging Face tokenizer.json: the same ids as Hugging
// Face's `tokenizers`, with byte offsets into the text that was given.
//
// Chains that are understood (normalizer, pre-tokenizer, model), each by its exact content:
//   GPT-2            ByteLevel with its own pattern
//   SmolLM           Digits(individual_digits), then GPT-2's ByteLevel
//   Qwen2/2.5/3      NFC, then the cl100k-style pattern with \p{N}
//   Llama-3          the same pattern with \p{N}{1,3}, ignore_merges
//   Seed-Coder       its variant of that pattern
//   DeepSeek-Coder   newlines, letters, punctuation, CJK, digits, one split after the other
// Anything else is refused by name (error_kind::unsupported), never approximated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

/// Immutable after loading; every const member may be called from many threads at once.
class tokenizer {
public:
    /// Reads a tokenizer.json. Errors: io (no such file), data (the file is malformed; the message
    /// names the file and what is wrong), unsupported (a setting or chain that is not implemented).
    /// The file's `post_processor`, `truncation` and `padding` are not applied: no special token is
    /// ever added and nothing is cut.
    static result<tokenizer> load(const std::filesystem::path& tokenizer_json);

    /// The same from JSON already in memory; `name` stands for the file in messages.
    static result<tokenizer> parse(std::string_view json, std::string_view name);

    tokenizer(tokenizer&&) noexcept;
    tokenizer& operator=(tokenizer&&) noexcept;
    ~tokenizer();

    /// Appends the tokens of `utf8` to `ids`, and to `ends` as many byte offsets into `utf8`, in
    /// ascending order: where each token's bytes end. Added tokens (special or not) are recognised
    /// in the text, as in Hugging Face with add_special_tokens=false.
    ///
    /// A token that holds part of a character ends at its own byte. Bytes for which the vocabulary
    /// has no symbol belong to no token. If the normalizer (NFC) changed the text, a token ends
    /// where Hugging Face's alignment says: a composed character ends with the base character that
    /// it was composed from, and the marks that went into it belong to no token.
    ///
    /// Errors: data, if `utf8` is not valid UTF-8; `ids` and `ends` are then unchanged.
    status encode(std::string_view utf8, std::vector<std::int32_t>& ids,
                  std::vector<std::size_t>& ends) const;

    /// The same without offsets.
    status encode(std::string_view utf8, std::vector<std::int32_t>& ids) const;

    /// The id of a token as tokenizer.json spells it ("<|im_end|>", "Ġfor"), if there is one.
    std::optional<std::int32_t> id_of(std::string_view token) const;

    /// The bytes of text that a token stands for: UTF-8, though perhaps not whole characters. For
    /// an added token this is its content; for an id without a token it is empty. The view lives as
    /// long as the tokenizer.
    std::string_view bytes_of(std::int32_t id) const;

    /// Whether the id is an added token that tokenizer.json marks as special.
    bool is_special(std::int32_t id) const;

    /// One more than the highest id; ids below it may lack a token. A model's embedding may have
    /// more rows than this.
    std::size_t vocab_size() const;

    /// Appends the bytes of `ids` to `text`; ids without a token add nothing. `skip_special` leaves
    /// special tokens out. The result may end within a character.
    void decode(std::span<const std::int32_t> ids, std::string& text,
                bool skip_special = false) const;

    struct impl;  ///< the tables, known to lib/text only

private:
    explicit tokenizer(std::unique_ptr<const impl> self);
    std::unique_ptr<const impl> self_;
};

}  // namespace cuset

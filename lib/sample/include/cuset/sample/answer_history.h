// The answers that a run has made last, as a source of drafts: a model that was trained on programs
// of one mould writes the same passages again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cuset {

class answer_history {
public:
    /// The shorter of the contexts that find() takes.
    static constexpr std::size_t longest_context = 8, shortest_context = 4;

    /// An answer, behind the last tokens of its prompt.
    void add(std::span<const std::int32_t> prompt, std::span<const std::int32_t> answer);

    /// What followed the last occurrence of the last `context` tokens of `text` in one answer: at
    /// most `most` tokens. `context` is one of the two above.
    std::vector<std::int32_t> find(std::span<const std::int32_t> text, std::size_t context,
                                   std::size_t most) const;

private:
    static constexpr std::size_t kept = std::size_t{1} << 16;  // tokens, some 150 programs
    static constexpr std::size_t slots = 2 * kept;
    static constexpr std::int32_t end_of_answer = -1;

    void append(std::int32_t token);
    std::int32_t at(std::size_t position) const { return tokens_[position % kept]; }
    std::vector<std::size_t>& ends_of(std::size_t context) {
        return context == longest_context ? long_ends_ : short_ends_;
    }
    const std::vector<std::size_t>& ends_of(std::size_t context) const {
        return context == longest_context ? long_ends_ : short_ends_;
    }

    std::vector<std::int32_t> tokens_;  // a ring
    std::size_t count_ = 0;             // of all tokens ever appended
    std::size_t begin_ = 0;             // of the answer that is being appended
    /// By the hash of a context: where the token after its last occurrence is. Others may share the
    /// slot, so the context is compared.
    std::vector<std::size_t> long_ends_, short_ends_;
};

}  // namespace cuset

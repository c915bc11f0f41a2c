// The answers that a run has made last, as a source of drafts: a model that was trained on programs
// of one mould writes the same passages again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace cuset {

class answer_history {
public:
    /// An answer, behind the last tokens of its prompt.
    void add(std::span<const std::int32_t> prompt, std::span<const std::int32_t> answer);

    /// The token that followed the last occurrence of the context with this key (ngrams.h), unless
    /// a later context has taken its place.
    std::optional<std::int32_t> next(std::uint64_t key) const;

private:
    struct slot {
        std::uint64_t key;
        std::int32_t token;
    };
    /// Of 5 contexts a token, room for some 200 programs.
    static constexpr std::size_t slots = std::size_t{1} << 19;

    std::vector<slot> slots_;
};

}  // namespace cuset

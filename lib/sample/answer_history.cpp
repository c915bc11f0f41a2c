#include "cuset/sample/answer_history.h"

#include <algorithm>

#include "cuset/base/random_key.h"

namespace cuset {

namespace {

template <class At>
std::uint64_t key_of(std::size_t context, const At& token) {
    std::uint64_t key = context;
    for (std::size_t i = 0; i < context; ++i)
        key = mixed_key(key, static_cast<std::uint64_t>(token(i)));
    return key;
}

}  // namespace

void answer_history::append(std::int32_t token) {
    tokens_[count_++ % kept] = token;
    for (const std::size_t context : {longest_context, shortest_context}) {
        if (count_ - begin_ < context) continue;
        const std::size_t first = count_ - context;
        ends_of(context)[key_of(context, [&](std::size_t i) { return at(first + i); }) % slots] =
            count_;
    }
}

void answer_history::add(std::span<const std::int32_t> prompt,
                         std::span<const std::int32_t> answer) {
    if (tokens_.empty()) {
        tokens_.resize(kept, end_of_answer);
        long_ends_.resize(slots);
        short_ends_.resize(slots);
    }
    begin_ = count_;
    for (const std::int32_t token : prompt.last(std::min(prompt.size(), longest_context)))
        append(token);
    for (const std::int32_t token : answer) append(token);
    tokens_[count_++ % kept] = end_of_answer;
}

std::vector<std::int32_t> answer_history::find(std::span<const std::int32_t> text,
                                               std::size_t context, std::size_t most) const {
    std::vector<std::int32_t> found;
    if (tokens_.empty() || text.size() < context) return found;
    const auto last = text.last(context);
    const std::size_t end =
        ends_of(context)[key_of(context, [&](std::size_t i) { return last[i]; }) % slots];
    if (end < context || count_ - end + context >= kept) return found;
    for (std::size_t i = 0; i < context; ++i)
        if (at(end - context + i) != last[i]) return found;
    for (std::size_t i = end; i < count_ && found.size() < most && at(i) != end_of_answer; ++i)
        found.push_back(at(i));
    return found;
}

}  // namespace cuset

#include "block_groups.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace cuset {

using namespace syntax;

namespace {

class group_reader {
public:
    group_reader(const token_stream& code, token_range body,
                 const std::unordered_set<std::string>& spaces)
        : code_(code), body_(body), spaces_(spaces) {}

    block_groups read() {
        block_groups groups;
        for (std::uint32_t i = body_.first; i < body_.end; ++i)
            if (code_.is(i, word)) places_[code_.spelling(i)].push_back(i);
        if (spaces_.empty() || !places_.contains("this_thread_block")) return {};
        for (std::uint32_t i = body_.first; i < body_.end; ++i) {
            if (!starts_statement(i)) continue;
            if (const std::uint32_t end = after_nameless_barrier(i); end != no_token)
                groups.barriers.push_back({i, end});
            read_group(i, groups);
        }
        std::ranges::sort(groups.barriers, {}, &token_range::first);
        return groups;
    }

private:
    bool starts_statement(std::uint32_t i) const {
        return i > body_.first &&
               (code_.is(i - 1, ';') || code_.is(i - 1, '{') || code_.is(i - 1, '}') ||
                code_.is(i - 1, ')') || code_.is(i - 1, ':') || code_.is_word(i - 1, "else") ||
                code_.is_word(i - 1, "do"));
    }

    /// The token after these spellings, which begin at i; no_token if other tokens stand there.
    std::uint32_t after(std::uint32_t i, std::initializer_list<std::string_view> spellings) const {
        if (i == no_token) return no_token;
        for (const std::string_view s : spellings) {
            if (i >= body_.end || code_.spelling(i) != s) return no_token;
            ++i;
        }
        return i;
    }

    /// The token after `name`, which may be qualified by the groups' namespace.
    std::uint32_t after_qualified(std::uint32_t i, std::string_view name) const {
        if (code_.is(i, scope)) ++i;
        if (code_.is(i, word) && code_.is(i + 1, scope)) {
            if (!spaces_.contains(code_.spelling(i))) return no_token;
            i += 2;
        }
        return after(i, {name});
    }

    std::uint32_t after_nameless_barrier(std::uint32_t i) const {
        const std::uint32_t method =
            after(after_qualified(i, "this_thread_block"), {"(", ")", ".", "sync", "(", ")", ";"});
        if (method != no_token) return method;
        const std::uint32_t open = after(after_qualified(i, "sync"), {"("});
        if (open == no_token) return no_token;
        return after(after_qualified(open, "this_thread_block"), {"(", ")", ")", ";"});
    }

    /// Reads the group that is declared at i, with its barriers.
    void read_group(std::uint32_t i, block_groups& groups) const {
        std::uint32_t at = i;
        if (code_.is_word(at, "const")) ++at;
        at = code_.is_word(at, "auto") ? at + 1 : after_qualified(at, "thread_block");
        if (at == no_token || !code_.is(at, word)) return;
        const std::string name = code_.spelling(at);
        if (!code_.is(at + 1, '=')) return;
        const std::uint32_t end =
            after(after_qualified(at + 2, "this_thread_block"), {"(", ")", ";"});
        if (end == no_token) return;
        std::vector<token_range> barriers;
        for (const std::uint32_t use : places_.at(name)) {
            if (use == at) continue;
            const token_range barrier = barrier_of(use, name);
            if (use < end || barrier.empty()) return;
            barriers.push_back(barrier);
        }
        groups.declarations.push_back({i, end});
        groups.barriers.insert(groups.barriers.end(), barriers.begin(), barriers.end());
    }

    /// The barrier whose group is the word `use`; empty if it is none.
    token_range barrier_of(std::uint32_t use, const std::string& name) const {
        if (starts_statement(use)) {
            const std::uint32_t end = after(use, {name, ".", "sync", "(", ")", ";"});
            return end == no_token ? token_range{} : token_range{use, end};
        }
        for (const std::uint32_t back : {2U, 4U, 5U}) {
            if (use < body_.first + back || !starts_statement(use - back)) continue;
            const std::uint32_t open = after(after_qualified(use - back, "sync"), {"("});
            const std::uint32_t end = after(open, {name, ")", ";"});
            if (open == use && end != no_token) return {use - back, end};
        }
        return {};
    }

    const token_stream& code_;
    token_range body_;
    const std::unordered_set<std::string>& spaces_;
    std::unordered_map<std::string, std::vector<std::uint32_t>> places_;  // words of the body
};

}  // namespace

bool block_groups::contains(std::uint32_t i) const {
    const auto are_in = [i](const std::vector<token_range>& ranges) {
        const auto next = std::ranges::upper_bound(ranges, i, {}, &token_range::first);
        return next != ranges.begin() && i < std::prev(next)->end;
    };
    return are_in(barriers) || are_in(declarations);
}

block_groups read_block_groups(const cuda_program& program, const cuda_function& function,
                               const waiting_names& waiting) {
    return group_reader(program.code, function.body, waiting.group_spaces()).read();
}

}  // namespace cuset

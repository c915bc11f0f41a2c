#include "block_groups.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace cuset {

using namespace syntax;

namespace {

class group_reader {
public:
    group_reader(const cuda_program& program, token_range body) : code_(program.code), body_(body) {
        names_own_sync_ = std::ranges::any_of(program.functions, [](const cuda_function& f) {
            return f.name == "sync" || f.name == "this_thread_block";
        });
        for (std::uint32_t i = 0; i + 4 < code_.size(); ++i)
            if (code_.is_word(i, "namespace") && code_.is(i + 1, word) && code_.is(i + 2, '=') &&
                code_.is_word(i + 3, "cooperative_groups") && code_.is(i + 4, ';'))
                aliases_.push_back(code_.spelling(i + 1));
    }

    block_groups read() {
        if (names_own_sync_) return {};
        block_groups groups;
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

    /// The token after these, which begin at i; no_token where others stand there.
    std::uint32_t after(std::uint32_t i, std::initializer_list<std::string_view> spellings) const {
        if (i == no_token) return no_token;
        for (const std::string_view s : spellings) {
            if (i >= body_.end || code_.spelling(i) != s) return no_token;
            ++i;
        }
        return i;
    }

    /// After `name`, alone or in the groups' namespace.
    std::uint32_t after_qualified(std::uint32_t i, std::string_view name) const {
        if (code_.is(i, scope)) ++i;
        if (code_.is(i, word) && code_.is(i + 1, scope)) {
            const std::string space = code_.spelling(i);
            if (space != "cooperative_groups" &&
                std::ranges::find(aliases_, space) == aliases_.end())
                return no_token;
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

    /// The group that is declared at i, with its barriers.
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
        for (std::uint32_t use = body_.first; use < body_.end; ++use) {
            if (use == at || !code_.is_word(use, name)) continue;
            const token_range barrier = barrier_of(use, name);
            if (use < end || barrier.empty()) return;
            barriers.push_back(barrier);
        }
        groups.declarations.push_back({i, end});
        groups.barriers.insert(groups.barriers.end(), barriers.begin(), barriers.end());
    }

    /// The barrier whose group is the word `use`; empty where it is none.
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
    bool names_own_sync_ = false;
    std::vector<std::string> aliases_;
};

}  // namespace

bool block_groups::contains(std::uint32_t i) const {
    const auto has = [i](token_range r) { return i >= r.first && i < r.end; };
    return std::ranges::any_of(barriers, has) || std::ranges::any_of(declarations, has);
}

block_groups read_block_groups(const cuda_program& program, const cuda_function& function) {
    return group_reader(program, function.body).read();
}

}  // namespace cuset

// Finds the end of something under every configuration of the conditionals around it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cuset/syntax/lexer.h"

namespace cuset::syntax {

enum class step_result : std::uint8_t {
    more,  ///< look at the next token
    done,  ///< this configuration ends with this token
    lost,  ///< this configuration has nothing to find here
};

/// Conditions whose value a configuration knows, as condition_hash spells them.
using known_conditions = std::vector<std::uint32_t>;

/// Walks the tokens from a site on, once for every configuration whose state can differ, and finds
/// the last token at which one of them ends. Conditions with the same text have the same
/// value, so that a brace opened under `#ifdef A` is closed by the one under the next `#ifdef A`.
///
/// `State` is what a configuration knows (depths); it must be small and equality-comparable.
/// `step(state, i)` takes token i. Lines of a #define are skipped unless the site is in one. The
/// walk is needed only if conditionals are in the way: without them the token stream's links say
/// the same.
template <class State, class Step>
class configuration_walk {
public:
    configuration_walk(const token_stream& code, State start, Step step)
        : code_(code), step_(std::move(step)) {
        active_.push_back({std::move(start), {}});
    }

    /// Walks [from, limit) at most. Looks at no more than `budget` tokens, and subtracts their
    /// number.
    void run(std::uint32_t from, std::uint32_t limit, std::size_t& budget);

    /// States of the configurations that ended, in order. The end is the token of the last.
    const std::vector<State>& ended() const { return ended_; }
    std::uint32_t last() const { return last_; }
    /// States of the configurations that are still open at the limit.
    const std::vector<State>& open() const { return open_; }

private:
    struct configuration {
        State state;
        known_conditions known;
    };
    using configurations = std::vector<configuration>;
    struct group {
        configurations entry;   // those that reach the current branch, or no branch so far
        configurations merged;  // those that left a branch
        std::uint32_t condition;
    };
    static constexpr std::size_t most_configurations = 64;

    static bool can_be(const known_conditions& known, std::uint32_t condition) {
        return condition != (always_true | 1u) &&
               std::ranges::find(known, condition ^ 1u) == known.end();
    }
    static configurations assume(const configurations& from, std::uint32_t condition) {
        configurations result;
        for (const configuration& c : from) {
            if (!can_be(c.known, condition)) continue;
            result.push_back(c);
            known_conditions& known = result.back().known;
            if (std::ranges::find(known, condition) == known.end()) known.push_back(condition);
        }
        return result;
    }
    void know_enclosing(std::uint32_t from, std::size_t& budget);
    void take_conditional(std::uint32_t& i, std::uint32_t limit, std::size_t& budget);
    void merge(configurations& merged);

    const token_stream& code_;
    Step step_;
    configurations active_;
    std::vector<group> groups_;
    std::vector<State> ended_, open_;
    std::uint32_t last_ = no_token;
};

// The conditions that hold at the site because it lies in their branch.
template <class State, class Step>
void configuration_walk<State, Step>::know_enclosing(std::uint32_t from, std::size_t& budget) {
    known_conditions& known = active_.front().known;
    std::vector<std::size_t> begins;
    for (const std::uint32_t i : code_.conditionals) {
        if (i >= from || budget == 0) break;
        --budget;
        const token& t = code_.tokens[i];
        if (t.kind == pp_if) {
            begins.push_back(known.size());
            known.push_back(t.link);
        } else if (t.kind == pp_endif) {
            known.resize(begins.back());
            begins.pop_back();
        } else {
            known.back() ^= 1u;
            if (t.kind == pp_elif) known.push_back(t.link);
        }
    }
}

template <class State, class Step>
void configuration_walk<State, Step>::take_conditional(std::uint32_t& i, std::uint32_t limit,
                                                       std::size_t& budget) {
    const token& t = code_.tokens[i];
    if (t.kind == pp_if) {
        groups_.push_back({std::move(active_), {}, t.link});
        active_ = assume(groups_.back().entry, t.link);
        return;
    }
    if (groups_.empty()) {
        // The site's own branch ends: the other branches belong to other configurations.
        if (t.kind == pp_endif) return;
        for (std::size_t depth = 0; i + 1 < limit && budget > 0; --budget) {
            const std::uint8_t kind = code_.tokens[++i].kind;
            if (kind == pp_if) ++depth;
            if (kind == pp_endif && depth-- == 0) return;
        }
        return;
    }
    group& g = groups_.back();
    g.merged.insert(g.merged.end(), active_.begin(), active_.end());
    g.entry = assume(g.entry, g.condition ^ 1u);
    if (t.kind == pp_endif) {
        g.merged.insert(g.merged.end(), g.entry.begin(), g.entry.end());
        merge(g.merged);
        active_ = std::move(g.merged);
        groups_.pop_back();
    } else if (t.kind == pp_elif) {
        g.condition = t.link;
        active_ = assume(g.entry, t.link);
    } else {
        active_ = std::move(g.entry);
        g.entry.clear();
        g.condition = always_true;
    }
}

// Configurations in the same state become one, which keeps what all of them know.
template <class State, class Step>
void configuration_walk<State, Step>::merge(configurations& merged) {
    configurations result;
    for (configuration& c : merged) {
        const auto same = std::ranges::find_if(
            result, [&](const configuration& r) { return r.state == c.state; });
        if (same == result.end()) {
            if (result.size() < most_configurations) result.push_back(std::move(c));
            continue;
        }
        std::erase_if(same->known, [&](std::uint32_t condition) {
            return std::ranges::find(c.known, condition) == c.known.end();
        });
    }
    merged = std::move(result);
}

template <class State, class Step>
void configuration_walk<State, Step>::run(std::uint32_t from, std::uint32_t limit,
                                          std::size_t& budget) {
    know_enclosing(from, budget);
    std::uint32_t i = from;
    for (; i < limit && budget > 0; ++i, --budget) {
        const token& t = code_.tokens[i];
        if (t.kind >= pp_if) {
            take_conditional(i, limit, budget);
            if (budget == 0) break;
            continue;
        }
        if (t.kind == define) {
            i = t.link;
            continue;
        }
        if (active_.empty() && groups_.empty()) return;
        // A kernel contains no other kernel: a configuration still open here is one that nobody
        // compiles.
        if (!ended_.empty() && t.kind == word && code_.is_word(i, "__global__")) return;
        std::erase_if(active_, [&](configuration& c) {
            const step_result r = step_(c.state, i);
            if (r == step_result::done) {
                ended_.push_back(c.state);
                last_ = i;
            }
            return r != step_result::more;
        });
    }
    for (const configuration& c : active_) open_.push_back(c.state);
    for (const group& g : groups_) {
        for (const configuration& c : g.merged) open_.push_back(c.state);
    }
}

}  // namespace cuset::syntax

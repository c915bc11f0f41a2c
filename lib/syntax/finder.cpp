#include "finder.h"

#include <algorithm>
#include <optional>

#include "configurations.h"
#include "names.h"

namespace cuset::syntax {
namespace {

// The most tokens of a call that are searched for its kernel: keeps unclosed calls linear.
constexpr std::uint32_t most_arguments = 512;

// More macros for `__global__` than any program has.
constexpr std::size_t most_aliases = 64;

class finder {
public:
    finder(const token_stream& code, std::vector<finding>& out)
        : code_(code), out_(out), budget_(code.tokens.size() * 16 + 1'000'000) {}

    void find_kernels();
    void find_launch(site at);

private:
    struct extent {
        std::uint32_t first;  // token
        std::uint32_t last;   // token, or no_token if the code ends first
    };
    struct kernel_state {
        std::uint32_t depth = 0;
        std::uint32_t body = no_token;  // the opening brace
        bool parameters = false;        // a parenthesis was seen
        std::uint8_t requires_clause = 0;
        std::uint32_t angles = 0;  // template arguments that may be open
        bool operator==(const kernel_state&) const = default;
    };
    struct nesting_state {
        std::uint32_t depth = 0;
        std::uint32_t angles = 0;
        std::uint32_t braces = 0;  // of depth
        bool operator==(const nesting_state&) const = default;
    };
    step_result step_kernel(kernel_state& s, std::uint32_t i) const;
    step_result step_configuration(nesting_state& s, std::uint32_t i, std::uint32_t limit) const;
    bool is_body(const kernel_state& s, std::uint32_t i) const;
    bool closes_later(std::uint32_t i, std::uint32_t limit) const;

    bool find_kernel(site at);
    bool is_dangling(site at) const;
    std::optional<extent> kernel_body(site at);
    std::optional<extent> configuration(site at);
    std::optional<extent> unbalanced_configuration(site at, std::uint32_t i) const;
    std::optional<extent> call(site at);
    template <class State, class Step>
    std::optional<extent> walk(site at, std::uint32_t from, State start, Step step,
                               std::vector<State>* states = nullptr);
    bool is_declared(std::uint32_t name, std::uint32_t open, std::uint32_t close) const;
    std::string launched_name(std::uint32_t callee, std::uint32_t open, std::uint32_t close) const;
    void add(span_kind kind, site at, extent e, std::string name);

    const token_stream& code_;
    std::vector<finding>& out_;
    std::size_t budget_;  // of tokens looked at again: keeps hostile text linear
};

// Whether the brace at i, outside parentheses, opens the body, and not a requires-expression, a
// value among template arguments (`f<T{}>`) or a template engine's field (`void {name}(`).
bool finder::is_body(const kernel_state& s, std::uint32_t i) const {
    if (s.requires_clause == 2) return false;
    const std::uint32_t close = code_.tokens[i].link;
    if (close == no_token) return true;
    if (s.angles > 0 && code_.is(close + 1, greater)) return false;
    if (s.parameters) return true;
    if (code_.is(close + 1, ',') || code_.is(close + 1, scope)) return false;
    if (!code_.is(close + 1, '(') && !code_.is(close + 1, word)) return true;
    for (std::uint32_t j = i + 1; j < close; ++j) {
        const std::uint8_t kind = code_.tokens[j].kind;
        if (kind != word && kind != '.' && kind != '{' && kind != '}') return true;
    }
    return close == i + 1;
}

step_result finder::step_kernel(kernel_state& s, std::uint32_t i) const {
    const std::uint8_t kind = code_.tokens[i].kind;
    if (s.body != no_token) {
        if (kind == '{') ++s.depth;
        if (kind == '}' && --s.depth == 0) return step_result::done;
        return step_result::more;
    }
    if (kind == '{' && s.depth == 0 && is_body(s, i)) {
        s.body = i;
        s.depth = 1;
    } else if (code_.is_opener(i)) {
        if (kind == '(' && s.depth == 0) s.parameters = true;
        if (kind == '{' && s.depth == 0 && s.requires_clause == 2) s.requires_clause = 1;
        ++s.depth;
    } else if (code_.is_closer(i)) {
        if (s.depth-- == 0) return step_result::lost;
    } else if (kind == less || kind == greater) {
        if (may_open_angle(code_, i)) ++s.angles;
        if (kind == greater) s.angles -= std::min<std::uint32_t>(s.angles, code_.tokens[i].count);
    } else if (kind == word) {
        if (code_.is_word(i, "__global__")) return step_result::lost;
        if (s.depth == 0 && code_.raw(i) == "requires") {
            s.requires_clause = s.requires_clause == 0 ? 1 : 2;
        }
    } else if (s.depth == 0 && (kind == ';' || kind == '=' || kind == launch_open)) {
        return step_result::lost;
    }
    return step_result::more;
}

template <class State, class Step>
std::optional<finder::extent> finder::walk(site at, std::uint32_t from, State start, Step step,
                                           std::vector<State>* states) {
    configuration_walk<State, Step> walk(code_, std::move(start), std::move(step));
    walk.run(from, code_.limit(at), budget_);
    const bool ended = !walk.ended().empty();
    if (!ended && walk.open().empty()) return std::nullopt;
    if (states != nullptr) *states = ended ? walk.ended() : walk.open();
    return extent{from, ended ? walk.last() : no_token};
}

std::optional<finder::extent> finder::kernel_body(site at) {
    const std::uint32_t limit = code_.limit(at);
    kernel_state s;
    for (std::uint32_t i = at.token + 1; i < limit; ++i) {
        if (budget_ == 0) return std::nullopt;
        --budget_;
        const token& t = code_.tokens[i];
        if (t.kind >= pp_if) break;
        if (t.kind == define) {
            i = t.link;
        } else if (step_kernel(s, i) == step_result::lost) {
            return std::nullopt;
        } else if (s.body != no_token) {
            if (code_.splits_brackets && budget_ > 0) break;
            return extent{i, t.link};
        }
    }
    const auto step = [this](kernel_state& state, std::uint32_t i) {
        return step_kernel(state, i);
    };
    std::vector<kernel_state> states;
    const auto found = walk(at, at.token + 1, kernel_state{}, step, &states);
    if (!found) return std::nullopt;
    extent e{no_token, found->last};
    for (const kernel_state& state : states) e.first = std::min(e.first, state.body);
    if (e.first == no_token) return std::nullopt;
    // The budget is used up: the brace of one configuration is better than none.
    if (e.last == no_token && budget_ == 0) e.last = code_.tokens[e.first].link;
    return e;
}

bool finder::find_kernel(site at) {
    const auto body = kernel_body(at);
    if (!body) return false;
    add(span_kind::kernel, at, *body, name_of_function(code_, at.token, body->first));
    return true;
}

// Whether the #define at the site leaves the rest of its head to the text around it.
bool finder::is_dangling(site at) const {
    if (at.define == no_token) return false;
    kernel_state s;
    for (std::uint32_t i = at.token + 1; i < code_.limit(at); ++i) {
        if (step_kernel(s, i) == step_result::lost || s.body != no_token) return false;
    }
    return s.depth == 0;
}

// Also finds kernels whose `__global__` is a macro of this text: `#define KERNEL __global__ void`,
// then `KERNEL k(…) {…}`.
void finder::find_kernels() {
    std::vector<std::string> aliases;
    const auto take = [&](site head) {
        if (find_kernel(head) || !is_dangling(head)) return;
        std::string alias = code_.spelling(head.define + 1);
        if (std::ranges::find(aliases, alias) == aliases.end()) aliases.push_back(std::move(alias));
    };
    for (const site head : code_.heads) {
        if (!code_.is(head.token - 1, define)) take(head);
    }
    if (aliases.empty()) return;
    std::uint32_t inside = no_token;
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
        const std::uint8_t kind = code_.tokens[i].kind;
        if (kind == define) inside = i++;  // and over the macro's own name
        if (kind == define_end) inside = no_token;
        if (kind != word) continue;
        const auto is_this = [&](const std::string& alias) { return code_.is_word(i, alias); };
        if (aliases.size() <= most_aliases && std::ranges::any_of(aliases, is_this)) {
            take({i, inside});
        }
    }
}

void finder::add(span_kind kind, site at, extent e, std::string name) {
    const bool open_ended = e.last == no_token;
    const std::uint32_t end = open_ended ? code_.end_of_code(at) : code_.tokens[e.last].end;
    const std::uint32_t last = open_ended ? code_.limit(at) - 1 : e.last;
    const std::uint32_t first = kind == span_kind::kernel ? at.token : e.first;
    out_.push_back({kind, code_.tokens[e.first].begin, end, code_.tokens[at.token].begin, first,
                    last, at, std::move(name), open_ended});
}

// Whether another `>>>` comes after token i before the statement ends. If so, the run at i closes
// template arguments, and the other closes the configuration.
bool finder::closes_later(std::uint32_t i, std::uint32_t limit) const {
    for (++i; i < limit; ++i) {
        const token& t = code_.tokens[i];
        if (t.kind == greater && t.count >= 3) return true;
        if (t.kind == ';' || t.kind == launch_open || t.kind == define || code_.is_closer(i)) break;
        if (code_.is_opener(i)) i = code_.closer_of(i, limit);
        if (i == no_token) break;
    }
    return false;
}

// Only a `>>>` outside parentheses ends a configuration; nvcc requires that too. `angles` counts
// the template arguments that may be open: `k<<<f<a<b<c>>>(), n>>>(x)`.
step_result finder::step_configuration(nesting_state& s, std::uint32_t i,
                                       std::uint32_t limit) const {
    const token& t = code_.tokens[i];
    if (code_.is_opener(i)) {
        ++s.depth;
    } else if (code_.is_closer(i)) {
        if (s.depth-- == 0) return step_result::lost;
    } else if (s.depth > 0) {
        return step_result::more;
    } else if (t.kind == ';' || t.kind == launch_open) {
        return step_result::lost;
    } else if (may_open_angle(code_, i)) {
        ++s.angles;
    } else if (t.kind == greater) {
        const bool all_templates =
            t.count < 3 || (s.angles > 0 && t.count < s.angles + 3 && closes_later(i, limit));
        if (!all_templates) return step_result::done;
        s.angles -= std::min<std::uint32_t>(s.angles, t.count);
    }
    return step_result::more;
}

// A parenthesis at token i lacks its partner, or the code ends: takes the next `>>>` of the
// statement at any nesting.
std::optional<finder::extent> finder::unbalanced_configuration(site at, std::uint32_t i) const {
    const std::uint32_t limit = code_.limit(at);
    for (; i < limit; ++i) {
        const token& t = code_.tokens[i];
        if (t.kind == greater && t.count >= 3) return extent{at.token, i};
        if (t.kind == ';' || t.kind == '}' || t.kind == launch_open) return std::nullopt;
    }
    return extent{at.token, no_token};
}

std::optional<finder::extent> finder::configuration(site at) {
    const std::uint32_t limit = code_.limit(at);
    nesting_state s;
    for (std::uint32_t i = at.token + 1; i < limit; ++i) {
        const token& t = code_.tokens[i];
        if (t.kind >= pp_if) {
            const auto step = [this, limit](nesting_state& state, std::uint32_t j) {
                return step_configuration(state, j, limit);
            };
            auto found = walk(at, at.token + 1, nesting_state{}, step);
            if (found) found->first = at.token;
            return found;
        }
        if (t.kind == define) {
            i = t.link;
        } else if (code_.is_opener(i) && t.link == no_token) {
            return unbalanced_configuration(at, i);
        } else if (code_.is_opener(i) && !code_.splits_brackets) {
            i = t.link;
        } else {
            const step_result r = step_configuration(s, i, limit);
            if (r == step_result::lost) return std::nullopt;
            if (r == step_result::done) return extent{at.token, i};
        }
    }
    return extent{at.token, no_token};
}

// `name` is a launch function's, before a parenthesis. Whether this declares or defines it.
bool finder::is_declared(std::uint32_t name, std::uint32_t open, std::uint32_t close) const {
    std::uint32_t before = name;
    while (before >= 2 && code_.is(before - 1, scope) && code_.is(before - 2, word) &&
           !is_statement_keyword(code_.raw(before - 2))) {
        before -= 2;  // its namespace
    }
    if (before > 0 && code_.is(before - 1, scope)) --before;
    while (before > 0 && code_.tokens[before - 1].kind >= pp_if) --before;
    if (before == 0) return false;
    const token& t = code_.tokens[before - 1];
    switch (t.kind) {
        case define: return true;  // its own #define
        case word:
            if (is_statement_keyword(code_.raw(before - 1))) return false;
            if (before >= 2 && code_.is(before - 2, define)) return false;  // #define RUN cuLaunch…
            return classify_arguments(code_, open, close) != argument_kind::expressions;
        case greater:
        case '*':
        case '&':
        case ')':
        case ']':
        case string: return classify_arguments(code_, open, close) == argument_kind::parameters;
        default: return false;
    }
}

// The kernel among the arguments. It is the second if the function takes a configuration first.
std::string finder::launched_name(std::uint32_t callee, std::uint32_t open,
                                  std::uint32_t close) const {
    const std::string function = code_.spelling(callee);
    std::size_t wanted = function.ends_with("Ex") || function.ends_with("ExC") ? 1 : 0;
    std::uint32_t first = open + 1;
    std::size_t angles = 0;
    close = std::min(close, open + most_arguments);
    for (std::uint32_t i = first; i <= close; ++i) {
        const token& t = code_.tokens[i];
        const bool ends = i == close || (t.kind == ',' && angles == 0);
        if (ends && wanted == 0) return i > first ? name_of_expression(code_, i - 1, first) : "";
        if (ends) {
            --wanted;
            first = i + 1;
        } else if (code_.is_opener(i)) {
            i = code_.group_end(i, close);
        } else if (may_open_angle(code_, i)) {
            ++angles;
        } else if (t.kind == greater) {
            angles -= std::min<std::size_t>(angles, t.count);
        }
    }
    return "";
}

std::optional<finder::extent> finder::call(site at) {
    const std::uint32_t limit = code_.limit(at);
    std::uint32_t open = at.token + 1;
    if (code_.is(open, less) && code_.tokens[open].count == 1) {  // cudaLaunchKernelEx<int>(
        std::size_t angles = 1;
        while (++open < limit && angles > 0 && !code_.is(open, ';')) {
            if (may_open_angle(code_, open)) ++angles;
            if (code_.is(open, greater))
                angles -= std::min<std::size_t>(angles, code_.tokens[open].count);
        }
    }
    // (cudaLaunchKernel)(…) keeps a macro of that name from being expanded.
    if (code_.is(open, ')') && at.token > 0 && code_.is(at.token - 1, '(')) ++open;
    if (open >= limit || !code_.is(open, '(')) return std::nullopt;
    const std::uint32_t link = code_.tokens[open].link;
    const std::uint32_t close = link == no_token ? limit : link;
    if (is_declared(at.token, open, std::min(close, limit))) return std::nullopt;
    if (link != no_token && !code_.splits_brackets) return extent{at.token, link};
    const auto step = [this](nesting_state& s, std::uint32_t i) {
        const std::uint8_t kind = code_.tokens[i].kind;
        if (code_.is_opener(i)) ++s.depth;
        if (kind == '{') ++s.braces;
        if (kind == '}' && s.braces-- == 0) return step_result::lost;
        if (code_.is_closer(i) && s.depth-- == 0) {
            return kind == ')' ? step_result::done : step_result::lost;
        }
        return step_result::more;
    };
    auto found = walk(at, open + 1, nesting_state{}, step);
    if (found) return extent{at.token, found->last};
    // The parenthesis is missing: the call goes to the end of the statement.
    std::uint32_t last = open;
    for (; last + 1 < limit && budget_ > 0; ++last, --budget_) {
        const token& next = code_.tokens[last + 1];
        if (next.kind == ';' || next.kind == '}') break;
        if (code_.is_closer(last + 1) && next.link == no_token) break;
    }
    return extent{at.token, last};
}

void finder::find_launch(site at) {
    if (code_.is(at.token, launch_open)) {
        const auto e = configuration(at);
        if (!e) return;
        // `cout << <` is no C++, so text like it is no launch. A macro may leave the arguments to
        // its caller, or have them as a parameter.
        const std::string_view angles = code_.raw(at.token);
        const bool is_spaced = angles.find_first_of(" \t\v\f/") != angles.npos;
        const auto follows = [&](std::uint8_t kind) { return code_.is(e->last + 1, kind); };
        const bool is_of_macro = at.define != no_token;
        if (is_spaced &&
            (e->last == no_token ||
             !(follows('(') || (is_of_macro && (follows(define_end) || follows(word))))))
            return;
        const std::uint32_t floor = at.define == no_token ? 0 : at.define + 1;
        add(span_kind::launch, at, *e,
            at.token > floor ? name_of_expression(code_, at.token - 1, floor) : "");
        return;
    }
    const auto e = call(at);
    if (!e) return;
    const std::uint32_t last = e->last == no_token ? code_.limit(at) : e->last;
    std::uint32_t open = at.token;
    while (open < last && !code_.is(open, '(')) ++open;
    add(span_kind::launch, at, *e, launched_name(at.token, open, last));
}

}  // namespace

void find_spans(const token_stream& code, std::vector<finding>& out) {
    finder f(code, out);
    f.find_kernels();
    for (const site s : code.launches) f.find_launch(s);
}

}  // namespace cuset::syntax

#include "functions.h"

#include <algorithm>
#include <string>

#include "names.h"
#include "statements.h"

namespace cuset::syntax {
namespace {

// More nested conditionals than any program has: keeps a function's list of branches short.
constexpr std::size_t most_branches = 16;

class function_reader {
public:
    explicit function_reader(cuda_program& program)
        : program_(program), code_(program.code), qualifiers_(program) {}

    void run();

private:
    enum class scope_kind : std::uint8_t { name_space, type };
    struct scope {
        scope_kind kind;
        std::uint32_t brace;
    };
    // The parts seen of the current declaration, outside its brackets.
    struct seen {
        std::uint32_t first;
        std::uint32_t head;  // `first` after the template header
        bool is_template = false, has_namespace = false, has_type = false, has_enum = false;
        bool has_parentheses = false, is_assigned = false;
        std::uint32_t initializers = no_token;  // the colon before a constructor's
    };
    void read(token_range range, std::uint32_t define_token);
    void note_word(seen& d, std::uint32_t& i, std::uint32_t end) const;
    std::uint32_t open_brace(seen& d, std::uint32_t i, std::uint32_t end);
    void note_conditional(std::uint32_t i);
    bool is_type(const seen& d, std::uint32_t brace) const;
    void add(const seen& d, std::uint32_t list, token_range body, std::uint32_t end);
    void read_head(cuda_function& f, token_range head) const;
    void add_variables(token_range declaration);
    void read_lambda(std::uint32_t i);

    cuda_program& program_;
    const token_stream& code_;
    qualifier_words qualifiers_;
    std::vector<scope> scopes_;
    std::vector<branch_of_conditional> branches_;
    std::uint32_t conditionals_ = 0;
    std::uint32_t define_ = no_token;
};

bool is_control(std::string_view w) {
    return is_one_of(w, {"if", "for", "while", "switch", "catch", "return", "do", "else"});
}

void function_reader::note_conditional(std::uint32_t i) {
    const std::uint8_t kind = code_.tokens[i].kind;
    if (kind == pp_if) {
        branches_.push_back({conditionals_++, 0});
    } else if (branches_.empty()) {
        return;
    } else if (kind == pp_endif) {
        branches_.pop_back();
    } else {
        ++branches_.back().branch;
    }
}

void function_reader::note_word(seen& d, std::uint32_t& i, std::uint32_t end) const {
    const std::string_view w = code_.raw(i);
    if (w == "template") {
        d.is_template = true;
        const std::uint32_t close =
            code_.is(i + 1, less) ? closing_angle(code_, i + 1, end) : no_token;
        if (close != no_token) d.head = (i = close) + 1;
    } else if (w == "namespace") {
        d.has_namespace = true;
    } else if (w == "enum") {
        d.has_enum = true;
    } else if (is_one_of(w, {"class", "struct", "union"})) {
        d.has_type = true;
    } else if (w == "operator") {
        // operator=, operator() and operator[]: the next token is part of the name.
        if (code_.is(i + 1, '=')) ++i;
        if ((code_.is(i + 1, '(') || code_.is(i + 1, '[')) && code_.tokens[i + 1].link == i + 2) {
            i += 2;
        }
    }
}

// Whether the brace opens a type that the declaration defines, not a function that returns it.
bool function_reader::is_type(const seen& d, std::uint32_t brace) const {
    if (!d.has_type) return false;
    const std::uint32_t list = parameter_list(code_, d.head - 1, brace);
    if (list >= brace || code_.tokens[list].link == no_token) return true;
    const std::uint32_t next = code_.tokens[list].link + 1;
    return code_.is(next, ':') ||
           (code_.is(next, word) && !is_one_of(code_.raw(next), {"const", "noexcept", "override",
                                                                 "final", "requires", "try"}));
}

// Returns the token to continue at; resets the declaration if it ends here.
std::uint32_t function_reader::open_brace(seen& d, std::uint32_t i, std::uint32_t end) {
    const std::uint32_t link = code_.tokens[i].link;
    const std::uint32_t close = link == no_token ? end - 1 : link;
    const bool linkage = i == d.first + 2 && code_.is(i - 1, string);
    if (d.has_namespace || linkage) {
        scopes_.push_back({scope_kind::name_space, i});
        d = {i + 1, i + 1};
        return i;
    }
    if (d.is_assigned || (d.has_enum && !d.has_parentheses)) return close;
    if (is_type(d, i)) {
        scopes_.push_back({scope_kind::type, i});
        d = {i + 1, i + 1};
        return i;
    }
    if (!d.has_parentheses) return close;
    const bool initializers = d.initializers != no_token && !d.has_type;
    if (initializers && (code_.is(i - 1, word) || code_.is(i - 1, greater)) &&
        (code_.is(close + 1, ',') || code_.is(close + 1, '{'))) {
        return close;  // a member's
    }
    // The parameters precede the initialisers, which look like calls.
    const std::uint32_t head_end = initializers ? d.initializers : i;
    const std::uint32_t list = parameter_list(code_, d.head - 1, head_end);
    // A head in one branch of a conditional, with its body in another, belongs to that branch only.
    const bool split = link == no_token && code_.splits_brackets;
    const std::uint32_t last = split ? i : close;
    if (list < head_end) add(d, list, {i, last + 1}, head_end);
    d = {last + 1, last + 1};
    return last;
}

void function_reader::read(token_range range, std::uint32_t define_token) {
    define_ = define_token;
    scopes_.assign(1, {scope_kind::name_space, no_token});
    seen d{range.first, range.first};
    for (std::uint32_t i = range.first; i < range.end; ++i) {
        const token& t = code_.tokens[i];
        if (t.kind == define || t.kind >= pp_if) {
            const bool begins = d.first == i;
            if (t.kind == define) {
                i = t.link;
            } else if (define_ == no_token) {
                note_conditional(i);
            }
            if (begins) d = {i + 1, i + 1};
            continue;
        }
        switch (t.kind) {
            case word: note_word(d, i, range.end); break;
            case '(': d.has_parentheses = true; [[fallthrough]];
            case '[': i = code_.group_end(i, range.end); break;
            case '=': d.is_assigned = true; break;
            case ':':
                if (code_.is(i - 1, word) &&
                    is_one_of(code_.raw(i - 1), {"public", "private", "protected"})) {
                    d = {i + 1, i + 1};
                } else if (d.has_parentheses && d.initializers == no_token) {
                    d.initializers = i;
                }
                break;
            case '{': i = open_brace(d, i, range.end); break;
            case '}':
                if (scopes_.size() > 1) scopes_.pop_back();
                d = {i + 1, i + 1};
                break;
            case ';': {
                const std::uint32_t list = d.has_parentheses && !d.has_namespace
                                               ? parameter_list(code_, d.head - 1, i)
                                               : i;
                const bool named = list < i && list > d.head + 1 && code_.is(list - 1, word);
                if (named && (!d.is_assigned || code_.is(i - 2, '='))) {
                    add(d, list, {}, i);
                } else if (define_ == no_token && !d.is_template && !d.has_namespace &&
                           !d.has_enum && !d.has_type) {
                    add_variables({d.head, i});
                }
                d = {i + 1, i + 1};
                break;
            }
            default: break;
        }
    }
}

void add_qualifiers(cuda_function& f, unsigned bits) {
    f.is_global |= (bits & qualifier_words::is_global) != 0;
    f.is_device |= (bits & qualifier_words::is_device) != 0;
    f.is_host |= (bits & qualifier_words::is_host) != 0;
}

void function_reader::read_head(cuda_function& f, token_range head) const {
    for (std::uint32_t i = head.first; i < head.end; ++i) {
        const token& t = code_.tokens[i];
        if (t.kind == '(') i = code_.group_end(i, head.end);
        if (t.kind == define) i = t.link;  // behind a macro that stands for a declaration
        if (t.kind != word) continue;
        add_qualifiers(f, qualifiers_.of(i));
        const std::string_view w = code_.raw(i);
        if (w == "constexpr" || w == "consteval") f.is_constexpr = true;
        if (w != "__launch_bounds__" || !code_.is(i + 1, '(')) continue;
        const auto arguments =
            split_at_commas(code_, {i + 1, std::min(code_.tokens[i + 1].link, head.end - 1) + 1});
        if (code_.tokens[i + 1].link != no_token && !arguments.empty())
            f.launch_bounds = arguments.front();
    }
}

// `end` is the declarator's end: the body, the member initialisers or the semicolon.
void function_reader::add(const seen& d, std::uint32_t list, token_range body, std::uint32_t end) {
    cuda_function f;
    f.name = name_of_function(code_, d.head - 1, end);
    if (is_control(f.name)) return;
    f.is_template = d.is_template;
    read_head(f, {d.head, end});
    if (define_ != no_token && !f.is_global && !f.is_device) return;
    if (code_.is(list - 1, word)) f.name_token = list - 1;
    const std::uint32_t before = f.name_token == no_token ? list - 1 : f.name_token - 1;
    f.in_class = scopes_.back().kind == scope_kind::type || code_.is(before, syntax::scope);
    if (f.name_token != no_token && before >= d.head) {
        const bool value =
            code_.is(before, word) &&
            is_one_of(code_.raw(before), {"int", "float", "double", "bool", "char", "long", "short",
                                          "unsigned", "size_t", "half", "float2", "float4"});
        f.returns_value = value || code_.is(before, '*') || code_.is(before, '&');
    }
    const std::uint32_t close = code_.tokens[list].link;
    f.head = {d.first, list};
    f.parameters = {list, close == no_token ? list + 1 : close + 1};
    f.body = body;
    f.is_open = !body.empty() && code_.tokens[body.first].link == no_token;
    const auto parameters = split_at_commas(code_, f.parameters);
    const bool only_void = parameters.size() == 1 && parameters[0].end == parameters[0].first + 1 &&
                           code_.is_word(parameters[0].first, "void");
    f.parameter_count = only_void ? 0 : parameters.size();
    for (const token_range p : parameters) {
        std::uint32_t i = p.first;
        while (i < p.end && !code_.is(i, '=')) ++i;
        f.defaults += i < p.end;
    }
    f.define = define_;
    f.scope = scopes_.back().brace;
    f.branches.assign(branches_.begin(), branches_.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                 branches_.size(), most_branches)));
    program_.functions.push_back(std::move(f));
}

// Declarations have at least a type and a name, all of them words that are no macros here.
void function_reader::add_variables(token_range r) {
    if (scopes_.back().kind != scope_kind::name_space || !branches_.empty()) return;
    const declaration d = read_declaration(code_, r);
    if (d.declarators.empty()) return;
    host_variable v{r.first, no_token, d.declarators.front().name.first, r.first};
    for (std::uint32_t i = r.first; i <= v.type_end; ++i) {
        if (code_.is(i, less)) i = closing_angle(code_, i, r.end);
        if (code_.is(i, '(') || code_.is(i, '&')) return;
        if (!code_.is(i, word)) continue;
        const std::string_view w = code_.raw(i);
        if (is_one_of(w, {"extern", "using", "typedef", "friend", "operator", "thread_local"}) ||
            w.starts_with("__") || qualifiers_.of(i) != 0) {
            return;
        }
        if (w == "const" || w == "constexpr") v.is_const = true;
    }
    if (code_.is(v.type_end - 1, syntax::scope)) return;
    for (const declarator& each : d.declarators) {
        if (each.name.end != each.name.first + 1) return;
        v.name = each.name.first;
        v.is_array = !each.extents.empty();
        program_.variables.push_back(v);
        v.declarator = each.initialiser.end + 1;
        // These are template arguments or a comparison; tokens cannot tell which.
        for (std::uint32_t i = each.initialiser.first; i < each.initialiser.end; ++i) {
            if (code_.is(i, less)) return;
            if (code_.is_opener(i)) i = code_.closer_of(i);
            if (i == no_token) return;
        }
    }
}

// `[…] __device__ (…) {…}`: i is the qualifier after the `]`.
void function_reader::read_lambda(std::uint32_t i) {
    cuda_function f;
    f.is_lambda = true;
    f.head = {code_.tokens[i - 1].link, i};
    for (; code_.is(i, word) && qualifiers_.of(i) != 0; ++i)
        add_qualifiers(f, qualifiers_.of(i) & ~qualifier_words::is_global);  // it is no kernel
    f.head.end = i;
    f.parameters = {i, i};
    if (code_.is(i, '(') && code_.tokens[i].link != no_token) {
        f.parameters = {i, code_.tokens[i].link + 1};
        i = f.parameters.end;
    }
    constexpr std::uint32_t longest_type = 64;  // of a trailing return type
    const std::uint32_t end = std::min(i + longest_type, code_.size());
    while (i < end && !code_.is(i, '{') && !code_.is(i, ';') && !code_.is(i, ')')) ++i;
    if (!f.is_device || !code_.is(i, '{')) return;
    const std::uint32_t close = code_.tokens[i].link;
    if (close == no_token) return;
    f.body = {i, close + 1};
    program_.functions.push_back(std::move(f));
}

void function_reader::run() {
    read({0, code_.size()}, no_token);
    branches_.clear();
    for (const cuda_macro& m : program_.macros) read(m.replacement, m.define);
    for (std::uint32_t i = 1; i < code_.size(); ++i) {
        if (code_.is(i, word) && code_.is(i - 1, ']') && code_.tokens[i - 1].link != no_token &&
            qualifiers_.of(i) != 0) {
            read_lambda(i);
        }
    }
    std::ranges::stable_sort(program_.functions, {},
                             [](const cuda_function& f) { return f.parameters.first; });
}

}  // namespace

qualifier_words::qualifier_words(const cuda_program& program) : code_(program.code) {
    for (const cuda_macro& m : program.macros) {
        unsigned bits = 0;
        bool is_external = false;
        for (std::uint32_t i = m.replacement.first; i < m.replacement.end; ++i) {
            const std::uint8_t kind = code_.tokens[i].kind;
            if (kind == '{' || kind == ';') bits = ~0u;
            if (kind == word && bits != ~0u) bits |= of(i);
            if (kind == word && code_.is_word(i, "extern")) is_external = true;
        }
        if (is_external && bits != ~0u && (bits & is_shared) != 0) bits |= is_extern;
        // A macro that declares something itself is no qualifier.
        const bool shared = (bits & is_shared) != 0 && of(m.replacement.end - 1) == 0;
        if (bits != 0 && bits != ~0u && !shared) macros_[code_.spelling(m.name)] |= bits;
    }
}

unsigned qualifier_words::of(std::uint32_t i) const {
    const std::string_view w = code_.raw(i);
    if (w.starts_with("__")) {
        if (w == "__global__") return is_global;
        if (w == "__device__") return is_device;
        if (w == "__host__") return is_host;
        if (w == "__shared__") return is_shared;
    }
    if (macros_.empty()) return 0;
    const auto found = macros_.find(code_.spelling(i));
    return found == macros_.end() ? 0 : found->second;
}

void read_functions(cuda_program& program) { function_reader(program).run(); }

}  // namespace cuset::syntax

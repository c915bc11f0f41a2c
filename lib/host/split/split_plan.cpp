#include "split_plan.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "split_statements.h"
#include "split_values.h"
#include "split_words.h"

namespace cuset {

using namespace syntax;

std::uint32_t split_plan::variable_at(const token_stream& code, std::uint32_t i) const {
    if (!is_free_word(code, i)) return no_token;
    std::uint32_t found = no_token;
    for (std::uint32_t v = 0; v < variables.size(); ++v) {
        const split_variable& each = variables[v];
        if (i < each.scope.first || i >= each.scope.end || !code.is_word(i, each.name)) continue;
        if (found == no_token || each.scope.first >= variables[found].scope.first) found = v;
    }
    return found;
}

namespace {

constexpr std::size_t most_variables = 64;
constexpr int most_depth = 32;

class plan_reader {
public:
    plan_reader(const cuda_program& program, std::uint32_t function, kernel_words words)
        : program_(program),
          code_(program.code),
          f_(program.functions[function]),
          words_(std::move(words)),
          values_(program, f_, plan_, words_) {
        plan_.function = function;
    }
    split_plan read();

private:
    bool give_up(std::string why) {
        if (plan_.obstacle.empty()) plan_.obstacle = std::move(why);
        return false;
    }
    bool give_up(std::uint32_t token, const std::string& why) {
        return give_up(why + " in line " + std::to_string(program_.line_of(token)));
    }
    bool read_all();
    bool read_parameters();
    bool read_block(std::uint32_t i, std::uint32_t end, int depth);
    bool read_statement(std::uint32_t i, std::uint32_t end, std::uint32_t block_end, int depth);
    bool read_control(std::uint32_t i, std::uint32_t end, int depth);
    bool read_for(std::uint32_t i, std::uint32_t end, int depth);
    bool read_condition(std::uint32_t open, std::uint32_t end);
    bool read_declaration(std::uint32_t i, std::uint32_t end, std::uint32_t block_end, bool in_for);
    bool read_declarators(split_declaration& d, std::uint32_t last, std::uint32_t block_end);
    bool read_shared(std::uint32_t i, std::uint32_t end, const shared_declaration& d);
    bool move(std::uint32_t i, std::uint32_t end);
    bool add_variable(split_variable v);
    void choose_storage();
    bool check_moved();

    bool has_barrier(std::uint32_t from, std::uint32_t to) const {
        const auto at = barrier_from(from);
        return at != words_.barriers.end() && at->first < to;
    }
    std::vector<token_range>::const_iterator barrier_from(std::uint32_t from) const {
        return std::ranges::lower_bound(words_.barriers, from, {}, &token_range::first);
    }
    bool is_group(std::uint32_t i, std::uint32_t end) const {
        return std::ranges::any_of(words_.groups.declarations,
                                   [&](token_range d) { return d.first == i && d.end == end; });
    }
    bool is_top(std::uint32_t block_end) const { return block_end == f_.body.end - 1; }
    const shared_declaration* shared_at(std::uint32_t i, std::uint32_t end) const;

    const cuda_program& program_;
    const token_stream& code_;
    const cuda_function& f_;
    kernel_words words_;
    split_plan plan_;
    split_values values_;
};

split_plan plan_reader::read() {
    plan_.returns = words_.returns;
    plan_.obstacle = words_.obstacle;
    if (plan_.obstacle.empty() && !read_all() && plan_.obstacle.empty())
        plan_.obstacle = "a statement that cannot be read";
    return std::move(plan_);
}

bool plan_reader::read_all() {
    // A launch in a kernel is rewritten where it stands in the kernel's own form.
    for (std::uint32_t i = f_.body.first; i < f_.body.end; ++i)
        if (code_.is(i, launch_open)) return give_up(i, "a launch");
    if (!read_parameters()) return false;
    if (!read_block(f_.body.first + 1, f_.body.end - 1, 0)) return false;
    if (plan_.barriers.size() != words_.barriers.size())
        return give_up("a barrier that is no statement of its own");
    plan_.groups = words_.groups.declarations;
    choose_storage();
    return check_moved();
}

bool plan_reader::read_parameters() {
    const auto is_qualifier = [&](std::uint32_t i) {
        return code_.is_any_word(i, {"const", "volatile", "__restrict__", "__restrict", "restrict",
                                     "__grid_constant__", "struct", "void"});
    };
    for (token_range p : split_at_commas(code_, f_.parameters)) {
        bool is_pointer = false;
        for (std::uint32_t i = p.first; i < p.end && !code_.is(i, '='); ++i) {
            is_pointer |= code_.is(i, '*') || code_.is(i, '[');
            if (code_.is(i, '[')) i = code_.closer_of(i, p.end);
            if (i == no_token || code_.is(i, '(') || code_.is(i, '&') || code_.is(i, '.') ||
                code_.tokens[i].kind >= define)
                return give_up("a parameter that cannot be read");
        }
        while (code_.is(p.first, '[')) p.first = code_.closer_of(p.first) + 1;  // attributes
        const declaration d = syntax::read_declaration(code_, p);
        if (d.declarators.empty()) continue;  // a type without a name
        const std::uint32_t name = d.declarators.front().name.first;
        std::string spelled = code_.spelling(name);
        // So are `const T` and `unsigned int`.
        bool has_type = is_pointer;
        for (std::uint32_t i = d.type.first; i < d.type.end; ++i)
            has_type |= code_.is(i, word) && !is_qualifier(i);
        if (!has_type || is_qualifier(name) || is_arithmetic_type_word(spelled)) continue;
        const bool changes = std::ranges::any_of(words_.places_of(spelled), [&](std::uint32_t i) {
            return values_.is_changed(i) || values_.is_addressed(i);
        });
        if (changes) {
            split_variable v;
            v.name = spelled;
            v.scope = f_.body;
            if (!add_variable(std::move(v))) return false;
        } else if (!is_pointer) {
            values_.add_pure_parameter(spelled);
        }
        plan_.parameters.push_back(std::move(spelled));
    }
    // Template arguments that are numbers.
    for (std::uint32_t i = f_.head.first + 1; i < f_.head.end; ++i)
        if (f_.is_template && code_.is(i, word) && code_.is(i - 1, word) &&
            is_arithmetic_type_word(code_.spelling(i - 1)))
            values_.add_constant(code_.spelling(i));
    return true;
}

// --- Statements ----------------------------------------------------------------------------------

bool plan_reader::read_block(std::uint32_t i, std::uint32_t end, int depth) {
    if (depth > most_depth) return give_up("statements nested too deep");
    while (i < end) {
        const std::uint32_t after = statement_end(code_, i, end);
        if (after == no_token) return give_up(i, "a statement that cannot be read");
        if (!read_statement(i, after, end, depth)) return false;
        i = after;
    }
    return true;
}

bool plan_reader::read_statement(std::uint32_t i, std::uint32_t end, std::uint32_t block_end,
                                 int depth) {
    if (depth > most_depth) return give_up("statements nested too deep");
    const bool inside = has_barrier(i, end), after = has_barrier(end, block_end);
    if (!inside && !after) return true;
    while (code_.is_any_word(i, {"case", "default"})) {
        while (!code_.is(i, ':')) ++i;
        ++i;
    }
    if (code_.is(i, ';')) return true;
    if (code_.is(i, '{')) return !inside || read_block(i + 1, end - 1, depth + 1);
    const auto barrier = barrier_from(i);
    if (barrier != words_.barriers.end() && barrier->first == i && barrier->end == end &&
        code_.is(end - 1, ';')) {
        plan_.barriers.push_back(*barrier);
        return true;
    }
    if (is_group(i, end)) return true;
    if (code_.is_any_word(i, {"if", "while", "switch", "do", "for"}))
        return !inside || read_control(i, end, depth);
    if (inside) return give_up(i, "a barrier that is no statement of its own");
    if (code_.is_any_word(i, {"return", "break", "continue", "static_assert"})) return true;
    if (const shared_declaration* d = shared_at(i, end)) return read_shared(i, end, *d);
    if (code_.is_any_word(i, {"using", "typedef"})) return !is_top(block_end) || move(i, end);
    bool has_type = false;
    if (after_specifiers(code_, i, end - 1, has_type) != i)
        return read_declaration(i, end, block_end, false);
    if (is_expression(code_, i, end - 1)) return true;
    return give_up(i, "a statement that may declare something");
}

bool plan_reader::read_condition(std::uint32_t open, std::uint32_t end) {
    const std::uint32_t close = code_.closer_of(open, end);
    for (std::uint32_t i = open + 1; i < close; ++i)
        if (code_.is(i, ';')) return give_up(i, "a declaration in a condition");
    bool has_type = false;
    // `(a * b > c)` is no declaration.
    const std::uint32_t at = after_specifiers(code_, open + 1, close, has_type);
    if (at != open + 1)
        for (std::uint32_t i = at; i < close; ++i)
            if (code_.is(i, '=') || code_.is(i, '{'))
                return give_up(i, "a declaration in a condition");
    return true;
}

bool plan_reader::read_control(std::uint32_t i, std::uint32_t end, int depth) {
    if (code_.is_word(i, "for")) return read_for(i, end, depth);
    if (code_.is_word(i, "do")) {
        const std::uint32_t after = statement_end(code_, i + 1, end);
        return read_statement(i + 1, after, after, depth + 1);
    }
    const bool is_if = code_.is_word(i, "if");
    if (is_if && code_.is_word(i + 1, "constexpr")) return give_up(i, "a barrier in if constexpr");
    if (!read_condition(i + 1, end)) return false;
    const std::uint32_t body = code_.tokens[i + 1].link + 1;
    const std::uint32_t after = statement_end(code_, body, end);
    if (after == no_token) return give_up(i, "a statement that cannot be read");
    if (!read_statement(body, after, after, depth + 1)) return false;
    if (after >= end) return true;
    return read_statement(after + 1, end, end, depth + 1);  // else
}

bool plan_reader::read_for(std::uint32_t i, std::uint32_t end, int depth) {
    const std::uint32_t close = code_.closer_of(i + 1, end);
    std::uint32_t semicolon = i + 2;
    for (; semicolon < close && !code_.is(semicolon, ';'); ++semicolon) {
        if (code_.is_opener(semicolon)) semicolon = code_.closer_of(semicolon, close);
        if (semicolon == no_token) return give_up(i, "a statement that cannot be read");
    }
    if (semicolon >= close) return give_up(i, "a barrier in a range-based for");
    bool has_type = false;
    if (after_specifiers(code_, i + 2, semicolon, has_type) != i + 2) {
        if (!read_declaration(i + 2, semicolon, end, true)) return false;
    } else if (!is_expression(code_, i + 2, semicolon)) {
        return give_up(i, "a statement that may declare something");
    }
    return read_statement(close + 1, end, end, depth + 1);
}

// --- Declarations --------------------------------------------------------------------------------

const shared_declaration* plan_reader::shared_at(std::uint32_t i, std::uint32_t end) const {
    const auto at = std::ranges::lower_bound(program_.shared, i, {}, &shared_declaration::marker);
    return at != program_.shared.end() && at->marker < end ? &*at : nullptr;
}

bool plan_reader::read_shared(std::uint32_t i, std::uint32_t end, const shared_declaration& d) {
    if (d.scope != f_.body.first || d.define != no_token || !d.has_semicolon || d.all.first != i ||
        d.all.end + 1 != end)
        return give_up(i, "shared memory in an inner block");
    for (const auto& each : d.declarators) {
        if (!each.initialiser.empty() || each.name.end != each.name.first + 1)
            return give_up(i, "a shared variable that cannot be read");
    }
    for (const auto& each : d.declarators) values_.add_shared(code_.spelling(each.name.first));
    plan_.moved_shared.push_back(d.marker);
    return true;
}

bool plan_reader::move(std::uint32_t i, std::uint32_t end) {
    split_declaration d;
    d.becomes = split_declaration::fate::moved;
    d.all = {i, end};
    std::uint32_t name = code_.is_word(i, "using") ? i + 1 : end - 2;
    if (code_.is_word(name, "namespace")) name = no_token;
    while (name != no_token && name > i && code_.is(name, ']')) name = code_.tokens[name].link - 1;
    if (name != no_token && (!code_.is(name, word) || name <= i))
        return give_up(i, "a declaration that cannot be read");
    if (name != no_token) d.names.push_back(name);
    plan_.declarations.push_back(std::move(d));
    return true;
}

bool plan_reader::add_variable(split_variable v) {
    if (plan_.variables.size() >= most_variables) return give_up("very many variables");
    v.renamed = "cuset_" + std::to_string(plan_.variables.size() + 1) + "_" + v.name;
    plan_.variables.push_back(std::move(v));
    return true;
}

bool plan_reader::read_declaration(std::uint32_t i, std::uint32_t end, std::uint32_t block_end,
                                   bool in_for) {
    split_declaration d;
    bool has_type = false;
    d.in_for = in_for;
    d.all = {i, end};
    const std::uint32_t last = in_for ? end : end - 1;  // the semicolon
    d.specifiers = {i, after_specifiers(code_, i, last, has_type)};
    const bool is_const = code_.has_word(d.specifiers, {"const"});
    const bool is_constexpr = code_.has_word(d.specifiers, {"constexpr"});
    const bool is_static = code_.has_word(d.specifiers, {"static"});
    d.is_auto = code_.has_word(d.specifiers, {"auto"});
    if (is_static && !is_constexpr && !is_const) return give_up(i, "a static variable");
    const std::size_t known = plan_.variables.size();
    if (!read_declarators(d, last, block_end)) return false;
    const bool all_constant =
        is_constexpr || is_static ||
        (is_const && std::ranges::all_of(d.declarators, [&](const split_declarator& each) {
             return !each.initialiser.empty() && !code_.is(each.all.first, '*') &&
                    values_.is_constant(each.initialiser);
         }));
    if (all_constant && !in_for) {
        plan_.variables.resize(known);
        if (is_top(block_end)) {
            for (const split_declarator& each : d.declarators) {
                values_.add_constant(code_.spelling(each.name.first));
                d.names.push_back(each.name.first);
            }
            d.becomes = split_declaration::fate::moved;
        } else if (is_static) {
            return true;
        } else {
            d.becomes = split_declaration::fate::made_static;
        }
        d.declarators.clear();
    } else if (is_constexpr) {
        return give_up(i, "a declaration that cannot be read");
    }
    plan_.declarations.push_back(std::move(d));
    return true;
}

bool plan_reader::read_declarators(split_declaration& d, std::uint32_t last,
                                   std::uint32_t block_end) {
    const auto cannot = [&] { return give_up(d.all.first, "a declaration that cannot be read"); };
    const declaration read = syntax::read_declaration(code_, {d.all.first, last});
    // A further word may be a macro.
    if (read.is_partial || read.declarators.empty() || read.type.end != d.specifiers.end)
        return cannot();
    for (const declarator& from : read.declarators) {
        for (std::uint32_t i = from.all.first; i < from.name.first; ++i)
            if (code_.is(i, '&')) return give_up(i, "a reference that outlives a barrier");
        const bool is_array = !from.extents.empty();
        const bool is_initialised = !from.initialiser.empty();
        const bool is_plain = is_initialised && code_.is(from.initialiser.first, '=') &&
                              !code_.is(from.initialiser.first + 1, '{') && !is_array;
        const bool is_simple = from.name.end == from.name.first + 1 &&
                               !code_.is(from.all.first, '(') &&
                               from.all.end == (is_array ? from.extents.end : from.name.end);
        if (!is_simple || (d.in_for && is_initialised && !is_plain) ||
            (d.is_auto && (!is_plain || code_.is(from.all.first, '*'))))
            return cannot();
        split_variable v;
        v.name_token = from.name.first;
        v.name = code_.spelling(v.name_token);
        v.scope = {v.name_token, block_end};
        d.declarators.push_back({from, static_cast<std::uint32_t>(plan_.variables.size())});
        if (!add_variable(std::move(v))) return false;
    }
    return true;
}

void plan_reader::choose_storage() {
    for (split_variable& v : plan_.variables)  // changed parameters: pointers to them must stay
                                               // valid
        for (const std::uint32_t i : words_.places_of(v.name))
            if (values_.is_addressed(i) && i >= v.scope.first && i < v.scope.end)
                v.kept = split_variable::storage::addressed;
    std::unordered_set<std::string> in_types;  // words of initialisers that give types
    for (const split_declaration& d : plan_.declarations)
        for (const split_declarator& each : d.declarators)
            for (std::uint32_t i = each.initialiser.first; d.is_auto && i < each.initialiser.end;
                 ++i)
                if (is_free_word(code_, i)) in_types.insert(code_.spelling(i));
    for (split_declaration& d : plan_.declarations) {
        bool plain_type = d.becomes == split_declaration::fate::hoisted;
        for (std::uint32_t i = d.specifiers.first; i < d.specifiers.end; ++i) {
            const std::string w = code_.spelling(i);
            plain_type &= is_arithmetic_type_word(w) || w == "const" || w == "auto";
        }
        if (!plain_type) continue;
        for (split_declarator& each : d.declarators) {
            split_variable& v = plan_.variables[each.variable];
            const bool fits = v.kept == split_variable::storage::frame && each.extents.empty() &&
                              each.all.first == each.name.first && !each.initialiser.empty() &&
                              code_.is(each.initialiser.first, '=') && !in_types.contains(v.name);
            if (!fits) continue;
            const bool changes =
                std::ranges::any_of(words_.places_of(v.name), [&](std::uint32_t i) {
                    return i != v.name_token && i >= v.scope.first && i < v.scope.end &&
                           values_.is_changed(i);
                });
            if (!changes && values_.is_pure({each.initialiser.first + 1, each.initialiser.end}))
                v.kept = split_variable::storage::recomputed;
        }
    }
}

// For declarations that move up: nothing before may have used the name for something else, and they
// may use nothing that stays.
bool plan_reader::check_moved() {
    const auto check = [&](token_range range, std::uint32_t name) {
        const std::string spelled = name == no_token ? "" : code_.spelling(name);
        for (const std::uint32_t i : words_.places_of(spelled))
            if (i < range.first) return give_up(i, spelled + " used before it is declared");
        for (std::uint32_t i = range.first; i < range.end; ++i)
            if (plan_.variable_at(code_, i) != no_token)
                return give_up(i, "a declaration that depends on a variable");
        return true;
    };
    for (const split_declaration& d : plan_.declarations) {
        if (d.becomes == split_declaration::fate::hoisted) continue;
        for (const std::uint32_t name : d.names)
            if (!check(d.all, name)) return false;
        if (!check(d.all, no_token)) return false;
    }
    for (const std::uint32_t marker : plan_.moved_shared) {
        const shared_declaration& d = *shared_at(marker, marker + 1);
        for (const auto& each : d.declarators)
            if (!check(d.all, each.name.first)) return false;
    }
    // Words inside a macro keep their names.
    for (const split_variable& v : plan_.variables)
        if (words_.in_macros.contains(v.name)) return give_up("a macro that uses " + v.name);
    return true;
}

}  // namespace

std::optional<split_plan> read_split_plan(const cuda_program& program, std::uint32_t function,
                                          const waiting_names& waiting) {
    auto words = read_kernel_words(program, function, waiting);
    if (!words) return std::nullopt;
    return plan_reader(program, function, std::move(*words)).read();
}

}  // namespace cuset

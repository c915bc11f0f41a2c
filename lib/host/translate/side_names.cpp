#include "translate/side_names.h"

#include <algorithm>
#include <map>

#include "text_edits.h"

namespace cuset {

using namespace syntax;

namespace {

bool is_qualifier(std::string_view w) {
    return is_one_of(w, {"__device__", "__host__", "__forceinline__", "__inline__", "__noinline__",
                         "inline", "static", "constexpr"});
}

class name_finder {
public:
    name_finder(const cuda_program& program, const side_regions& regions)
        : program_(program), code_(program.code), regions_(regions) {}
    side_names run();

private:
    enum class declared_kind { variable, alias, type };
    struct declared {
        declared_kind of;
        token_range tokens;
        bool in_class;
    };
    using declarations = std::multimap<std::string, declared>;

    side side_at(std::uint32_t token) const { return regions_.of(code_.tokens[token].begin); }
    std::string line_at(std::uint32_t i) const {
        return " in line " + std::to_string(program_.line_of(i));
    }
    void refuse(const std::string& what, std::uint32_t i) {
        if (found_.unsupported.empty())
            found_.unsupported = what + " that differs by __CUDA_ARCH__" + line_at(i);
    }
    bool is_same(token_range a, token_range b) const;
    bool is_in_class(std::uint32_t i) const;
    std::uint32_t token_at(std::uint32_t offset) const;
    void look_at_macros();
    void look_at_functions();
    void look_at_region(const side_region& region, declarations& to);
    void look_at_declaration(token_range range, declarations& to);
    void compare(const declarations& host, const declarations& device);
    bool is_outside_bodies(const std::string& name) const;
    void close_macros();

    const cuda_program& program_;
    const token_stream& code_;
    const side_regions& regions_;
    side_names found_;
};

bool name_finder::is_same(token_range a, token_range b) const {
    if (a.end - a.first != b.end - b.first) return false;
    for (std::uint32_t i = 0; i < a.end - a.first; ++i)
        if (code_.raw(a.first + i) != code_.raw(b.first + i)) return false;
    return true;
}

std::uint32_t name_finder::token_at(std::uint32_t offset) const {
    const auto at = std::ranges::lower_bound(code_.tokens, offset, {}, &token::begin);
    return static_cast<std::uint32_t>(at - code_.tokens.begin());
}

// Whether the innermost brace around the token is a class's.
bool name_finder::is_in_class(std::uint32_t i) const {
    while (i > 0) {
        --i;
        if (code_.is_closer(i) && code_.tokens[i].link < i) {
            i = code_.tokens[i].link;
        } else if (code_.is(i, '{')) {
            while (i > 0 && !code_.is(i - 1, ';') && !code_.is(i - 1, '}') && !code_.is(i - 1, '{'))
                if (code_.is_any_word(--i, {"class", "struct", "union"})) return true;
            return false;
        }
    }
    return false;
}

void name_finder::look_at_macros() {
    std::map<std::string, std::pair<std::vector<const cuda_macro*>, std::vector<const cuda_macro*>>>
        sided;
    for (const cuda_macro& m : program_.macros) {
        const side of = side_at(m.define);
        if (of == side::host) sided[code_.spelling(m.name)].first.push_back(&m);
        if (of == side::device) sided[code_.spelling(m.name)].second.push_back(&m);
    }
    for (const directive& d : code_.directives) {
        const side of = regions_.of(d.begin);
        if (d.keyword != pp_keyword::other || (of != side::host && of != side::device)) continue;
        const std::string_view line = code_.text.substr(d.begin, d.argument - d.begin);
        if (line.find("undef") == line.npos) continue;
        std::string name(code_.text.substr(d.argument, d.end - d.argument));
        std::erase_if(name, [](char c) { return !is_word_byte(c); });
        found_.macros.insert(name);
    }
    for (const auto& [name, both] : sided) {
        const auto& [host, device] = both;
        const auto has = [this](const cuda_macro* m, std::string_view w) {
            return code_.has_word(m->replacement, {w});
        };
        const auto is_mark = [this](const cuda_macro* m) {
            for (std::uint32_t i = m->replacement.first; i < m->replacement.end; ++i)
                if (!is_qualifier(code_.raw(i))) return false;
            return true;
        };
        const bool are_marks =
            host.size() == 1 && device.size() == 1 && is_mark(host[0]) && is_mark(device[0]);
        if (are_marks && has(device[0], "__device__") && !has(host[0], "__device__")) {
            found_.qualifiers.insert(name);
            continue;
        }
        if (host.size() == 1 && device.size() == 1 &&
            is_same(host[0]->replacement, device[0]->replacement)) {
            found_.unread.push_back({device[0]->define, device[0]->replacement.end});
            continue;
        }
        found_.macros.insert(name);
    }
}

void name_finder::look_at_functions() {
    std::map<std::string, std::vector<const cuda_function*>> of_host, of_device, of_both;
    for (const cuda_function& f : program_.functions) {
        if (f.is_lambda || f.define != no_token || f.name.empty()) continue;
        const side of = side_at(f.head.first);
        if (of == side::host) of_host[f.name].push_back(&f);
        if (of == side::device) of_device[f.name].push_back(&f);
        if (of == side::both) of_both[f.name].push_back(&f);
    }
    const auto range_of = [this](const cuda_function& f) -> token_range {
        std::uint32_t end = f.body.empty() ? f.parameters.end : f.body.end;
        while (f.body.empty() && end < code_.size() && !code_.is(end - 1, ';')) ++end;
        return {f.head.first, end};
    };
    for (const auto& [name, functions] : of_device) {
        const auto other = of_host.find(name);
        if (other == of_host.end()) continue;
        const bool is_devices = std::ranges::any_of(
            functions, [](const cuda_function* f) { return f->is_device || f->is_global; });
        const bool is_hosts = std::ranges::any_of(
            other->second, [](const cuda_function* f) { return !f->is_device_code(); });
        if (!is_devices || !is_hosts) {
            for (const cuda_function* f : is_devices ? other->second : functions)
                found_.unread.push_back(range_of(*f));
            continue;
        }
        const bool is_same_text = functions.size() == 1 && other->second.size() == 1 &&
                                  is_same(range_of(*functions[0]), range_of(*other->second[0]));
        if (is_same_text && functions[0]->is_host) {
            found_.unread.push_back(range_of(*functions[0]));
            continue;
        }
        const cuda_function& f = *functions[0];
        const bool is_method = f.in_class;
        if (f.name_token == no_token ||
            (is_method && (code_.is(f.name_token - 1, '~') || f.name_token == f.head.first ||
                           code_.is_word(f.name_token - 1, "operator"))))
            refuse("a function", f.head.first);
        // A name in device code would mean either.
        if (of_both.contains(name)) refuse("one of the functions \"" + name + '"', f.head.first);
        (is_method ? found_.methods : found_.others).insert(name);
    }
}

void name_finder::look_at_declaration(token_range r, declarations& to) {
    std::uint32_t first = r.first;
    if (code_.is_word(first, "template") && code_.is(first + 1, less))
        first = std::min(closing_angle(code_, first + 1, r.end), r.end - 1) + 1;
    const bool in_class = is_in_class(r.first);
    const auto add = [&](std::uint32_t name, declared_kind of) {
        if (code_.is(name, word)) to.emplace(code_.spelling(name), declared{of, r, in_class});
    };
    if (code_.is_word(first, "using")) {
        if (code_.is(first + 2, '=')) add(first + 1, declared_kind::alias);
        return;
    }
    if (code_.is_word(first, "typedef")) return add(r.end - 2, declared_kind::alias);
    for (std::uint32_t i = first; i < r.end; ++i) {
        if (code_.is_any_word(i, {"class", "struct", "union", "enum"})) {
            while (i + 1 < r.end && !code_.is(i + 2, '{') && !code_.is(i + 2, ':') &&
                   !code_.is(i + 2, ';') && !code_.is_word(i + 2, "final"))
                ++i;
            return add(i + 1, declared_kind::type);
        }
        if (code_.is(i, '=') || code_.is(i, ';') || code_.is(i, '[') || code_.is(i, '{')) {
            // A call of a macro declares what nobody can see here.
            return add(i - 1, declared_kind::variable);
        }
        i = code_.group_end(i, r.end);
    }
}

void name_finder::look_at_region(const side_region& region, declarations& to) {
    const std::uint32_t first = token_at(region.begin), end = token_at(region.end);
    std::uint32_t from = first;
    bool is_mark = first < end;
    for (std::uint32_t i = first; i < end; ++i) {
        is_mark &= code_.is(i, word) && is_qualifier(code_.raw(i));
        const bool is_cut = (code_.is_opener(i) || code_.is_closer(i)) &&
                            (code_.tokens[i].link == no_token || code_.tokens[i].link < first ||
                             code_.tokens[i].link >= end);
        if (is_cut) return refuse("a part of a declaration", i);
    }
    if (is_mark) {
        if (region.of == side::device) found_.marks.push_back(&region);
        return;
    }
    const auto& functions = program_.functions;
    for (std::uint32_t i = first; i < end; ++i) {
        const std::uint8_t kind = code_.tokens[i].kind;
        if (kind == define) {
            i = code_.tokens[i].link;
            from = i + 1;
            continue;
        }
        if (kind >= pp_if) {
            if (from == i) from = i + 1;
            continue;
        }
        const bool opens_namespace =
            kind == '{' && (code_.has_word({from, i}, {"namespace"}) ||
                            (code_.is_word(from, "extern") && code_.is(i - 1, string)));
        if (opens_namespace || (kind == '}' && from == i) ||
            (kind == ':' && i == from + 1 &&
             code_.is_any_word(from, {"public", "private", "protected"}))) {
            from = i + 1;
            continue;
        }
        const auto f = std::ranges::find_if(functions, [&](const cuda_function& each) {
            return each.head.first == from && each.define == no_token && !each.is_lambda &&
                   each.parameters.first <= i;
        });
        if (f != functions.end() && !f->body.empty() && i >= f->parameters.first) {
            i = f->body.end - 1;
            from = i + 1;
            continue;
        }
        if (kind == ';') {
            if (f == functions.end() && i > from) look_at_declaration({from, i + 1}, to);
            from = i + 1;
            continue;
        }
        i = code_.group_end(i, end);
    }
    if (from < end && !code_.is(end - 1, ')') && !code_.is(end - 1, '}'))
        refuse("a part of a declaration", from);
}

// Whether the name is in a signature or a class: there, both sides read the host's.
bool name_finder::is_outside_bodies(const std::string& name) const {
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
        if (!code_.is_word(i, name) || side_at(i) != side::both) continue;
        const std::uint32_t f = program_.function_of[i];
        if (f == no_token || i < program_.functions[f].body.first) return true;
    }
    return false;
}

void name_finder::compare(const declarations& host, const declarations& device) {
    for (const auto& [name, of_device] : device) {
        const auto of_host = host.find(name);
        if (of_host == host.end()) continue;
        if (is_same(of_host->second.tokens, of_device.tokens)) {
            found_.unread.push_back(of_device.tokens);
        } else if (of_device.of == declared_kind::type || of_device.in_class) {
            refuse(of_device.of == declared_kind::variable ? "a member" : "a type",
                   of_device.tokens.first);
        } else if (of_device.of == declared_kind::alias && is_outside_bodies(name)) {
            refuse("a type", of_device.tokens.first);
        } else {
            found_.others.insert(name);
        }
    }
}

void name_finder::close_macros() {
    constexpr int rounds = 8;  // macros in macros
    std::unordered_set<const cuda_macro*> done;
    for (int round = 0; round < rounds; ++round) {
        std::unordered_set<std::string> added;
        for (const cuda_macro& m : program_.macros) {
            if (side_at(m.define) != side::both || done.contains(&m)) continue;
            bool is_sided = found_.macros.contains(code_.spelling(m.name));
            for (std::uint32_t i = m.replacement.first; i < m.replacement.end; ++i)
                is_sided |= !program_.runs_on_device(i) &&
                            (code_.is_word(i, "__CUDA_ARCH__") || found_.contains(code_, i));
            if (!is_sided) continue;
            done.insert(&m);
            added.insert(code_.spelling(m.name));
            found_.twins.push_back(&m);
        }
        if (added.empty()) break;
        found_.macros.merge(added);
    }
}

side_names name_finder::run() {
    look_at_macros();
    look_at_functions();
    declarations host, device;
    for (const side_region& region : regions_.regions)
        if (region.of == side::host || region.of == side::device)
            look_at_region(region, region.of == side::host ? host : device);
    compare(host, device);
    close_macros();
    return std::move(found_);
}

}  // namespace

bool side_names::contains(const token_stream& code, std::uint32_t i) const {
    if (!code.is(i, word)) return false;
    const std::string name = code.spelling(i);
    if (macros.contains(name)) return true;
    const bool is_of_object = is_member(code, i);
    if (methods.contains(name)) return true;
    return others.contains(name) && !is_of_object &&
           !(i > 1 && code.is(i - 1, scope) && code.is_word(i - 2, "std"));
}

side_names find_side_names(const cuda_program& program, const side_regions& regions) {
    return name_finder(program, regions).run();
}

}  // namespace cuset

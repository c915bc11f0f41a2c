#include "cuset/syntax/cuda_program.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "finder.h"
#include "functions.h"
#include "names.h"
#include "shared_declarations.h"
#include "statements.h"

namespace cuset::syntax {
namespace {

// The most parameters of a macro that are searched for in its replacement.
constexpr std::size_t most_parameters = 256;

void read_macros(cuda_program& program) {
    const token_stream& code = program.code;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (!code.is(i, define)) continue;
        const std::uint32_t end = code.tokens[i].link;
        if (code.is(i + 1, word)) {
            cuda_macro m{i, i + 1, false, {}, {replacement_start(code, i), end}};
            m.is_function = m.replacement.first > i + 2;
            for (std::uint32_t j = i + 3; j < m.replacement.first; ++j) {
                if (m.is_function && code.is(j, word) && m.parameters.size() < most_parameters) {
                    m.parameters.push_back(j);
                }
            }
            program.macros.push_back(std::move(m));
            program.macro_names.insert(code.spelling(i + 1));
        }
        i = end;
    }
}

void mark_functions(cuda_program& program) {
    const token_stream& code = program.code;
    program.function_of.assign(code.size(), no_token);
    std::vector<std::uint32_t> open;
    std::uint32_t next = 0;
    const auto& functions = program.functions;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        for (; next < functions.size() && functions[next].parameters.first <= i; ++next) {
            if (!functions[next].body.empty()) open.push_back(next);
        }
        while (!open.empty() && functions[open.back()].body.end <= i) open.pop_back();
        if (!open.empty()) program.function_of[i] = open.back();
    }
}

void mark_conditionals(cuda_program& program) {
    const token_stream& code = program.code;
    program.conditional_depth.assign(code.size(), 0);
    std::uint16_t depth = 0;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        const std::uint8_t kind = code.tokens[i].kind;
        if (kind == pp_if && depth < std::numeric_limits<std::uint16_t>::max()) ++depth;
        program.conditional_depth[i] = depth;
        if (kind == pp_endif && depth > 0) --depth;
    }
    program.branch_end.assign(code.size(), no_token);
    std::vector<std::uint32_t> ends;  // of the branches around the token, the innermost last
    for (auto i = static_cast<std::uint32_t>(code.size()); i-- > 0;) {
        const std::uint8_t kind = code.tokens[i].kind;
        if (kind != pp_endif && !ends.empty()) program.branch_end[i] = ends.back();
        if (kind == pp_endif) ends.push_back(i);
        if (ends.empty()) continue;
        if (kind == pp_elif || kind == pp_else) ends.back() = i;
        if (kind == pp_if) ends.pop_back();
    }
}

void read_launch(cuda_program& program, const finding& found) {
    const token_stream& code = program.code;
    cuda_launch launch;
    const std::uint32_t limit = code.limit(found.at);
    const std::uint32_t floor = floor_of(code, found.at);
    const std::uint32_t at = found.at.token;
    launch.name = found.name;
    launch.define = found.at.define;
    launch.function = program.function_of[at];
    launch.is_call = !code.is(at, launch_open);
    const auto arguments_from = [&](std::uint32_t open) -> token_range {
        if (open >= limit || !code.is(open, '(')) return {open, open};
        const std::uint32_t close = code.closer_of(open, limit);
        return {open, close == no_token ? open : close + 1};
    };
    if (launch.is_call) {
        const bool qualified = at > floor && code.is(at - 1, scope);
        launch.callee = {qualified ? expression_start(code, at, floor) : at, at + 1};
        std::uint32_t open = at + 1;
        while (open < found.last && !code.is(open, '(')) ++open;
        launch.arguments = arguments_from(open);
    } else {
        launch.opening = at;
        launch.closing = found.open_ended ? no_token : found.last;
        launch.callee = {at, at};
        if (at > floor) launch.callee.first = expression_start(code, at - 1, floor);
        if (!found.open_ended) launch.arguments = arguments_from(found.last + 1);
    }
    program.launches.push_back(std::move(launch));
}

}  // namespace

const cuda_macro* cuda_program::macro_of(std::uint32_t define_token) const {
    const auto at = std::ranges::lower_bound(macros, define_token, {}, &cuda_macro::define);
    return at != macros.end() && at->define == define_token ? &*at : nullptr;
}

const cuda_macro* cuda_program::macro_around(std::uint32_t i) const {
    const auto next = std::ranges::upper_bound(macros, i, {}, &cuda_macro::define);
    return next != macros.begin() && i < std::prev(next)->replacement.end ? &*std::prev(next)
                                                                          : nullptr;
}

bool cuda_program::is_macro_parameter(std::uint32_t define_token, std::string_view name) const {
    const cuda_macro* const macro = macro_of(define_token);
    return macro != nullptr && std::ranges::any_of(macro->parameters, [&](std::uint32_t parameter) {
               return code.is_word(parameter, name);
           });
}

bool cuda_program::runs_on_device(std::uint32_t i) const {
    const std::uint32_t f = i < function_of.size() ? function_of[i] : no_token;
    return f != no_token && (functions[f].is_global || functions[f].is_device);
}

std::size_t cuda_program::line_of(std::uint32_t i) const {
    const std::uint32_t offset = code.tokens[i].begin;
    const auto before = std::ranges::lower_bound(lines_, offset);
    const auto physical = static_cast<std::size_t>(before - lines_.begin()) + 1;
    const auto next = std::ranges::upper_bound(numbered_, offset, {}, &numbered_line::end);
    if (next == numbered_.begin()) return physical;
    return physical - std::prev(next)->physical + std::prev(next)->number;
}

cuda_program read_cuda_program(std::string_view text) {
    cuda_program program;
    lex(text, program.code);
    for (std::size_t i = text.find('\n'); i != text.npos; i = text.find('\n', i + 1)) {
        program.lines_.push_back(static_cast<std::uint32_t>(i));
    }
    for (const directive& d : program.code.directives) {
        const std::string_view line = text.substr(d.begin, d.end - d.begin);
        std::uint32_t number = 0;
        if (d.keyword != pp_keyword::other || !line.starts_with("#line ")) continue;
        std::from_chars(line.data() + 6, line.data() + line.size(), number);
        const auto newlines =
            std::ranges::lower_bound(program.lines_, d.end) - program.lines_.begin();
        program.numbered_.push_back({d.end, static_cast<std::uint32_t>(newlines) + 2, number});
    }
    read_macros(program);
    mark_conditionals(program);
    read_functions(program);
    mark_functions(program);
    read_shared_declarations(program, qualifier_words(program));
    std::vector<finding> found;
    find_spans(program.code, found);
    for (const finding& f : found) {
        if (f.kind == span_kind::launch) read_launch(program, f);
    }
    return program;
}

}  // namespace cuset::syntax

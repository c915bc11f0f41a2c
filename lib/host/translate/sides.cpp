#include "translate/sides.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cuset/syntax/expression.h"
#include "text_edits.h"
#include "translate/arch_directives.h"
#include "translate/side_names.h"
#include "translate/side_regions.h"

namespace cuset {

using namespace syntax;

namespace {

constexpr std::string_view target_macros[] = {"NV_IF_TARGET", "NV_IF_ELSE_TARGET",
                                              "NV_DISPATCH_TARGET"};

// Whether a device of that __CUDA_ARCH__ is a target of nv/target; nothing if it is not known.
std::optional<bool> is_target(std::string_view target, const std::string& arch) {
    if (target == "NV_IS_DEVICE" || target == "NV_ANY_TARGET") return true;
    if (target == "NV_IS_HOST" || target == "NV_NO_TARGET") return false;
    for (const std::string_view prefix : {"NV_PROVIDES_SM_", "NV_IS_EXACTLY_SM_"}) {
        if (!target.starts_with(prefix)) continue;
        const std::string number(target.substr(prefix.size()));
        if (number.empty() || number.find_first_not_of("0123456789") != number.npos) break;
        const int wanted = std::stoi(number.substr(0, 4)) * 10, present = std::stoi(arch);
        return prefix == "NV_PROVIDES_SM_" ? present >= wanted : present == wanted;
    }
    return std::nullopt;
}

constexpr const char* host_test = "::cuset_host::is_host_code()";

struct edit {
    std::uint32_t begin, end;
    std::string words;
};

class side_separator {
public:
    side_separator(std::string_view text, const std::string& arch, const nvcc_dialect& dialect)
        : text_(text),
          arch_(arch),
          dialect_(dialect),
          program_(read_cuda_program(text)),
          code_(program_.code),
          regions_(find_side_regions(program_, arch, dialect)),
          names_(find_side_names(program_, regions_)) {}
    separated_sides run();

private:
    bool runs_on_both(const cuda_function& f) const;
    bool is_sided(std::uint32_t i) const {
        return code_.is_word(i, "__CUDA_ARCH__") || names_.contains(code_, i);
    }
    bool differs(const cuda_function& f) const;
    /// Those that begin in text [begin, end).
    std::span<const directive> directives_in(std::uint32_t begin, std::uint32_t end) const {
        const auto first = std::ranges::lower_bound(code_.directives, begin, {}, &directive::begin);
        const auto last = std::ranges::lower_bound(code_.directives, end, {}, &directive::begin);
        return {first, std::max(first, last)};
    }
    std::string line_behind(std::uint32_t token, std::size_t lines) const {
        return "\n#line " + std::to_string(program_.line_of(token) + lines);
    }
    void name_uses_in_regions();
    void clear(std::uint32_t begin, std::uint32_t end, const std::string& words = "");
    void clear_regions();
    void name_definitions();
    void add_twin(const cuda_macro& m);
    std::string device_word(std::uint32_t i) const;
    std::string of_device(token_range range) const;
    void name_uses(std::uint32_t begin, std::uint32_t end);
    std::uint32_t choose_target(std::uint32_t i);
    void name_in_directive(const directive& d);
    void write_twice(const cuda_function& f);
    void write_members(const cuda_function& f);
    std::string host_copy(std::uint32_t begin, std::uint32_t end) const;
    bool is_constant_in_device_code(const cuda_function& f);
    bool is_in_constant(std::uint32_t i) const;
    std::string apply();

    std::string_view text_;
    const std::string& arch_;
    const nvcc_dialect& dialect_;
    cuda_program program_;
    const token_stream& code_;
    side_regions regions_;
    side_names names_;
    std::vector<edit> edits_, cleared_;
    std::string unsupported_;
    std::optional<std::unordered_set<std::string>> constants_;  // names whose value they need
};

bool side_separator::runs_on_both(const cuda_function& f) const {
    if (f.body.empty() || f.is_open || f.is_global) return false;
    if (f.is_device && f.is_host) return true;
    if (!f.is_device && !f.is_host && f.is_constexpr) return dialect_.relaxed_constexpr;
    for (std::uint32_t i = f.head.first; i < f.head.end && f.is_device; ++i) {
        if (names_.qualifiers.contains(code_.spelling(i))) return true;
        for (const side_region* mark : names_.marks)
            if (code_.tokens[i].begin >= mark->begin && code_.tokens[i].begin < mark->end)
                return true;
    }
    return false;
}

bool side_separator::differs(const cuda_function& f) const {
    for (std::uint32_t i = f.body.first; i < f.body.end; ++i)
        if (is_sided(i) || code_.is_any_word(i, target_macros)) return true;
    for (const directive& d :
         directives_in(code_.tokens[f.body.first].end, code_.tokens[f.body.end - 1].begin)) {
        if (!with_arch(code_, d, arch_).empty()) return true;
        token_stream words;
        lex(code_.text.substr(d.argument, d.end - d.argument), words);
        for (std::uint32_t i = 0; i < words.size(); ++i)
            if (words.is(i, word) && names_.macros.contains(words.spelling(i))) return true;
    }
    return false;
}

void side_separator::clear(std::uint32_t begin, std::uint32_t end, const std::string& words) {
    std::string left = words;
    left.append(
        static_cast<std::size_t>(std::count(text_.begin() + begin, text_.begin() + end, '\n')),
        '\n');
    cleared_.push_back({begin, end, std::move(left)});
}

void side_separator::clear_regions() {
    for (const directive* d : regions_.lines) clear(d->begin, d->end);
    for (const side_region& region : regions_.regions)
        if (region.of == side::neither) clear(region.begin, region.end);
    for (const token_range unread : names_.unread)
        clear(code_.tokens[unread.first].begin, code_.tokens[unread.end - 1].end);
    for (const side_region* mark : names_.marks)
        edits_.push_back({mark->end, mark->end, "__host__ "});
}

std::string side_separator::device_word(std::uint32_t i) const {
    return code_.is_word(i, "__CUDA_ARCH__") ? arch_ : device_prefix + code_.spelling(i);
}

std::string side_separator::of_device(token_range range) const {
    std::string made;
    for (std::uint32_t i = range.first; i < range.end; ++i) {
        if (i > range.first && code_.tokens[i - 1].end != code_.tokens[i].begin) made += ' ';
        const bool parenthesis = code_.is(i + 1, '(');
        if (code_.is_word(i, "defined") &&
            code_.is_word(parenthesis ? i + 2 : i + 1, "__CUDA_ARCH__")) {
            made += '1';
            i += parenthesis ? 3 : 1;
        } else {
            made += is_sided(i) ? device_word(i) : code_.spelling(i);
        }
    }
    return made;
}

void side_separator::add_twin(const cuda_macro& m) {
    const std::uint32_t last = code_.tokens[m.replacement.end - 1].end;
    const std::size_t newline =
        text_.find('\n', std::max(last, code_.tokens[code_.tokens[m.define].link].begin));
    const auto at = static_cast<std::uint32_t>(newline == text_.npos ? text_.size() : newline);
    const auto parameters_end =
        m.replacement.empty() ? last : code_.tokens[m.replacement.first - 1].end;
    edits_.push_back({at, at,
                      "\n#define " + std::string(device_prefix) + code_.spelling(m.name) +
                          std::string(text_.substr(code_.tokens[m.name].end,
                                                   parameters_end - code_.tokens[m.name].end)) +
                          ' ' + of_device(m.replacement) +
                          line_behind(m.replacement.empty() ? m.name : m.replacement.end - 1, 1)});
}

void side_separator::name_definitions() {
    for (const cuda_macro& m : program_.macros) {
        const std::string name = code_.spelling(m.name);
        const std::uint32_t begin = code_.tokens[m.name].begin;
        const side of = regions_.of(begin);
        if (names_.qualifiers.contains(name) && of == side::host)
            edits_.push_back(
                {code_.tokens[m.name].end, code_.tokens[m.name].end, " __host__ __device__"});
        if (names_.qualifiers.contains(name) && of == side::device)
            clear(code_.tokens[m.define].begin,
                  code_.tokens[std::max(m.replacement.end - 1, m.name)].end);
        if (of == side::device && names_.macros.contains(name)) {
            edits_.push_back({begin, begin, device_prefix});
            for (std::uint32_t i = m.replacement.first; i < m.replacement.end; ++i)
                if (is_sided(i))
                    edits_.push_back({code_.tokens[i].begin, code_.tokens[i].end, device_word(i)});
        }
    }
    for (const cuda_macro* m : names_.twins) add_twin(*m);
}

void side_separator::name_in_directive(const directive& d) {
    if (d.keyword == pp_keyword::include) return;
    auto made = with_arch(code_, d, arch_);
    for (directive_edit& each : made)
        edits_.push_back({each.begin, each.end, std::move(each.words)});
    token_stream words;
    lex(code_.text.substr(d.argument, d.end - d.argument), words);
    for (std::uint32_t i = 0; i < words.size(); ++i)
        if (words.is(i, word) && names_.macros.contains(words.spelling(i)))
            edits_.push_back({d.argument + words.tokens[i].begin,
                              d.argument + words.tokens[i].begin, device_prefix});
}

// A macro of nv/target is at i: leaves the block for the device. Returns the last token of what
// stands before it.
std::uint32_t side_separator::choose_target(std::uint32_t i) {
    const std::uint32_t close = code_.tokens[i + 1].link;
    const auto arguments = split_at_commas(code_, {i + 1, close + 1});
    std::optional<token_range> chosen;
    for (std::size_t a = 0; a < arguments.size() && !chosen; a += 2) {
        const bool is_else = a + 1 == arguments.size();
        const token_range target = arguments[a];
        const auto holds = is_else || target.empty() ? std::optional(is_else)
                                                     : is_target(source_of(code_, target), arch_);
        if (!holds) {
            unsupported_ = "the target " + source_of(code_, target);
            return close;
        }
        if (*holds) chosen = arguments[is_else ? a : a + 1];
        // NV_IF_ELSE_TARGET(target, (…), (…))
        if (!*holds && a == 0 && arguments.size() == 3) chosen = arguments[2];
    }
    const std::uint32_t begin = code_.tokens[i].begin, end = code_.tokens[close].end;
    const bool is_block = chosen && code_.is(chosen->first, '(') &&
                          code_.tokens[chosen->first].link == chosen->end - 1;
    if (!is_block) {
        clear(begin, end, "{}");
        return close;
    }
    clear(begin, code_.tokens[chosen->first].end, "{");
    clear(code_.tokens[chosen->end - 1].begin, end, "}");
    return chosen->first;
}

// Names what the device sees in tokens [begin, end), and in the directives between them.
void side_separator::name_uses(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) {
        if (code_.is(i, define) && code_.tokens[i].link < end) {
            i = code_.tokens[i].link;
        } else if (code_.is_any_word(i, target_macros) && code_.is(i + 1, '(') &&
                   code_.closer_of(i + 1, end) != no_token) {
            i = choose_target(i);
        } else if (is_sided(i)) {
            edits_.push_back({code_.tokens[i].begin, code_.tokens[i].end, device_word(i)});
        }
    }
    if (begin >= end) return;
    for (const directive& d : directives_in(code_.tokens[begin].begin, code_.tokens[end - 1].begin))
        name_in_directive(d);
}

// Text [begin, end) as the host reads it.
std::string side_separator::host_copy(std::uint32_t begin, std::uint32_t end) const {
    std::string made;
    std::uint32_t done = begin;
    for (const directive& d : directives_in(begin, end)) {
        for (const directive_edit& each : with_arch(code_, d, "")) {
            made.append(text_.substr(done, each.begin - done)).append(each.words);
            for (auto n = std::count(text_.begin() + each.begin, text_.begin() + each.end, '\n');
                 n > 0; --n)
                made += "\\\n";
            done = each.end;
        }
    }
    return made.append(text_.substr(done, end - done));
}

// The initialisers of a constructor's members: each argument is an expression of its own.
void side_separator::write_members(const cuda_function& f) {
    for (std::uint32_t i = f.parameters.end; i < f.body.first; ++i) {
        if ((!code_.is(i, '(') && !code_.is(i, '{')) ||
            code_.closer_of(i, f.body.first) == no_token)
            continue;
        const std::uint32_t close = code_.tokens[i].link;
        for (const token_range argument : split_at_commas(code_, {i, close + 1})) {
            bool is_of_side = false;
            for (std::uint32_t k = argument.first; k < argument.end; ++k) is_of_side |= is_sided(k);
            if (!is_of_side) continue;
            edits_.push_back({code_.tokens[argument.first].begin,
                              code_.tokens[argument.first].begin,
                              '(' + std::string(host_test) + " ? ("});
            edits_.push_back({code_.tokens[argument.end - 1].end,
                              code_.tokens[argument.end - 1].end,
                              ") : (" + of_device(argument) + "))"});
        }
        i = close;
    }
}

void side_separator::write_twice(const cuda_function& f) {
    const token& open = code_.tokens[f.body.first];
    const token& close = code_.tokens[f.body.end - 1];
    const std::string copy = host_copy(open.end, close.begin);
    std::string words = " if (" + std::string(host_test) + ") {" + copy + '}';
    if (copy.find('\n') != copy.npos) words += line_behind(f.body.first, 0) + '\n';
    edits_.push_back({open.end, open.end, words + " else {"});
    edits_.push_back({close.begin, close.begin, "} "});
    name_uses(f.body.first + 1, f.body.end);
}

// Whether device code needs the function's value while it is compiled: there, nobody can tell for
// which side.
bool side_separator::is_constant_in_device_code(const cuda_function& f) {
    if (!f.is_constexpr) return false;
    if (!constants_) {
        constants_.emplace();
        for (std::uint32_t i = 1; i < code_.size(); ++i)
            if (code_.is(i, word) && program_.runs_on_device(i) && is_in_constant(i))
                constants_->insert(code_.spelling(i));
    }
    return constants_->contains(f.name);
}

// Whether the statement shows, before token i, that a constant is computed of it.
bool side_separator::is_in_constant(std::uint32_t i) const {
    constexpr int longest = 256;  // tokens of a statement
    for (int step = 0; i > 0 && step < longest; ++step, --i) {
        if (code_.is(i, ';') || code_.is(i, '{') || code_.is(i, '}')) return false;
        if (code_.is_closer(i) && code_.tokens[i].link < i) {
            i = code_.tokens[i].link;  // of another argument or subscript
            if (i == 0) return false;
        } else if (code_.is(i, '[') || code_.is(i, less) ||
                   code_.is_any_word(i, {"constexpr", "static_assert", "__shared__", "case"})) {
            return true;
        }
    }
    return false;
}

std::string side_separator::apply() {
    const auto by_place = [](const edit& e) { return std::pair(e.begin, e.end); };
    std::ranges::stable_sort(cleared_, {}, by_place);
    std::vector<edit> kept;
    for (edit& e : cleared_)
        if (kept.empty() || e.begin >= kept.back().end) kept.push_back(std::move(e));
    const auto cleared_end = static_cast<std::ptrdiff_t>(kept.size());
    for (edit& e : edits_) {
        const auto next = std::upper_bound(
            kept.begin(), kept.begin() + cleared_end, e.begin,
            [](std::uint32_t begin, const edit& cleared) { return begin < cleared.begin; });
        const bool is_cleared = next != kept.begin() && e.end > std::prev(next)->begin &&
                                e.begin < std::prev(next)->end && e.end <= std::prev(next)->end;
        if (!is_cleared) kept.push_back(std::move(e));
    }
    std::ranges::stable_sort(kept, {}, by_place);
    std::string made;
    std::size_t done = 0;
    for (const edit& e : kept) {
        if (e.begin < done) {
            unsupported_ = "code that differs by __CUDA_ARCH__";
            return {};
        }
        made.append(text_.substr(done, e.begin - done)).append(e.words);
        // A word may go over lines, behind backslashes.
        if (e.words.find('\n') == e.words.npos)
            for (const char c : text_.substr(e.begin, e.end - e.begin))
                if (c == '\n') made += "\\\n";
        done = e.end;
    }
    return made.append(text_.substr(done));
}

// Names what the device sees outside functions, in text that only the device reads.
void side_separator::name_uses_in_regions() {
    std::vector<bool> is_named(code_.size());  // with a function
    for (const cuda_function& f : program_.functions) {
        const std::uint32_t first = f.is_device_code() ? f.head.first : f.parameters.first;
        const std::uint32_t end = f.body.empty() ? f.parameters.end : f.body.end;
        if (f.is_device || f.is_global)
            for (std::uint32_t i = first; i < end; ++i) is_named[i] = true;
    }
    for (const side_region& region : regions_.regions) {
        if (region.of != side::device) continue;
        auto i = static_cast<std::uint32_t>(
            std::ranges::lower_bound(code_.tokens, region.begin, {}, &token::begin) -
            code_.tokens.begin());
        for (; i < code_.size() && code_.tokens[i].begin < region.end; ++i) {
            if (code_.is(i, define))
                i = code_.tokens[i].link;
            else if (!is_named[i] && is_sided(i))
                edits_.push_back({code_.tokens[i].begin, code_.tokens[i].end, device_word(i)});
        }
        for (const directive& d : directives_in(region.begin, region.end))
            if (!is_in_body(program_, d)) name_in_directive(d);
    }
}

separated_sides side_separator::run() {
    unsupported_ = !regions_.unsupported.empty() ? regions_.unsupported : names_.unsupported;
    if (!unsupported_.empty()) return {{}, unsupported_};
    if (code_.text.find("__CUDA_ARCH_LIST__") != std::string_view::npos)
        edits_.push_back({0, 0, "#define __CUDA_ARCH_LIST__ " + arch_ + "\n#line 1\n"});
    for (const cuda_macro& m : program_.macros)
        if (code_.has_word(m.replacement, target_macros))
            return {{}, "a target of <nv/target> in a macro"};
    clear_regions();
    name_definitions();
    std::uint32_t done = 0;  // tokens
    for (const cuda_function& f : program_.functions) {
        if (f.head.first < done) continue;
        const bool is_both = runs_on_both(f);
        if (!is_both && !f.is_device && !f.is_global) continue;
        const std::uint32_t end = f.body.empty() ? f.parameters.end : f.body.end;
        if (!is_both) {
            // A kernel's host may name its bounds, but it is the device that has them.
            if (f.is_device_code()) name_uses(f.head.first, end);
            done = end;
            continue;
        }
        if (f.body.empty()) continue;
        done = end;
        write_members(f);
        if (!differs(f)) continue;
        if (f.define != no_token) return {{}, "a macro's function that differs by __CUDA_ARCH__"};
        if (is_constant_in_device_code(f))
            return {{}, "a constexpr function that differs by __CUDA_ARCH__"};
        write_twice(f);
    }
    name_uses_in_regions();
    if (edits_.empty() && cleared_.empty()) return {};
    std::string made = apply();
    return {std::move(made), unsupported_};
}

}  // namespace

separated_sides separate_sides(std::string_view text, const std::string& arch,
                               const nvcc_dialect& dialect) {
    if (text.find("__CUDA_ARCH_") == text.npos && text.find("NV_IF_") == text.npos &&
        text.find("NV_DISPATCH_TARGET") == text.npos)
        return {};
    return side_separator(text, arch, dialect).run();
}

void mark_host_blocks(cuda_program& program) {
    const token_stream& code = program.code;
    if (code.text.find("cuset_host::is_host_code()") == std::string_view::npos) return;
    std::vector<cuda_function> functions;
    std::vector<std::uint32_t> places;  // of the program's functions among all
    std::vector<token_range> blocks;
    for (std::uint32_t i = 0; i + 4 < code.size(); ++i)
        if (code.is_word(i, "is_host_code") && code.is(i + 4, '{') &&
            code.tokens[i + 4].link != no_token)
            blocks.push_back({i + 4, code.tokens[i + 4].link + 1});
    std::size_t next = 0;
    std::vector<std::uint32_t> of_block;
    const auto add_blocks = [&](std::uint32_t before) {
        for (; next < blocks.size() && blocks[next].first < before; ++next) {
            cuda_function block;
            block.is_host = true;
            block.head = block.parameters = {blocks[next].first, blocks[next].first};
            block.body = blocks[next];
            of_block.push_back(static_cast<std::uint32_t>(functions.size()));
            functions.push_back(std::move(block));
        }
    };
    for (cuda_function& f : program.functions) {
        add_blocks(f.parameters.first);
        places.push_back(static_cast<std::uint32_t>(functions.size()));
        functions.push_back(std::move(f));
    }
    add_blocks(code.size());
    std::vector<std::uint32_t> outer(blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) outer[b] = program.function_of[blocks[b].first];
    for (std::size_t b = 0; b < blocks.size(); ++b)
        for (std::uint32_t i = blocks[b].first; i < blocks[b].end; ++i)
            if (program.function_of[i] == outer[b])
                program.function_of[i] = no_token - 1 - static_cast<std::uint32_t>(b);
    const auto remapped = [&](std::uint32_t f) {
        if (f == no_token) return f;
        return f < places.size() ? places[f] : of_block[no_token - 1 - f];
    };
    for (std::uint32_t& f : program.function_of) f = remapped(f);
    for (cuda_launch& l : program.launches) {
        const std::uint32_t at = l.is_call ? l.callee.first : l.opening;
        l.function = program.function_of[at];
    }
    program.functions = std::move(functions);
}

}  // namespace cuset

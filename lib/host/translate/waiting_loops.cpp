#include "translate/waiting_loops.h"

#include <algorithm>

#include "cuset/syntax/expression.h"

namespace cuset {

using namespace syntax;

namespace {

constexpr std::uint32_t longest = 128;  // tokens of a loop, and of a function that reads
constexpr std::uint32_t longest_with_work = 2048;

constexpr std::string_view loop_words[] = {"while", "for", "do", "switch", "goto"};
constexpr std::string_view reads_of_members[] = {
    "load", "exchange", "test_and_set", "test", "compare_exchange_weak", "compare_exchange_strong"};
constexpr std::string_view reads_past_caches[] = {"__ldcg", "__ldcv"};
constexpr std::string_view pauses[] = {"__nanosleep",
                                       "__threadfence",
                                       "__threadfence_block",
                                       "__threadfence_system",
                                       "__trap",
                                       "assert",
                                       "printf",
                                       "clock64",
                                       "clock",
                                       "if",
                                       "sizeof",
                                       "return",
                                       "int",
                                       "unsigned",
                                       "bool",
                                       "min",
                                       "max"};

bool is_asm(const token_stream& code, std::uint32_t i) {
    return code.is_any_word(i, {"asm", "__asm__", "__asm"});
}

/// Whether the call at i is one of CUDA's that reads memory which others write.
bool is_reading_call(const token_stream& code, std::uint32_t i) {
    if (!code.is(i, word) || !code.is(i + 1, '(')) return false;
    const std::string_view name = code.raw(i);
    const bool is_member = i > 0 && (code.is(i - 1, '.') || code.is(i - 1, arrow));
    return name.starts_with("atomic") || name.starts_with("__nv_atomic") ||
           name.starts_with("__hip_atomic") || name.starts_with("try_wait") ||
           is_one_of(name, reads_past_caches) ||
           (is_member && (is_one_of(name, reads_of_members) || name.starts_with("fetch_")));
}

/// The first token of what `i` is a member of: `a` in `a[k].b->load`.
std::uint32_t object_start(const token_stream& code, std::uint32_t i) {
    while (i > 0) {
        if (code.is(i - 1, ']') && code.tokens[i - 1].link != no_token) {
            i = code.tokens[i - 1].link;
        } else if (code.is(i - 1, '.') || code.is(i - 1, arrow) || code.is(i - 1, scope) ||
                   (code.is(i - 1, word) && !code.is(i, word))) {
            --i;
        } else {
            break;
        }
    }
    return i;
}

}  // namespace

waiting_loops::waiting_loops(const cuda_program& program) : code_(program.code) {
    find_atomic_variables();
    find_readers(program);
}

// `cuda::atomic<unsigned> filled[8], drained;`, also as parameters, and by the name of an alias.
void waiting_loops::find_atomic_variables() {
    names types = {"atomic", "atomic_ref", "atomic_flag"};
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
        if (code_.is_word(i, "using") && code_.is(i + 1, word) && code_.is(i + 2, '=')) {
            for (std::uint32_t j = i + 3; j < i + 8 && !code_.is(j, ';'); ++j)
                if (code_.is(j, word) && types.contains(code_.spelling(j)))
                    types.insert(code_.spelling(i + 1));
        }
        if (!code_.is(i, word) || !types.contains(code_.spelling(i))) continue;
        std::uint32_t at = i + 1;
        if (code_.is(at, less)) {
            at = closing_angle(code_, at, std::min(at + longest, code_.size()));
            if (at == no_token) continue;
            ++at;
        }
        for (;;) {
            while (code_.is(at, '*') || code_.is(at, '&') || code_.is_word(at, "const")) ++at;
            if (!code_.is(at, word)) break;
            atomics_.insert(code_.spelling(at++));
            while (code_.is_opener(at)) at = code_.group_end(at) + 1;
            constexpr std::string_view behind_name = ",;[({=";
            if (!code_.is(at, ',') || at + 2 >= code_.size() ||
                behind_name.find(static_cast<char>(code_.tokens[at + 2].kind)) == behind_name.npos)
                break;
            ++at;
        }
    }
}

// `__device__ int peek(const int* p) { return *(const volatile int*)p; }`
void waiting_loops::find_readers(const cuda_program& program) {
    for (const cuda_function& f : program.functions) {
        if (!f.is_device || f.body.empty() || f.name.empty() || !f.returns_value ||
            f.body.end - f.body.first > longest)
            continue;
        for (std::uint32_t i = f.body.first; i < f.body.end; ++i) {
            const bool is_volatile = code_.is_word(i, "volatile") && !is_asm(code_, i - 1);
            if (!is_read(i, {}) && !is_volatile && !is_read_of_asm(i, f.body.end)) continue;
            readers_.insert(f.name);
            break;
        }
    }
}

// Whether an asm statement at i reads memory: `ld.acquire.gpu.u32`, `ld.volatile`, `atom.add`.
bool waiting_loops::is_read_of_asm(std::uint32_t i, std::uint32_t end) const {
    if (!is_asm(code_, i)) return false;
    const std::uint32_t last = std::min(end, i + longest);
    for (std::uint32_t j = i + 1; j < last && !code_.is(j, ';'); ++j) {
        if (!code_.is(j, string)) continue;
        const std::string_view text = code_.raw(j);
        if (text.find("ld.") != text.npos || text.find("atom.") != text.npos) return true;
    }
    return false;
}

// Whether token i reads what others write, at a place that stays the same.
bool waiting_loops::is_read(std::uint32_t i, const names& assigned) const {
    if (!code_.is(i, word)) return false;
    const bool is_call =
        is_reading_call(code_, i) || (code_.is(i + 1, '(') && readers_.contains(code_.spelling(i)));
    const bool is_value = atomics_.contains(code_.spelling(i)) && !code_.is(i + 1, '.') &&
                          !code_.is(i + 1, arrow) && !code_.is(i + 1, '=');
    if (!is_call && !is_value) return false;
    std::uint32_t end = i + 1;
    while (code_.is_opener(end)) end = code_.group_end(end) + 1;
    for (std::uint32_t j = object_start(code_, i); j < end; ++j)
        if (code_.is(j, word) && assigned.contains(code_.spelling(j))) return false;
    return true;
}

// Whether the operation at i adds, takes the greater and so on, and leaves the place changed: not
// `atomicAdd(p, 0)`, `a.fetch_or(0, order)`, `atomicAnd(p, ~0)` or `atomicMin(p, INT_MAX)`.
bool waiting_loops::changes(std::uint32_t i) const {
    const std::string_view name = code_.raw(i);
    const auto has = [&](std::string_view kind) { return name.find(kind) != name.npos; };
    const bool is_and = has("And") || has("and"), is_member = has("fetch_") && !has("__");
    const bool is_limit = has("Min") || has("Max") || has("min") || has("max");
    constexpr std::string_view kinds[] = {"Add", "Sub", "Inc", "Dec", "Or", "Xor", "fetch_"};
    if (!is_reading_call(code_, i) || !(is_and || is_limit || std::ranges::any_of(kinds, has)))
        return false;
    const std::uint32_t end = code_.group_end(i + 1);
    std::uint32_t operand = i + 2;
    for (std::uint32_t j = operand; !is_member && j < end; ++j) {
        if (code_.is(j, ',')) {
            operand = j + 1;
            break;
        }
        if (code_.is_opener(j)) j = code_.group_end(j);
    }
    if (operand >= end) return true;
    const std::string_view first = code_.raw(operand);
    if (is_and) return !code_.is(operand, '~') && !code_.is(operand, '-');
    return !first.starts_with('0') &&
           !(is_limit && (first.ends_with("_MAX") || first.ends_with("_MIN")));
}

// Whether a part reads a place that stays the same, and leaves it unchanged.
bool waiting_loops::polls(token_range part, const names& assigned) const {
    for (std::uint32_t i = part.first; i < part.end; ++i)
        if ((is_read(i, assigned) && !changes(i)) || is_read_of_asm(i, part.end)) return true;
    return false;
}

bool waiting_loops::reads(token_range part, const names& assigned) const {
    for (std::uint32_t i = part.first; i < part.end; ++i)
        if (is_read(i, assigned) || is_read_of_asm(i, part.end)) return true;
    return false;
}

void waiting_loops::find_assigned(token_range part, names& assigned) const {
    for (std::uint32_t i = part.first; i < part.end; ++i) {
        if (!code_.is(i, word)) continue;
        if (is_assignment(code_, i + 1) || is_step(code_, i + 1) ||
            (i > 1 && is_step(code_, i - 2)))
            assigned.insert(code_.spelling(i));
    }
}

// Whether an expression calls nothing but what reads, and stores nothing.
bool waiting_loops::only_computes(token_range expression) const {
    for (std::uint32_t i = expression.first; i < expression.end; ++i) {
        if (code_.is(i, '{') || code_.is_any_word(i, {"new", "delete"})) return false;
        // To a variable alone: not to an element, a member or what a pointer points to.
        if (is_assignment(code_, i) && (!code_.is(i, '=') || !code_.is(i - 1, word) ||
                                        code_.is(i - 2, '.') || code_.is(i - 2, arrow)))
            return false;
        if (!code_.is(i, word) || !code_.is(i + 1, '(')) continue;
        const std::string_view name = code_.raw(i);
        if (!is_reading_call(code_, i) && !readers_.contains(code_.spelling(i)) &&
            !is_one_of(name, pauses))
            return false;
    }
    return true;
}

bool waiting_loops::is_statement_of_wait(std::uint32_t first, std::uint32_t last) const {
    if (code_.is(first, '*') || code_.is(first, '(')) return false;
    const bool is_pause = code_.is(first, word) && is_one_of(code_.raw(first), pauses);
    const bool leaves = code_.is_any_word(first, {"break", "continue", "return"});
    bool sets = is_step(code_, first) || is_step(code_, last - 2);
    for (std::uint32_t i = first; i < last; ++i) sets |= code_.is(i, '=');
    // An atomic operation alone counts or stores something.
    return (is_pause || leaves || sets) && only_computes({first, last});
}

bool waiting_loops::only_waits(token_range statements) const {
    for (std::uint32_t i = statements.first; i < statements.end; ++i) {
        if (code_.is(i, ';') || code_.is(i, '{') || code_.is(i, '}') || code_.is_word(i, "else"))
            continue;
        if (code_.is_any_word(i, loop_words)) return false;
        std::uint32_t last = i;
        if (code_.is_word(i, "if") && code_.is(i + 1, '(')) {
            last = code_.group_end(i + 1);
            if (!only_computes({i + 1, last})) return false;
        } else {
            while (last < statements.end && !code_.is(last, ';')) last = code_.group_end(last) + 1;
            if (!is_asm(code_, i) && !is_statement_of_wait(i, last)) return false;
        }
        i = last;
    }
    return true;
}

bool waiting_loops::find_parts(std::uint32_t i, std::uint32_t longest, loop& found) const {
    const bool is_do = code_.is_word(i, "do");
    std::uint32_t at = i + 1;
    if (!is_do) {
        if (!code_.is(at, '(') || code_.tokens[at].link == no_token) return false;
        std::uint32_t first = at + 1, close = code_.tokens[at].link;
        if (code_.is_word(i, "for")) {  // what is before the first `;` runs once
            while (first < close && !code_.is(first, ';')) first = code_.group_end(first) + 1;
            std::uint32_t second = ++first;
            while (second < close && !code_.is(second, ';')) second = code_.group_end(second) + 1;
            if (second >= close) return false;
            found.expressions.push_back({second + 1, close});
            close = second;
        } else if (code_.is(i - 1, '}') && code_.tokens[i - 1].link != no_token &&
                   code_.is_word(code_.tokens[i - 1].link - 1, "do")) {
            return false;
        }
        found.expressions.push_back({first, close});
        at = code_.tokens[at].link + 1;
    }
    const std::uint32_t limit = std::min(at + longest, code_.size());
    if (code_.is(at, '{')) {
        found.body = {at + 1, code_.group_end(at)};
    } else {
        std::uint32_t end = at;
        while (end < limit && !code_.is(end, ';')) end = code_.group_end(end) + 1;
        found.body = {at, end};
    }
    if (found.body.end >= limit) return false;
    if (is_do) {
        const std::uint32_t tail = found.body.end + 1;
        if (!code_.is_word(tail, "while") || !code_.is(tail + 1, '(')) return false;
        found.expressions.push_back({tail + 2, code_.group_end(tail + 1)});
    }
    return true;
}

bool waiting_loops::begins_at(std::uint32_t i) const {
    if (!code_.is_any_word(i, {"while", "do", "for"})) return false;
    loop found;
    if (!find_parts(i, longest, found) || !only_waits(found.body)) return false;
    find_assigned(found.body, found.assigned);
    for (const token_range part : found.expressions) find_assigned(part, found.assigned);
    return reads(found.body, found.assigned) ||
           std::ranges::any_of(found.expressions,
                               [&](token_range part) { return reads(part, found.assigned); });
}

bool waiting_loops::polls_at(std::uint32_t i) const {
    if (!code_.is_any_word(i, {"while", "do", "for"})) return false;
    loop found;
    if (!find_parts(i, longest_with_work, found)) return false;
    find_assigned(found.body, found.assigned);
    for (const token_range part : found.expressions) find_assigned(part, found.assigned);
    const bool is_counted = code_.is_word(i, "for") && !found.expressions.back().empty();
    return (!is_counted && polls(found.body, found.assigned)) ||
           std::ranges::any_of(found.expressions,
                               [&](token_range part) { return polls(part, found.assigned); });
}

bool has_polling_loops(const cuda_program& program) {
    const waiting_loops loops(program);
    for (std::uint32_t i = 0; i < program.code.size(); ++i) {
        const std::uint32_t f = program.function_of[i];
        if (f != no_token && (program.functions[f].is_global || program.functions[f].is_device) &&
            loops.polls_at(i))
            return true;
    }
    return false;
}

}  // namespace cuset

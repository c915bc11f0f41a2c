// Roles without a syntax tree: of host code, and of what the grammar cannot read.
#include <algorithm>

#include "cuset/syntax/declaration.h"
#include "cuset/syntax/expression.h"
#include "roles/role_reader.h"
#include "roles/role_words.h"

namespace cuset::syntax {
namespace {

class lexical_reader {
public:
    lexical_reader(const token_stream& code, const std::vector<bool>& is_device,
                   std::vector<token_role>& roles, std::unordered_set<std::string>& globals)
        : code_(code), is_device_(is_device), roles_(roles), globals_(globals) {}

    void run();

private:
    void paint(std::uint32_t first, std::uint32_t end, token_role role) {
        std::fill(roles_.begin() + first, roles_.begin() + end, role);
    }
    std::uint32_t start_of_name(std::uint32_t i) const;
    bool begins_statement(std::uint32_t i) const;
    // `texture<float, 2> t;`: what CUDA had before texture objects, and HIP still has.
    bool is_texture_reference(std::uint32_t i) const {
        return (code_.raw(i) == "texture" || code_.raw(i) == "surface") && code_.is(i + 1, less) &&
               start_of_name(i) == i;
    }
    void call(std::uint32_t i, token_role role);
    void type(std::uint32_t i, token_role role);
    void global_memory(std::uint32_t i);
    void device_word(std::uint32_t i);

    const token_stream& code_;
    const std::vector<bool>& is_device_;
    std::vector<token_role>& roles_;
    std::unordered_set<std::string>& globals_;
    std::uint32_t declared_ = 0;  // the end of the last declaration of memory
    std::uint32_t floor_ = 0;     // of the #define around
};

std::uint32_t lexical_reader::start_of_name(std::uint32_t i) const {
    while (i >= floor_ + 2 && code_.is(i - 1, scope) && code_.is(i - 2, word)) i -= 2;
    return i > floor_ && code_.is(i - 1, scope) ? i - 1 : i;
}

bool lexical_reader::begins_statement(std::uint32_t i) const {
    if (i > floor_ && code_.is(i - 1, ')')) {  // of `if (…)`
        const std::uint32_t open = code_.opener_of(i - 1, floor_);
        return open != no_token && open > floor_ &&
               (code_.is_word(open - 1, "if") || code_.is_word(open - 1, "constexpr") ||
                code_.is_word(open - 1, "for") || code_.is_word(open - 1, "while"));
    }
    return i <= floor_ || code_.is(i - 1, ';') || code_.is(i - 1, '{') || code_.is(i - 1, '}') ||
           code_.is(i - 1, define_end) || code_.is_word(i - 1, "else");
}

void lexical_reader::call(std::uint32_t i, token_role role) {
    std::uint32_t open = i + 1;
    if (code_.is(open, less)) {
        const std::uint32_t close = closing_angle(code_, open, code_.size());
        if (close == no_token) return;
        open = close + 1;
    }
    if (!code_.is(open, '(') || code_.tokens[open].link == no_token) return;
    const std::uint32_t first = start_of_name(i), last = code_.tokens[open].link;
    const bool statement = begins_statement(first) && code_.is(last + 1, ';');
    paint(first, last + (statement ? 2 : 1), role);
}

// A type with what it declares: up to the semicolon of a statement, or a parameter's name.
void lexical_reader::type(std::uint32_t i, token_role role) {
    const std::uint32_t first = start_of_name(i);
    std::uint32_t start = first;
    while (start > floor_ &&
           (code_.is_word(start - 1, "const") || code_.is_word(start - 1, "static") ||
            code_.is_word(start - 1, "constexpr")))
        --start;
    if (begins_statement(start)) {
        const declaration_end end = find_declaration_end(code_, i, code_.size());
        if (end.why == declaration_end::kind::semicolon) return paint(start, end.at + 1, role);
    }
    std::uint32_t last = i + 1;
    while (code_.is(last, '*') || code_.is(last, '&') || code_.is_word(last, "const")) ++last;
    if (code_.is(last, word)) ++last;
    paint(start, last, role);
}

// `__constant__ float taps[5];` outside functions, and what the grammar could not read inside them.
void lexical_reader::global_memory(std::uint32_t i) {
    if (i < declared_) return;
    const declaration_end end = find_declaration_end(code_, i, code_.size());
    if (end.why != declaration_end::kind::semicolon) return paint(i, i + 1, token_role::memory);
    const std::uint32_t first = declaration_start(code_, i, std::max(floor_, declared_));
    const declaration d = read_declaration(code_, {first, end.at});
    if (!is_device_[i])
        for (const declarator& each : d.declarators)
            if (!each.name.empty()) globals_.insert(code_.spelling(each.name.first));
    declared_ = end.at + 1;
    paint(first, end.at + 1, token_role::memory);
}

void lexical_reader::device_word(std::uint32_t i) {
    // `a[i]`: a compiler would know arrays in registers.
    if (!code_.is(i + 1, '[') || code_.tokens[i + 1].link == no_token) return;
    const std::uint32_t close = code_.tokens[i + 1].link;
    paint(i, i + 2, token_role::memory);
    paint(i + 2, close, token_role::index);
    paint(close, close + 1, token_role::memory);
}

void lexical_reader::run() {
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
        if (code_.is(i, define)) floor_ = i + 1;
        if (code_.is(i, define_end)) floor_ = i + 1;
        if (!code_.is(i, word) || i < declared_) continue;
        const bool device = is_device_[i];
        const word_class c = class_of_word(code_.raw(i));
        switch (c) {
            case word_class::coordinate:
                paint(i, code_.is(i + 1, '.') && code_.is(i + 2, word) ? i + 3 : i + 1,
                      token_role::index);
                break;
            case word_class::sync_call: call(i, token_role::sync); break;
            case word_class::host_wait: call(i, token_role::sync); break;
            case word_class::transfer_call: call(i, token_role::transfer); break;
            case word_class::launch_call: call(i, token_role::launch); break;
            case word_class::launch_type: type(i, token_role::launch); break;
            case word_class::launch_mark:
                paint(i, i + 1, token_role::launch);
                call(i, token_role::launch);
                break;
            case word_class::group_scope:
                if (code_.raw(i) == "cg" && !code_.is(i + 1, scope)) break;
                [[fallthrough]];
            case word_class::sync_type: paint(i, i + 1, token_role::sync); break;
            case word_class::memory_call:
            case word_class::texture_read:
            case word_class::texture_write:
                if (device) call(i, token_role::memory);
                break;
            case word_class::memory_mark: global_memory(i); break;
            default:
                if (!device && (code_.raw(i) == "__device__" || is_texture_reference(i)))
                    global_memory(i);
                else if (device)
                    device_word(i);
        }
    }
}

}  // namespace

void read_lexical_roles(const token_stream& code, const std::vector<bool>& is_device,
                        std::vector<token_role>& roles, std::unordered_set<std::string>& globals) {
    for (std::size_t i = 0; i < roles.size(); ++i)
        roles[i] = is_device[i] ? token_role::arithmetic : token_role::host;
    lexical_reader(code, is_device, roles, globals).run();
}

}  // namespace cuset::syntax

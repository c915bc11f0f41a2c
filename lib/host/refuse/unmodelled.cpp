#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cuset/host/headers.h"
#include "cuset/host/hip.h"
#include "opaque_code.h"
#include "refusals.h"
#include "translate/host_shadows.h"
#include "translate/inline_ptx.h"
#include "translate/library_headers.h"

namespace cuset {
namespace {

using namespace syntax;

// Names in live code of what the runtime does not model.
constexpr struct {
    std::string_view word, what;
} unmodelled_words[] = {
    {"__block_size__", "__block_size__"},
    {"dlopen", "dlopen"},
    {"dlmopen", "dlmopen"},
    {"dlsym", "dlsym"},
    {"dlvsym", "dlvsym"},
    {"hipLaunchKernel", "hipLaunchKernel"},
    {"hipLaunchKernelGGL", "hipLaunchKernelGGL"},
    {"hipLaunchCooperativeKernel", "hipLaunchCooperativeKernel"},
    {"hipModuleLaunchKernel", "hipModuleLaunchKernel"},
};

struct sighting {
    std::uint32_t offset;
    std::string what;
};

// Names of variables, and how often each is declared.
using variable_counts = std::unordered_map<std::string, std::uint32_t>;

class search {
public:
    explicit search(const cuda_program& program) : program_(program), code_(program.code) {}
    std::optional<std::string> run();

private:
    void look_at_headers();
    void look_at_words();
    void look_at_clusters();
    void look_at_launches();
    void look_at_device_variables();
    std::uint32_t note_device_variables(std::uint32_t i, variable_counts& names) const;
    bool is_value(std::uint32_t i) const;
    void take(std::uint32_t offset, std::string what) {
        if (!first_ || offset < first_->offset) first_ = sighting{offset, std::move(what)};
    }

    const cuda_program& program_;
    const token_stream& code_;
    std::optional<sighting> first_;
};

void search::look_at_headers() {
    for (const directive& d : code_.directives) {
        const std::string header = included_header(code_, d);
        if (header.ends_with(no_name_of_hip)) continue;  // g++ does not find it where it is live
        if (is_unmodelled_header(header)) take(d.begin, "<" + header + ">");
    }
}

void search::look_at_words() {
    bool in_macro = false;
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
        const std::uint8_t kind = code_.tokens[i].kind;
        if (kind == define) in_macro = true;
        if (kind == define_end) in_macro = false;
        if (kind != word) continue;
        const std::string_view w = code_.raw(i);
        const std::uint32_t offset = code_.tokens[i].begin;
        if (w == "asm" || w == "__asm__" || w == "__asm") {
            if (in_macro || program_.runs_on_device(i)) {
                if (auto missing = unmodelled_ptx(program_, i)) take(offset, *std::move(missing));
            } else if (is_opaque_assembly(code_, i)) {
                take(offset, "inline assembly in host code");
            }
        } else if (w == "__attribute__" || w == "__attribute" ||
                   (code_.is(i - 1, '[') && i > 1 && code_.is(i - 2, '['))) {
            const std::uint32_t list = w.starts_with("__attribute") ? i : i - 1;
            if (is_opaque_attribute(program_, list)) take(offset, "an attribute of a macro");
        } else {
            const auto known = std::ranges::find(unmodelled_words, w,
                                                 [](const auto& entry) { return entry.word; });
            if (known != std::end(unmodelled_words)) take(offset, std::string(known->what));
        }
        if (first_) return;  // they come in order
    }
}

// The runtime knows one shape of clusters for each name of a kernel.
void search::look_at_clusters() {
    for (const cuda_function& f : program_.functions) {
        if (!f.is_template) continue;
        for (std::uint32_t i = f.head.first; i < f.body.first; ++i) {
            if (!code_.is_word(i, "__cluster_dims__") || !code_.is(i + 1, '(')) continue;
            const std::uint32_t close = code_.group_end(i + 1);
            for (std::uint32_t j = i + 2; j < close; ++j)
                if (code_.is(j, word))
                    take(code_.tokens[i].begin, "cluster dimensions of a template");
        }
    }
}

void search::look_at_launches() {
    for (const cuda_launch& launch : program_.launches) {
        const std::uint32_t at = launch.is_call ? launch.callee.end - 1 : launch.opening;
        const std::uint32_t offset = code_.tokens[at].begin;
        if (!launch.is_call && launch.define != no_token && launch.callee.empty()) {
            take(offset, "a launch configuration in a macro without its kernel");
        }
    }
}

// Notes the variables that the `__device__` or `__constant__` at i gives only to the device, and
// that can change. Returns the token to continue at.
std::uint32_t search::note_device_variables(std::uint32_t i, variable_counts& names) const {
    if (program_.function_of[i] != no_token) return i;
    const auto [why, end] = find_declaration_end(code_, i, code_.size());
    if (why != declaration_end::kind::semicolon) return i;
    const declaration d = read_declaration(code_, {declaration_start(code_, i, 0), end});
    if (code_.has_word(d.type, {"const", "constexpr", "__managed__", "extern", "template",
                                "operator", "struct", "union", "class", "enum"}))
        return end;
    for (const declarator& each : d.declarators) {
        const bool is_called = code_.is(each.initialiser.first, '(') && !each.initialiser.empty();
        // This is a member function that is declared const, or otherwise qualified.
        const bool is_qualified = code_.is_any_word(
            each.name.end - 1, {"const", "volatile", "noexcept", "override", "final"});
        if (is_called || is_qualified || code_.is(each.all.first, '(')) break;
        names.emplace(code_.spelling(each.name.end - 1), 0);
    }
    return end;
}

// Whether the variable's name at i stands for its value, not for the symbol that is passed to some
// function of the program.
bool search::is_value(std::uint32_t i) const {
    if (is_member_or_qualified(code_, i) || code_.is(i - 1, '&') || code_.is_word(i - 1, "sizeof"))
        return false;
    const bool alone = (code_.is(i - 1, '(') || code_.is(i - 1, ',')) &&
                       (code_.is(i + 1, ',') || code_.is(i + 1, ')'));
    if (!alone) return true;
    constexpr std::uint32_t longest = 64;
    for (std::uint32_t j = i; j > 0 && i - j < longest; --j) {
        if (code_.is(j - 1, ')') && code_.tokens[j - 1].link != no_token) {
            j = code_.tokens[j - 1].link + 1;
        } else if (code_.is(j - 1, '(')) {
            return code_.is_any_word(j - 2, {"printf", "fprintf", "memcpy", "memset"});
        }
    }
    return false;
}

// Finds host code that reads or writes a device variable: the host has its own by that name.
void search::look_at_device_variables() {
    variable_counts names;
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
        if (code_.is_any_word(i, {"__device__", "__constant__"}))
            i = note_device_variables(i, names);
    }
    for (const auto& [name, about] : plain_device_variables(program_)) names.erase(name);
    if (names.empty()) return;
    for (const cuda_macro& m : program_.macros) names.erase(code_.spelling(m.name));
    for (std::uint32_t i = 1; i + 1 < code_.size(); ++i) {
        if (!code_.is(i, word)) continue;
        const std::uint8_t before = code_.tokens[i - 1].kind;
        const bool is_keyword =
            is_one_of(code_.raw(i - 1), {"return", "else", "do", "case", "sizeof"});
        const bool declares =
            (before == word && !is_keyword) || before == '*' || before == '&' || before == greater;
        if (!declares) continue;
        const auto found = names.find(code_.spelling(i));
        if (found != names.end()) ++found->second;
    }
    for (std::uint32_t i = 1; i < code_.size(); ++i) {
        if (code_.is(i, define)) i = code_.tokens[i].link;
        if (!code_.is(i, word)) continue;
        if (program_.function_of[i] == no_token || program_.runs_on_device(i)) continue;
        const std::string w = code_.spelling(i);
        const bool takes_symbol = w.find("Symbol") != w.npos || w.find("SYMBOL") != w.npos ||
                                  w == "sizeof" || w == "decltype";
        if (takes_symbol && code_.is(i + 1, '(')) {
            i = code_.group_end(i + 1);
            continue;
        }
        const auto found = names.find(w);
        if (found != names.end() && found->second == 1 && is_value(i)) {
            take(code_.tokens[i].begin, "a variable of the device in host code");
            return;
        }
    }
}

std::optional<std::string> search::run() {
    look_at_words();
    look_at_headers();
    look_at_clusters();
    look_at_launches();
    look_at_device_variables();
    for (const std::uint32_t i : program_.unread_shared) {
        take(code_.tokens[i].begin, "a declaration of shared memory that cannot be read");
    }
    for (const shared_declaration& d : program_.shared) {
        if (d.is_extern && d.in_function && d.declarators.size() > 1) {
            take(code_.tokens[d.marker].begin,
                 "several extern __shared__ arrays in one declaration");
        }
    }
    if (!first_) return std::nullopt;
    return first_->what;
}

}  // namespace

std::optional<std::string> find_unmodelled(const cuda_program& program) {
    return search(program).run();
}

}  // namespace cuset

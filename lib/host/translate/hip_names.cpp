#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_set>
#include <vector>

#include "cuset/host/hip.h"
#include "cuset/syntax/cuda_program.h"
#include "cuset/syntax/include_lines.h"
#include "refuse/opaque_code.h"
#include "text_edits.h"
#include "translate/hip_table.h"
#include "translate/own_names.h"

namespace cuset {

using namespace syntax;

namespace {

/// `#define CHECK(call) f(call, #call)`: such macros show the names of what they are given.
std::unordered_set<std::string> showing_macros(const cuda_program& program) {
    const token_stream& code = program.code;
    std::unordered_set<std::string> found;
    for (const cuda_macro& m : program.macros)
        for (std::uint32_t i = m.replacement.first; i + 1 < m.replacement.end; ++i)
            if (code.is(i, '#') && code.is(i + 1, word)) found.insert(code.spelling(m.name));
    return found;
}

/// The names that -DNAME and -DNAME=VALUE define.
std::unordered_set<std::string> names_of(const std::vector<std::string>& definitions) {
    constexpr std::string_view flag = "-D";
    std::unordered_set<std::string> found;
    for (std::string_view each : definitions) {
        if (!each.starts_with(flag)) continue;
        each.remove_prefix(flag.size());
        found.emplace(each.substr(0, each.find_first_of("=(")));
    }
    return found;
}

class renamer {
public:
    renamer(std::string_view text, const std::vector<std::string>& definitions)
        : program_(read_cuda_program(text)),
          code_(program_.code),
          edits_(text),
          showing_(showing_macros(program_)),
          defined_(names_of(definitions)) {
        find_own_names();
    }
    std::string run();

private:
    void find_own_names();
    void rename_words();
    void rename_directives();
    bool is_value(const directive& d, std::uint32_t offset) const;
    bool is_alias(const cuda_macro& m) const;
    bool names_cuda_space(std::uint32_t i) const;
    std::string name_for(const std::string& name, bool is_shown) const;
    bool rewrite_launch(std::uint32_t i);
    bool rewrite_shared_array(std::uint32_t i);
    bool rewrite_assembly(std::uint32_t i);
    bool rewrite_abort(std::uint32_t i);
    bool rewrite_thrust(std::uint32_t i);
    void rewrite_kernel(token_range kernel);
    std::vector<token_range> arguments_of(std::uint32_t open) const;
    void replace(std::uint32_t first, std::uint32_t last, std::string words) {
        edits_.replace(code_.tokens[first].begin, code_.tokens[last].end, std::move(words),
                       in_macro_);
    }

    cuda_program program_;
    const token_stream& code_;
    text_edits edits_;
    std::unordered_set<std::string> showing_, defined_;
    std::unordered_set<std::string> own_;      // what the program declares and defines
    std::unordered_set<std::string> meant_;    // CUDA's names for HIP's that it uses
    std::unordered_set<std::string> aliases_;  // #define cudaMalloc hipMalloc
    bool in_macro_ = false, has_own_space_ = false;
    std::uint32_t shown_until_ = 0;  // the end of a showing macro's arguments
};

/// `#define cudaMalloc hipMalloc`: it means what CUDA's name means once both are CUDA's.
bool renamer::is_alias(const cuda_macro& m) const {
    return !m.is_function && m.replacement.first + 1 == m.replacement.end &&
           hip_names::cuda_name_of(code_.spelling(m.replacement.first)) == code_.spelling(m.name);
}

void renamer::find_own_names() {
    for (const cuda_function& f : program_.functions) own_.insert(f.name);
    own_.insert(program_.macro_names.begin(), program_.macro_names.end());
    std::unordered_set<std::string> others;
    for (const cuda_macro& m : program_.macros)
        (is_alias(m) ? aliases_ : others).insert(code_.spelling(m.name));
    for (const std::string& name : others) aliases_.erase(name);
    for (const std::string& name : declared_like_cuda(code_)) own_.insert(name);
    for (std::uint32_t i = 0; i < code_.size(); ++i)
        if (code_.is(i, word))
            if (std::string meant = hip_names::cuda_name_of(code_.spelling(i)); !meant.empty())
                meant_.insert(std::move(meant));
    for (std::uint32_t i = 0; i + 2 < code_.size(); ++i) {
        if (code_.is_any_word(i, {"struct", "class", "union", "enum"}) && code_.is(i + 1, word)) {
            const bool is_scoped = code_.is_any_word(i + 1, {"class", "struct"});
            const std::uint32_t name = is_scoped ? i + 2 : i + 1;
            if (code_.is(name + 1, '{') || code_.is(name + 1, ':') || code_.is(name + 1, ';') ||
                code_.is_word(name + 1, "final"))
                own_.insert(code_.spelling(name));
        } else if (code_.is_word(i, "using") && code_.is(i + 1, word) && code_.is(i + 2, '=')) {
            own_.insert(code_.spelling(i + 1));
        } else if (code_.is_word(i, "namespace") && code_.is_word(i + 1, "cuda") &&
                   (code_.is(i + 2, '{') || code_.is(i + 2, '=') || code_.is(i + 2, scope))) {
            has_own_space_ = true;
        }
    }
}

/// What stands for a word of the program; the word itself if it stays. What is shown keeps its
/// name, which a macro of the runtime's headers then replaces: but not what the translation must
/// see. HIP's names that nobody knows stay too: they are the program's own, or g++ will miss them.
std::string renamer::name_for(const std::string& name, bool is_shown) const {
    if (defined_.contains(name) || aliases_.contains(name)) return name;
    if (own_.contains(name)) {
        const bool has_twin = hip_names::is_in_table(name) || meant_.contains(name);
        return has_twin ? name + std::string(own_name_of_hip) : name;
    }
    const std::string known = hip_names::cuda_name_of(name);
    if (!known.empty()) {
        const bool is_seen = !is_shown || known.find("Symbol") != known.npos ||
                             known.starts_with("cudaLaunch") || known.starts_with("cudaFunc") ||
                             known.starts_with("cudaOccupancy") || !known.starts_with("cuda");
        return is_seen ? known : name;
    }
    if (hip_names::is_of_cuda(name) || hip_names::looks_like_cuda(name))
        return name + std::string(no_name_of_hip);
    if (hip_names::is_only_of_cuda_devices(name)) return name + std::string(not_modelled_of_hip);
    return name;
}

/// The arguments between the parentheses, split as the preprocessor splits them.
std::vector<token_range> renamer::arguments_of(std::uint32_t open) const {
    std::vector<token_range> parts;
    const std::uint32_t close = code_.closer_of(open);
    if (close == no_token) return parts;
    std::uint32_t begin = open + 1;
    for (std::uint32_t i = begin; i <= close; ++i) {
        if (i == close || code_.is(i, ',')) {
            parts.push_back({begin, i});
            begin = i + 1;
        } else {
            i = code_.group_end(i, close);
        }
    }
    return parts;
}

/// `(k<float>)` and `HIP_KERNEL_NAME(k<float>)` become `k<float>`.
void renamer::rewrite_kernel(token_range kernel) {
    std::uint32_t open = kernel.first;
    if (code_.is_word(open, "HIP_KERNEL_NAME")) ++open;
    if (kernel.empty() || !code_.is(open, '(') || code_.group_end(open) + 1 != kernel.end) return;
    constexpr std::uint32_t longest = 256;
    if (kernel.end - open > longest) return;
    for (std::uint32_t i = open; i < kernel.end; ++i)
        if (code_.is(i, '?')) return;
    replace(kernel.first, open, "");
    replace(kernel.end - 1, kernel.end - 1, "");
}

/// `hipLaunchKernelGGL(k, g, b, bytes, stream, …)` becomes `k<<<g, b, bytes, stream>>>(…)`.
bool renamer::rewrite_launch(std::uint32_t i) {
    if (!code_.is_word(i, "hipLaunchKernelGGL") || !code_.is(i + 1, '(')) return false;
    constexpr std::size_t needed = 5;
    const std::vector<token_range> parts = arguments_of(i + 1);
    if (parts.size() < needed || parts[0].empty()) return false;
    replace(i, i + 1, "");
    rewrite_kernel(parts[0]);
    replace(parts[0].end, parts[0].end, "<<<");
    const std::uint32_t last = parts[needed - 1].end;  // a comma or the closing parenthesis
    replace(last, last, code_.is(last, ',') ? ">>>(" : ">>>()");
    return true;
}

/// `HIP_DYNAMIC_SHARED(float, s)` becomes `extern __shared__ float s[];`.
bool renamer::rewrite_shared_array(std::uint32_t i) {
    if (!code_.is_word(i, "HIP_DYNAMIC_SHARED") || !code_.is(i + 1, '(')) return false;
    const std::vector<token_range> parts = arguments_of(i + 1);
    if (parts.size() != 2 || parts[0].empty() || parts[1].empty()) return false;
    replace(i, i + 1, "extern __shared__ ");
    replace(parts[0].end, parts[0].end, " ");
    const std::uint32_t close = parts[1].end;
    replace(close, close, code_.is(close + 1, ';') ? "[]" : "[];");
    return true;
}

/// Assembly of a GPU, NVIDIA's or AMD's, gets a name that nothing has: dead branches may have any.
bool renamer::rewrite_assembly(std::uint32_t i) {
    if (!code_.is_any_word(i, {"asm", "__asm__", "__asm"})) return false;
    if (!in_macro_ && !program_.runs_on_device(i)) return false;
    if (!is_opaque_assembly(code_, i)) return false;
    replace(i, i, "inline_assembly" + std::string(not_modelled_of_hip));
    return true;
}

/// abort() of device code, which HIP has beside the host's, ends the kernel as __trap() does.
bool renamer::rewrite_abort(std::uint32_t i) {
    if (!code_.is_word(i, "abort") || !code_.is(i + 1, '(') || own_.contains("abort")) return false;
    const std::uint32_t f = program_.function_of[i];
    if (f == no_token || !program_.runs_on_device(i) || program_.functions[f].is_host) return false;
    if (i > 0 && (code_.is(i - 1, '.') || code_.is(i - 1, arrow) || code_.is(i - 1, scope)))
        return false;
    replace(i, i, "__trap");
    return true;
}

/// Thrust's backend on a GPU: thrust::hip::par.
bool renamer::rewrite_thrust(std::uint32_t i) {
    if (!code_.is_word(i, "hip") || i < 2 || !code_.is(i - 1, scope) || !code_.is(i + 1, scope))
        return false;
    const bool is_system = i > 3 && code_.is_word(i - 2, "system") && code_.is(i - 3, scope) &&
                           code_.is_word(i - 4, "thrust");
    if (!is_system && !code_.is_word(i - 2, "thrust")) return false;
    replace(i, i, "cuda");
    return true;
}

/// libcu++'s namespace: `cuda::`, where the program has none of that name.
bool renamer::names_cuda_space(std::uint32_t i) const {
    return !has_own_space_ && code_.is_word(i, "cuda") &&
           (code_.is(i + 1, scope) || (i > 0 && code_.is_word(i - 1, "namespace")));
}

void renamer::rename_words() {
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
        if (code_.is(i, define)) in_macro_ = true;
        if (code_.is(i, define_end)) in_macro_ = false;
        if (!code_.is(i, word)) continue;
        if (rewrite_launch(i) || rewrite_shared_array(i) || rewrite_assembly(i) ||
            rewrite_abort(i) || rewrite_thrust(i) ||
            code_.is_any_word(i, {"hipLaunchKernelGGL", "hipModuleLaunchKernel"}))
            continue;
        const std::string name = code_.spelling(i);
        if (code_.is(i + 1, '(') && showing_.contains(name))
            shown_until_ = std::max(shown_until_, code_.group_end(i + 1));
        std::string wanted = name_for(name, i < shown_until_);
        if (names_cuda_space(i)) wanted = name + std::string(no_name_of_hip);
        if (wanted != name) replace(i, i, std::move(wanted));
    }
}

/// The words of conditions, and the headers that HIP lacks.
void renamer::rename_directives() {
    for (const directive& d : code_.directives) {
        if (const auto included = include_line_of(code_, d)) {
            const auto at = static_cast<std::uint32_t>(code_.text.find(included->name, d.argument));
            const auto end = static_cast<std::uint32_t>(at + included->name.size());
            const std::string_view library = hip_names::library_header_of(included->name);
            if (!library.empty()) edits_.replace(at, end, std::string(library), true);
            if (hip_names::is_header_of_cuda(included->name))
                edits_.insert(end, std::string(no_name_of_hip));
            continue;
        }
        if (d.keyword == pp_keyword::include || d.keyword == pp_keyword::else_ ||
            d.keyword == pp_keyword::endif)
            continue;
        const std::string_view line = code_.text.substr(d.begin, d.end - d.begin);
        if (d.keyword == pp_keyword::other && line.find("undef") == line.npos) continue;
        for (std::uint32_t i = d.argument; i < d.end;) {
            std::uint32_t end = i;
            while (end < d.end && is_word_byte(code_.text[end])) ++end;
            if (end > i) {
                const std::string name(code_.text.substr(i, end - i));
                std::string wanted = name_for(name, false);
                // Where it is defined it is 1, and __CUDA_ARCH__ is not.
                if (name == "__HIP_DEVICE_COMPILE__" && is_value(d, i))
                    wanted = "(" + wanted + " > 0)";
                if (wanted != name) edits_.replace(i, end, std::move(wanted), true);
            }
            i = std::max(end, i + 1);
        }
    }
}

/// Whether a word at this offset of a condition is not only asked whether it is defined.
bool renamer::is_value(const directive& d, std::uint32_t offset) const {
    if (d.keyword != pp_keyword::if_ && d.keyword != pp_keyword::elif) return false;
    std::string_view before = code_.text.substr(d.argument, offset - d.argument);
    before = before.substr(0, before.find_last_not_of(" \t(") + 1);
    return !before.ends_with("defined");
}

std::string renamer::run() {
    rename_words();
    rename_directives();
    return edits_.apply().value_or(std::string(code_.text));
}

bool opens(pp_keyword k) {
    return k == pp_keyword::if_ || k == pp_keyword::ifdef || k == pp_keyword::ifndef;
}

/// The name of the guard around the whole file: its first directive is `#ifndef NAME`, before
/// `#define NAME`, and the #endif of it is the last; empty if there is none.
std::string name_of_guard(const token_stream& code) {
    const auto& all = code.directives;
    if (all.size() < 2 || all.front().keyword != pp_keyword::ifndef) return {};
    const directive& first = all.front();
    std::string_view name = code.text.substr(first.argument, first.end - first.argument);
    name = name.substr(std::min(name.find_first_not_of(" \t"), name.size()));
    name = name.substr(0, name.find_first_of(" \t\r/"));
    const std::uint32_t next = first.next;
    if (name.empty() || !code.is(next, define) || !code.is(next + 1, word) ||
        code.raw(next + 1) != name)
        return {};
    if (code.tokens.front().begin < first.begin || code.tokens.back().begin > all.back().end)
        return {};
    std::size_t depth = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const pp_keyword k = all[i].keyword;
        if (opens(k)) ++depth;
        const bool is_branch = k == pp_keyword::elif || k == pp_keyword::elifdef ||
                               k == pp_keyword::elifndef || k == pp_keyword::else_;
        if (is_branch && depth == 1) return {};
        if (k == pp_keyword::endif && depth > 0) --depth;
        if ((depth == 0) != (i + 1 == all.size())) return {};
    }
    return std::string(name);
}

/// Whether compilers define such a name: what asks for it asks for one of them.
bool is_of_compilers(std::string_view name) {
    return name.starts_with("__CUDA") || name.starts_with("__NVCC") || name.starts_with("__HIP") ||
           name.starts_with("__clang") || name.starts_with("__GNU");
}

}  // namespace

std::vector<include_line> unconditional_includes(
    std::string_view text, const std::function<bool(const std::string&)>& is_free) {
    std::vector<include_line> found;
    if (text.size() >= std::numeric_limits<std::uint32_t>::max()) return found;
    token_stream code;
    lex_without_structure(text, code);
    const std::string guard = name_of_guard(code);
    const std::size_t of_guard =
        !guard.empty() && !is_of_compilers(guard) && is_free(guard) ? 1 : 0;
    std::size_t depth = 0;
    for (const directive& d : code.directives) {
        if (opens(d.keyword)) ++depth;
        if (d.keyword == pp_keyword::endif && depth > 0) --depth;
        if (depth > of_guard) continue;
        if (auto line = include_line_of(code, d)) found.push_back(*std::move(line));
    }
    return found;
}

std::vector<std::string> names_that_are_defined(std::string_view text) {
    std::vector<std::string> found;
    if (text.size() >= std::numeric_limits<std::uint32_t>::max()) return found;
    token_stream code;
    lex_without_structure(text, code);
    for (std::uint32_t i = 0; i + 1 < code.size(); ++i)
        if (code.is(i, define) && code.is(i + 1, word)) found.push_back(code.spelling(i + 1));
    std::ranges::sort(found);
    const auto [first, last] = std::ranges::unique(found);
    found.erase(first, last);
    return found;
}

bool is_hip_source(std::string_view text) {
    if (text.find("hip/") == text.npos) return false;
    const auto any = [](const std::string&) { return true; };
    return std::ranges::any_of(unconditional_includes(text, any), [](const include_line& line) {
        return line.name.starts_with("hip/");
    });
}

bool has_header_of_hip(std::string_view text) {
    return std::ranges::any_of(live_includes(text), [](const include_line& line) {
        return hip_names::is_library_header(line.name) || line.name.starts_with("thrust/");
    });
}

bool needs_header_of_hip(std::string_view text) {
    if (text.size() >= std::numeric_limits<std::uint32_t>::max()) return true;
    const cuda_program program = read_cuda_program(text);
    const token_stream& code = program.code;
    if (!program.launches.empty()) return true;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (!code.is(i, word)) continue;
        const std::string name = code.spelling(i);
        if (program.macro_names.contains(name)) continue;
        if (!hip_names::cuda_name_of(name).empty() ||
            code.is_any_word(i, {"threadIdx", "blockIdx", "blockDim", "gridDim", "dim3"}))
            return true;
    }
    return false;
}

bool depends_on_lanes(std::string_view text) {
    if (text.size() >= std::numeric_limits<std::uint32_t>::max()) return true;
    const cuda_program program = read_cuda_program(text);
    const token_stream& code = program.code;
    for (std::uint32_t i = 0; i < code.size(); ++i) {
        if (!code.is(i, word)) continue;
        if (hip_names::depends_on_lanes(code.raw(i))) return true;
        // Threads of a warp that go on together without a barrier read such memory.
        const bool is_of_assembly = i > 0 && code.is_any_word(i - 1, {"asm", "__asm__", "__asm"});
        if (code.is_word(i, "volatile") && !is_of_assembly && program.runs_on_device(i))
            return true;
    }
    return false;
}

std::string with_cuda_names(std::string_view text, const std::vector<std::string>& definitions) {
    if (text.size() >= std::numeric_limits<std::uint32_t>::max() / 4) return std::string(text);
    return renamer(text, definitions).run();
}

}  // namespace cuset

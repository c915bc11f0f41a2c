// Texture and surface references, which CUDA has not had since version 12.
#include <cstdint>
#include <string>

#include "refusal_search.h"

namespace cuset {

using namespace syntax;

namespace {

constexpr const char* since =
    " (CUDA 12 removed texture and surface references; cudaCreateTextureObject and "
    "cudaCreateSurfaceObject have taken their place)";

bool is_removed_call(std::string_view name) {
    constexpr std::string_view names[] = {"cudaBindTexture",
                                          "cudaBindTexture2D",
                                          "cudaBindTextureToArray",
                                          "cudaBindTextureToMipmappedArray",
                                          "cudaUnbindTexture",
                                          "cudaGetTextureReference",
                                          "cudaGetTextureAlignmentOffset",
                                          "cudaBindSurfaceToArray",
                                          "cudaGetSurfaceReference"};
    return is_one_of(name, names);
}

/// Whether the program has a meaning of its own for the name.
bool is_programs(const refusal_search& search, const std::string& name) {
    const token_stream& code = search.program.code;
    if (search.names.is_ambiguous(name) || search.names.hosts.contains(name)) return true;
    for (std::uint32_t i = 1; i < code.size(); ++i)
        if (code.is_word(i, name) &&
            (code.is_any_word(i - 1, {"struct", "class", "using", "enum", "union"}) ||
             code.is(i - 1, scope)))
            return true;
    return false;
}

}  // namespace

void look_at_removed_names(refusal_search& search) {
    if (search.dialect.is_hip) return;  // which has them: see only_of_clang()
    const token_stream& code = search.program.code;
    for (std::uint32_t i = 0; i + 1 < code.size(); ++i) {
        if (code.is(i, define)) i = code.tokens[i].link;
        if (!code.is(i, word) || search.program.conditional_depth[i] != 0) continue;
        const bool is_template = code.is_any_word(i, {"texture", "surface"}) &&
                                 code.is(i + 1, less) && !is_member_or_qualified(code, i);
        const bool is_call = code.is(i + 1, '(') && is_removed_call(code.raw(i));
        if (!is_template && !is_call) continue;
        const std::string name = code.spelling(i);
        if (is_programs(search, name)) continue;
        search.refuse(i, (is_template ? name + " is not a template"
                                      : "identifier \"" + name + "\" is undefined") +
                             since);
        return;
    }
}

}  // namespace cuset

#include "translate/arch_directives.h"

#include <string_view>

namespace cuset {

using namespace syntax;

std::vector<directive_edit> with_arch(const token_stream& code, const directive& d,
                                      const std::string& arch) {
    constexpr std::string_view arch_name = "__CUDA_ARCH__";
    std::vector<directive_edit> edits;
    const bool defined = d.keyword == pp_keyword::ifdef || d.keyword == pp_keyword::elifdef;
    const bool undefined = d.keyword == pp_keyword::ifndef || d.keyword == pp_keyword::elifndef;
    const bool plain = d.keyword == pp_keyword::if_ || d.keyword == pp_keyword::elif;
    if (!defined && !undefined && !plain) return edits;
    const std::string_view argument = code.text.substr(d.argument, d.end - d.argument);
    if (argument.find("__CUDA") == argument.npos && argument.find('\\') == argument.npos)
        return edits;
    token_stream words;
    lex(argument, words);
    const auto at = [&](std::uint32_t i) { return d.argument + words.tokens[i].begin; };
    const auto end = [&](std::uint32_t i) { return d.argument + words.tokens[i].end; };
    if (!plain) {
        if (!words.is_word(0, arch_name)) return edits;
        const bool elif = d.keyword == pp_keyword::elifdef || d.keyword == pp_keyword::elifndef;
        edits.push_back(
            {d.begin, end(0),
             std::string(elif ? "#elif " : "#if ") + (defined == !arch.empty() ? "1" : "0")});
        return edits;
    }
    for (std::uint32_t i = 0; i < words.size(); ++i) {
        if (words.is_word(i, "defined")) {
            const bool parenthesis = words.is(i + 1, '(');
            const std::uint32_t name = parenthesis ? i + 2 : i + 1;
            const std::uint32_t last = parenthesis && words.is(name + 1, ')') ? name + 1 : name;
            if (words.is_word(name, arch_name))
                edits.push_back({at(i), end(last), arch.empty() ? "0" : "1"});
            i = last;
        } else if (words.is_word(i, arch_name)) {
            edits.push_back({at(i), end(i), arch.empty() ? "0" : arch});
        }
    }
    return edits;
}

}  // namespace cuset

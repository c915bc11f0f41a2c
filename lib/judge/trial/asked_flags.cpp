#include "trial/asked_flags.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace cuset {

namespace {

/// The toolkit's libraries whose calls the linker misses, by the beginnings of their names.
flag_list asked_libraries(std::string_view messages) {
    constexpr std::string_view libraries[] = {"cublasLt", "cublas",   "cufft", "curand",
                                              "cusolver", "cusparse", "nvrtc", "nvJitLink"};
    constexpr std::string_view missed = "undefined reference to `";
    flag_list asked;
    for (std::size_t at = messages.find(missed); at != messages.npos;
         at = messages.find(missed, at + 1)) {
        const std::string_view name = messages.substr(at + missed.size());
        for (const std::string_view library : libraries) {
            if (!name.starts_with(library)) continue;
            asked.push_back("-l" + std::string(library));
            break;
        }
        const bool is_drivers = name.size() > 2 && name.starts_with("cu") &&
                                std::isupper(static_cast<unsigned char>(name[2])) != 0;
        if (is_drivers) asked.emplace_back("-lcuda");
    }
    return asked;
}

}  // namespace

flag_list asked_flags(const compilation& tried) {
    flag_list asked;
    if (tried.end == compile_end::link_error)
        return asked_libraries(tried.messages.empty() ? tried.diagnostic : tried.messages);
    if (tried.end != compile_end::error) return asked;
    for (const std::string_view flag : {"--extended-lambda", "--expt-relaxed-constexpr"})
        if (tried.diagnostic.find(flag) != std::string::npos ||
            tried.messages.find(flag) != std::string::npos)
            asked.emplace_back(flag);
    return asked;
}

bool lacks_library(const compilation& tried) {
    const std::string& messages = tried.messages.empty() ? tried.diagnostic : tried.messages;
    return tried.end == compile_end::link_error &&
           messages.find("cannot find -l") != messages.npos && asked_libraries(messages).empty();
}

bool add_new_flags(flag_list& flags, const flag_list& more) {
    const std::size_t before = flags.size();
    for (const auto& flag : more)
        if (std::ranges::find(flags, flag) == flags.end()) flags.push_back(flag);
    return flags.size() > before;
}

result<compilation> with_asked_libraries(
    program_source source, flag_list& added,
    const std::function<result<compilation>(const program_source&)>& ask) {
    const std::size_t given = source.flags.size();
    for (;;) {
        CUSET_ASSIGN(compilation tried, ask(source));
        if (tried.end == compile_end::link_error && add_new_flags(source.flags, asked_flags(tried)))
            continue;
        if (tried.end == compile_end::compiled)
            add_new_flags(added, {source.flags.begin() + static_cast<std::ptrdiff_t>(given),
                                  source.flags.end()});
        return tried;
    }
}

std::string flags_note(const flag_list& flags, std::string_view reason) {
    if (flags.empty()) return {};
    std::string text = "compiled with";
    for (const auto& flag : flags) text += (&flag == &flags.front() ? " " : " and ") + flag;
    return text.append(", ").append(reason);
}

}  // namespace cuset

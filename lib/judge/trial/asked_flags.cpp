#include "trial/asked_flags.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace cuset {

namespace {

/// The toolkit's libraries, by the beginnings of their calls' names.
constexpr std::string_view libraries[] = {"cublasLt", "cublas",   "cufft", "curand",
                                          "cusolver", "cusparse", "nvrtc", "nvJitLink"};

/// Those whose calls the linker misses.
flag_list asked_libraries(std::string_view messages) {
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
    if (tried.end != compile_end::link_error) return false;
    const std::string_view messages = tried.messages.empty() ? tried.diagnostic : tried.messages;
    constexpr std::string_view missed = "cannot find -l";
    bool is_missed = false;
    for (std::size_t at = messages.find(missed); at != messages.npos;
         at = messages.find(missed, at + 1)) {
        std::string_view name = messages.substr(at + missed.size());
        name = name.substr(0, name.find_first_of(": \n"));
        if (name != "cuda" && std::ranges::find(libraries, name) == std::end(libraries))
            return false;
        is_missed = true;
    }
    return is_missed && asked_libraries(messages).empty();
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
        if (tried.end == compile_end::compiled || lacks_library(tried))
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

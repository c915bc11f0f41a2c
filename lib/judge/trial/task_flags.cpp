#include "trial/task_flags.h"

#include <algorithm>
#include <cctype>
#include <string>

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

/// The flags that a compiler's messages ask for.
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

/// Whether a program was compiled and only a library of the toolkit was not there to link it.
bool lacks_library(const compilation& tried) {
    const std::string& messages = tried.messages.empty() ? tried.diagnostic : tried.messages;
    return tried.end == compile_end::link_error &&
           messages.find("cannot find -l") != messages.npos && asked_libraries(messages).empty();
}

/// Whether `more` has flags that `flags` lacks; adds them.
bool add_new(flag_list& flags, const flag_list& more) {
    const std::size_t before = flags.size();
    for (const auto& flag : more)
        if (std::ranges::find(flags, flag) == flags.end()) flags.push_back(flag);
    return flags.size() > before;
}

}  // namespace

template <class Ask>
result<compilation> task_flags::with_flags(const task& the_task, flag_list& flags, const Ask& ask) {
    CUSET_ASSIGN(compilation tried, ask());
    if (asked_flags(tried).empty()) return tried;
    CUSET_ASSIGN(const flag_list needed, flags_of(the_task));
    if (!add_new(flags, needed)) return tried;
    return ask();
}

result<compilation> task_flags::compile(const task& the_task, std::string_view source,
                                        flag_list& flags) {
    return with_flags(the_task, flags, [&] {
        return backend_.compile(single_file(source, flags, the_task.is_hip));
    });
}

result<compilation> task_flags::confirm(const task& the_task, std::string_view source,
                                        flag_list& flags) {
    CUSET_ASSIGN(compilation done, with_flags(the_task, flags, [&] {
                     return backend_.confirm(single_file(source, flags, the_task.is_hip));
                 }));
    // The backend has linked it with its own form of the library.
    if (lacks_library(done)) done.end = compile_end::compiled;
    return done;
}

result<flag_list> task_flags::flags_of(const task& the_task) {
    if (are_fixed_ || the_task.program.empty()) return flag_list();
    const std::lock_guard lock(mutex_);
    if (const auto known = found_.find(&the_task); known != found_.end()) return known->second;
    flag_list flags;
    compilation tried;
    do {
        CUSET_ASSIGN(tried,
                     backend_.compile(single_file(the_task.program, flags, the_task.is_hip)));
        if (tried.end == compile_end::compiled) {
            CUSET_ASSIGN(tried,
                         backend_.confirm(single_file(the_task.program, flags, the_task.is_hip)));
        }
    } while (add_new(flags, asked_flags(tried)));
    // A program that fails in another way too says nothing about flags; nor is one known that a
    // limit stopped.
    if (tried.end == compile_end::error ||
        (tried.end == compile_end::link_error && !lacks_library(tried)))
        flags.clear();
    if (tried.limited || tried.end == compile_end::too_long || tried.end == compile_end::too_large)
        return flags;
    return found_.emplace(&the_task, std::move(flags)).first->second;
}

std::string flags_note(const flag_list& flags) {
    if (flags.empty()) return {};
    std::string text = "compiled with";
    for (const auto& flag : flags) text += (&flag == &flags.front() ? " " : " and ") + flag;
    return text + ", as the task's own program needs";
}

}  // namespace cuset

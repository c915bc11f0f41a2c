#include "trial/task_flags.h"

#include "trial/asked_flags.h"

namespace cuset {

template <class Ask>
result<compilation> task_flags::with_flags(const task& the_task, flag_list& flags, const Ask& ask) {
    CUSET_ASSIGN(compilation tried, ask());
    if (asked_flags(tried).empty()) return tried;
    CUSET_ASSIGN(const flag_list needed, flags_of(the_task));
    if (!add_new_flags(flags, needed)) return tried;
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
    } while (add_new_flags(flags, asked_flags(tried)));
    // A program that fails in another way too says nothing about flags; nor is one known that a
    // limit stopped.
    if (tried.end == compile_end::error ||
        (tried.end == compile_end::link_error && !lacks_library(tried)))
        flags.clear();
    if (tried.limited || tried.end == compile_end::too_long || tried.end == compile_end::too_large)
        return flags;
    return found_.emplace(&the_task, std::move(flags)).first->second;
}

}  // namespace cuset

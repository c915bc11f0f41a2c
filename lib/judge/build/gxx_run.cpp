#include "build/gxx_run.h"

#include <string_view>
#include <utility>

#include "cuset/host/build/compiler_messages.h"
#include "cuset/host/implicit_conversions.h"

namespace cuset {

namespace {

/// The sources with PTX's conversions; none if they have no place for them.
std::vector<task_file> converted(std::vector<task_file> units, std::string_view messages) {
    bool is_rewritten = false;
    for (task_file& unit : units) {
        if (unit.content.starts_with(host_source_beginning)) continue;
        if (auto text = with_ptx_conversions(unit.content, messages, unit.path)) {
            unit.content = *std::move(text);
            is_rewritten = true;
        }
    }
    if (!is_rewritten) units.clear();
    return units;
}

}  // namespace

result<compiler_run> run_gxx(const sandbox& box,
                             const std::function<compiler_command(bool)>& command,
                             const std::vector<task_file>& units,
                             const std::filesystem::path& work) {
    CUSET_ASSIGN(compiler_run first, run_compiler(box, command(true), units, work));
    const compile_end end = first.done.end;
    const bool is_wrong = end == compile_end::error || end == compile_end::link_error;
    std::vector<task_file> next;
    if (end == compile_end::compiled) next = converted(units, first.messages);
    // Nobody asked for the warnings, which would stand among the errors, or be some by a pragma.
    if (is_wrong && has_any(first.messages, {": warning: ", "[-Werror"})) next = units;
    if (next.empty()) return first;
    CUSET_ASSIGN(compiler_run again, run_compiler(box, command(false), next, work));
    // A place may not be what its tokens look like: the conversions there are then the processor's.
    compiler_run& kept = is_wrong || again.done.end == compile_end::compiled ? again : first;
    kept.done.seconds = first.done.seconds + again.done.seconds;
    return std::move(kept);
}

}  // namespace cuset

#include "compile.h"

#include <array>
#include <memory>

#include "cuset/judge/judge_environment.h"
#include "cuset/syntax/program_text.h"

namespace cuset {

result<program_compiler> open_compiler(const curate_flags& flags) {
    judge_environment_options options;
    options.backend = backend_named(flags.backend);
    options.runs_programs = options.runs_scripts = false;
    options.nvcc_flags = words_at_blanks(flags.nvcc_flags);
    options.architecture = flags.arch;
    options.compile_seconds = flags.compile_timeout;
    options.threads = static_cast<int>(flags.stream.threads);
    CUSET_ASSIGN(auto opened, judge_environment::open(options));
    const std::shared_ptr<judge_environment> environment(std::move(opened));
    return program_compiler([environment](std::string_view program) -> result<std::string> {
        CUSET_ASSIGN(const compilation made,
                     environment->backend->compile(file_of_any_language(program)));
        if (made.end == compile_end::compiled) return std::string();
        static constexpr std::array<std::string_view, 1> names = {"main"};
        // A part of a program compiles, but nothing can link it.
        if (made.end == compile_end::link_error && !has_name(program, names)) return std::string();
        return made.diagnostic.empty() ? std::string("it does not compile") : made.diagnostic;
    });
}

}  // namespace cuset

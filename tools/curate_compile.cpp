#include "curate_compile.h"

#include <array>
#include <memory>

#include "cuset/syntax/program_text.h"
#include "eval_workshop.h"

namespace cuset {

result<program_compiler> open_compiler(const curate_flags& flags) {
    eval_flags eval;
    eval.stream.threads = flags.stream.threads;
    eval.compile_only = true;
    eval.backend = flags.backend;
    eval.nvcc_flags = flags.nvcc_flags;
    eval.arch = flags.arch;
    eval.compile_timeout = flags.compile_timeout;
    CUSET_ASSIGN(auto opened, open_workshop(eval));
    const std::shared_ptr<workshop> shop(std::move(opened));
    return program_compiler([shop](std::string_view program) -> result<std::string> {
        CUSET_ASSIGN(const compilation made, shop->backend->compile(program, {}));
        if (made.end == compile_end::compiled) return std::string();
        static constexpr std::array<std::string_view, 1> names = {"main"};
        // A part of a program compiles, but nothing can link it.
        if (made.end == compile_end::link_error && !has_name(program, names)) return std::string();
        return made.diagnostic.empty() ? std::string("it does not compile") : made.diagnostic;
    });
}

}  // namespace cuset

// What cuset-run says about a program.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuset/judge/program_files.h"
#include "cuset/judge/program_run.h"

namespace cuset {

/// A message about a line of the program; line 0: about none.
struct placed_message {
    std::string file;
    std::size_t line = 0;
    std::string message;
};

/// What is told of a run.
struct run_findings {
    std::string kind;  ///< of what is wrong; empty: nothing is
    placed_message wrong;
    /// All findings of the backend's runtime without its notes, the first of which is `wrong`, each
    /// with its kind; empty where something else told what is wrong.
    std::vector<std::pair<std::string, placed_message>> all;
    std::vector<placed_message> notes;
    std::string compiler;  ///< all that the compiler said of a program that it refused
    int exit_code = 0;     ///< of cuset-run
};

run_findings findings_of(const program_files& files, const program_result& ran);

/// In the form of a compiler's messages, a line each; without notes if it is `quiet`.
std::string to_text(const run_findings& found, bool quiet);

/// One line.
std::string to_json(const run_findings& found, const program_result& ran);

}  // namespace cuset

#include "build/hip_program.h"

#include <utility>

#include "build/nvcc_command.h"
#include "build/shell_words.h"
#include "cuset/host/hip.h"

namespace cuset {

bool is_hip_program(const program_source& source) {
    if (source.command.empty()) return source.is_hip;
    const auto words = shell_words(source.command);
    return words && !words->empty() && is_call_of(words->front().text, "hipcc");
}

program_source file_of_any_language(std::string_view text, flag_list flags) {
    program_source made = single_file(text, std::move(flags));
    made.is_hip = is_hip_source(text);
    return made;
}

}  // namespace cuset

// What was said of a program, with the places that it names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cuset/judge/verdict.h"

namespace cuset {

struct program_message {
    std::string kind;      ///< a failure's name, "error", "warning", "remark" or "note"
    std::string file;      ///< empty if the message names none
    std::size_t line = 0;  ///< from 1; 0 if the message names none
    std::string text;      ///< a visible_text
};

/// What a verdict says of its program, each message once: all that the backend's runtime found or,
/// where it found nothing, the errors, warnings and notes of the compiler (nvcc's and GCC's forms;
/// without the quoted source) or, where there are none, the diagnostic.
std::vector<program_message> messages_of(const verdict& v);

}  // namespace cuset

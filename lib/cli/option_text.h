// The words about an option that help, man page and completions share.
#pragma once

#include <string>
#include <vector>

#include "cuset/cli/option_table.h"

namespace cuset {

/// The options of the program, and those that the parser itself handles.
std::vector<option> all_options(const program& p);

/// The value that an option has without being given; empty where there is none to tell.
std::string default_of(const option& o);

/// The option's help, the words that it accepts and its default.
std::string full_help(const option& o);

/// The first sentence of a help text, without its full stop.
std::string first_sentence(const std::string& help);

/// "cuset-tag [OPTION]... [FILE]..."
std::string usage(const program& p);

}  // namespace cuset

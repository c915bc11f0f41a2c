// --from-sources of cuset-curate: prompts for source files, from a template or from a server.
#pragma once

#include "cuset/curate/curation.h"
#include "flags.h"

namespace cuset {

/// Makes a pair of a source's line, with the prompt that the ask file makes of it.
result<pair_maker> open_prompt_maker(const curate_flags& flags);

/// Asks the server for the prompt of each record that is kept. A record to which it has no answer
/// is dropped; eight that fail in a row end the run.
status ask_instructions(const curate_flags& flags, curation& work);

}  // namespace cuset

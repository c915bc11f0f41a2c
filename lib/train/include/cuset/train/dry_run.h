// Shows what a run would do, as text for a person.
#pragma once

#include <string>

#include "cuset/base/status.h"
#include "cuset/text/tokenizer.h"
#include "cuset/train/trainer.h"

namespace cuset {

/// Sends the first sample and the largest pass forward and backward, updates nothing, and returns
/// - the first sample's prompt as the model sees it, and its response, one token a line:
///   confidence, the masks that keep it, its coefficient w·M_t, and its text as a JSON string;
/// - the numbers of samples, tokens, steps and trained parameters, the time of a run at the largest
///   pass's speed, and the peak of memory so far, which that pass decides;
/// - of a base that processes share, what each keeps of it, and receives in a step.
result<std::string> dry_run(const trainable_decoder& decoder, const data_set& data,
                            const training_settings& settings, process_group& processes,
                            const tokenizer& words);

}  // namespace cuset

// Reads TRL's records of preferences. Private to lib/train.
#pragma once

#include <string>

#include "cuset/base/status.h"
#include "cuset/stream/pair_record.h"

namespace cuset {

/// Makes the response of a record that was read as a question, with its members, the one of
/// "chosen", and `rejected` that of "rejected" (read_data_set says which forms they have). Where
/// the record has lists of messages, its conversation is made of them. A data error for a field
/// that is missing or has another form, and for two whole conversations that differ before their
/// last turn.
status read_preference(pair_record& record, std::string& rejected);

}  // namespace cuset

// Every resolved setting of a run by name. run.json holds them, the start of a run prints them, and
// they must be the same when a run continues.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cuset/model/trainable_decoder.h"
#include "cuset/stream/json_writer.h"
#include "cuset/train/data_set.h"
#include "cuset/train/trainer.h"

namespace cuset {

struct named_setting {
    std::string name;
    std::string json;     ///< its value
    bool decides = true;  ///< whether the trained weights depend on it (beyond rounding)
};

/// All of `settings`, the adapter's, the model's and the data's.
std::vector<named_setting> named_settings(const training_settings& settings,
                                          const trainable_decoder& decoder, const data_set& data);

/// "rank 8, alpha 16, ...": all but the model, for a person.
std::string settings_line(std::span<const named_setting> settings);

/// An object with a line for each; `deciding`: only those that decide.
void write_settings(std::span<const named_setting> settings, bool deciding, json_writer& json);

/// "lr 0.0001 (there 0.0002), tau …": the deciding settings with another value in the JSON object
/// `there`, and members of it that `settings` lacks. Empty if all are the same. `but_length`: apart
/// from epochs and max_steps.
result<std::string> differences(std::span<const named_setting> settings, std::string_view there,
                                bool but_length = false);

/// A usage error that begins with `what` and lists the differences, if there are any; with
/// `extend`, those of the length do not count.
status check_same_run(const std::string& what, std::span<const named_setting> settings,
                      std::string_view there, bool extend);

}  // namespace cuset

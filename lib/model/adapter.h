// LoRA adapters in peft's format: adapter_config.json and adapter_model.safetensors. They are
// applied unmerged, as in peft: the base keeps its type and the update is computed in float, so
// that a bf16 base loses nothing of a small update. Private to lib/model.
#pragma once

#include <filesystem>

#include "cuset/base/status.h"
#include "weights.h"

namespace cuset {

struct adapter_shape {
    std::int64_t rank = 0;
    double alpha = 0;
    bool is_uniform = true;  ///< all updates have this rank and this alpha
};

/// Reads `folder` and sets `update` of the linear layers that it has. Returns the rank and alpha of
/// the first (for rank-stabilised adapters, the alpha that gives the same scale).
/// An update that target_modules, exclude_modules and layers_to_transform do not name is left out,
/// as in peft, and weights.notes says so.
/// error_kind::unsupported names all settings of peft that would compute something else (dora,
/// biases, modules_to_save, …), a layer that cannot carry an update (embeddings, head), or shapes
/// and layers of another model.
/// error_kind::data: a malformed file, or tensors that contradict the config's rank.
result<adapter_shape> load_adapter(const std::filesystem::path& folder, decoder_weights& weights);

}  // namespace cuset

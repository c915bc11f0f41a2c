// LoRA adapters in peft's format: adapter_config.json and adapter_model.safetensors. Updates are
// applied unmerged, as in peft: the base keeps its type and the update is computed in float, so
// that a bf16 base loses nothing of a small update. What an adapter holds whole (modules_to_save)
// replaces the base's tensors. Private to lib/model.
#pragma once

#include <filesystem>

#include "adapter_settings.h"
#include "cuset/base/status.h"
#include "weights.h"

namespace cuset {

/// Opens `folder`, before the base's tensors are read: sets weights.adapter_files and
/// weights.replaced, and needs weights.files.
/// error_kind::unsupported names all settings of peft that would compute something else (dora,
/// biases, …). error_kind::data: a malformed file, or a module of modules_to_save without its
/// tensor.
result<adapter_settings> open_adapter(const std::filesystem::path& folder,
                                      decoder_weights& weights);

/// Sets `update` of the linear layers that the opened adapter has. Returns the shape of the first.
/// An update that target_modules, exclude_modules and layers_to_transform do not name is left out,
/// as in peft, and weights.notes says so.
/// error_kind::unsupported names a layer that cannot carry an update (embeddings, head), or shapes
/// and layers of another model. error_kind::data: tensors that contradict the config's rank.
result<adapter_shape> apply_updates(const std::filesystem::path& folder,
                                    const adapter_settings& settings, decoder_weights& weights);

}  // namespace cuset

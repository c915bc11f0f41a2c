#include "cuset/model/merge.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "companions.h"
#include "cuset/model/safetensors.h"
#include "cuset/model/trainable_decoder.h"
#include "device.h"
#include "element_types.h"
#include "weights.h"

namespace cuset {

namespace {

/// Linear layers that carry an update, by the name of their weight.
std::map<std::string, const low_rank_update*> updates_of(const decoder_weights& weights) {
    std::map<std::string, const low_rank_update*> updates;
    std::size_t number = 0;
    for (const auto& layer : weights.layers) {
        const std::string prefix = "model.layers." + std::to_string(number++) + ".";
        for (const auto& linear : linear_layers) {
            const auto& update = (layer.*linear.weights).update;
            if (update) updates[prefix + std::string(linear.name) + ".weight"] = &*update;
        }
    }
    return updates;
}

at::Tensor matrix_of(const std::vector<float>& values, std::int64_t rows, std::int64_t columns) {
    return at::from_blob(const_cast<float*>(values.data()), {rows, columns}, at::kFloat);
}

at::Tensor merged_tensor(const stored_tensor& stored, const low_rank_update* update) {
    // Copied: a file's tensors need not be aligned.
    std::vector<std::int64_t> shape = stored.shape;
    at::Tensor value = at::empty(shape, scalar_type(stored.type));
    std::memcpy(value.data_ptr(), stored.bytes.data(), stored.bytes.size());
    if (update == nullptr) return value;
    const at::Tensor a = matrix_of(update->a, update->rank, shape[1]);
    const at::Tensor b = matrix_of(update->b, shape[0], update->rank);
    return value.to(at::kFloat).add_(at::mm(b, a), update->scale);
}

result<trainable_decoder> load_in_float(const std::filesystem::path& folder,
                                        const std::filesystem::path& adapter, int threads) {
    training_model_options options;
    options.dtype = compute_type::f32;
    options.device = "cpu";
    options.threads = threads;
    options.only_evaluates = true;
    if (!adapter.empty()) options.init_adapter = adapter;
    return trainable_decoder::load(folder, options);
}

}  // namespace

status merge_adapter(const std::filesystem::path& base, const std::filesystem::path& adapter,
                     const std::filesystem::path& merged, bool keep_float) try {
    const at::NoGradGuard plain;
    CUSET_ASSIGN(auto opened, open_checkpoint(base, compute_type::f32, adapter));
    const auto updates = updates_of(opened.weights);
    const auto& stored = opened.weights.files;
    std::vector<tensor_header> headers;
    std::vector<const stored_tensor*> tensors;
    const auto add = [&](const std::string& name, const stored_tensor& of_base,
                         const stored_tensor* tensor) {
        headers.push_back({name, keep_float ? element_type::f32 : of_base.type, of_base.shape});
        tensors.push_back(tensor);
    };
    for (const auto& tensor : stored.tensors())
        add(tensor.name, tensor, opened.weights.find(tensor.name));
    // An adapter that holds head or embeddings ends the tie of the two.
    const std::string head = "lm_head.weight";
    if (!opened.weights.config.tied_embeddings && stored.find(head) == nullptr) {
        const stored_tensor* embeddings = stored.find("model.embed_tokens.weight");
        const auto replaced = opened.weights.replaced.find(head);
        add(head, *embeddings,
            replaced == opened.weights.replaced.end() ? embeddings : replaced->second);
    }
    CUSET_TRY(copy_companions(base, merged, {keep_float, opened.weights.config.tied_embeddings}));
    at::Tensor current;
    const std::pair<std::string, std::string> metadata[] = {{"format", "pt"}};
    return write_safetensors(
        merged / "model.safetensors", headers,
        [&](std::size_t i) {
            const auto found = updates.find(headers[i].name);
            current = merged_tensor(*tensors[i], found == updates.end() ? nullptr : found->second)
                          .to(scalar_type(headers[i].type))
                          .contiguous();
            return std::span(static_cast<const std::byte*>(current.const_data_ptr()),
                             static_cast<std::size_t>(current.nbytes()));
        },
        metadata);
} catch (const std::exception& exception) {
    return thrown(exception);
}

result<logit_difference> compare_logits(const std::filesystem::path& base,
                                        const std::filesystem::path& adapter,
                                        const std::filesystem::path& merged,
                                        std::span<const std::int32_t> tokens, int threads) try {
    const at::NoGradGuard plain;
    CUSET_ASSIGN(const auto apart, load_in_float(base, adapter, threads));
    CUSET_ASSIGN(const auto whole, load_in_float(merged, {}, threads));
    const training_sample sample{tokens, 1, 0};
    const auto batch = std::span(&sample, 1);
    const at::Tensor one = apart.hidden_rows(batch, pass_kind::evaluation);
    const at::Tensor two = whole.hidden_rows(batch, pass_kind::reference);
    logit_difference difference;
    difference.notes = apart.notes();
    constexpr std::int64_t rows = 64;
    for (std::int64_t row = 0; row < one.size(0); row += rows) {
        const std::int64_t count = std::min(rows, one.size(0) - row);
        const at::Tensor x = at::mm(one.narrow(0, row, count), apart.head().t());
        const at::Tensor y = at::mm(two.narrow(0, row, count), whole.head().t());
        difference.largest = std::max(difference.largest, (x - y).abs().max().item<double>());
        difference.largest_logit = std::max(difference.largest_logit, x.abs().max().item<double>());
    }
    return difference;
} catch (const std::exception& exception) {
    return thrown(exception);
}

}  // namespace cuset

// The provider of frozen weights that several processes share: each keeps a part of every layer,
// and all gather a layer when they compute it, in the forward pass and again in the backward pass.
// There is room for two layers, so that the next one comes while one is computed. Private to
// lib/model.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuset/model/layer_exchange.h"
#include "weights.h"

namespace cuset {

enum class pass_direction : unsigned char { forward, backward };

/// The matrices of a layer are elements of one sequence, which is cut into equal parts: what a
/// process gets from another is one piece of memory. All layers have the same shapes.
class sharded_layers {
public:
    /// Copies this process's part of every layer to the device, in the type, and gives back the
    /// memory of all linear weights (the files' pages too). Throws LibTorch's exceptions.
    sharded_layers(decoder_weights& weights, base_part part, at::ScalarType type,
                   at::Device device);

    /// From now on layers are gathered so; it must live until the last pass.
    void gather_through(layer_exchange& exchange) { exchange_ = &exchange; }

    /// A linear layer's W: a view of the room for its layer.
    at::Tensor matrix(std::size_t layer, std::size_t which) const;

    /// Has all weights of `layer` there, until a layer is fetched that stands an even number of
    /// layers before or after it; and begins to gather the next one of this direction. All
    /// processes must fetch the same layers in the same order. Throws failed_exchange.
    void fetch(std::size_t layer, pass_direction direction);

    /// Fetches the layers of a pass, as a process must that has nothing to compute while others
    /// have.
    void take_part(bool backward);

    shared_base_figures figures() const;

private:
    void begin(std::size_t layer);
    void finish();

    layer_exchange* exchange_ = nullptr;
    std::array<weight_matrix, linear_layers.size()> shapes_;
    std::array<std::int64_t, linear_layers.size()> offsets_{};  ///< in a layer, in elements
    std::vector<at::Tensor> parts_;                             ///< of each layer
    /// Layer i has its place in room i mod 2.
    std::array<at::Tensor, 2> rooms_;
    static constexpr std::size_t none = SIZE_MAX;
    std::array<std::size_t, 2> held_{none, none};  ///< the layers in the rooms
    bool is_gathering_ = false;                    ///< into one of them
    std::size_t gathered_ = 0;
};

}  // namespace cuset

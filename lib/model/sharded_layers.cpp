#include "sharded_layers.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "element_types.h"

namespace cuset {

namespace {

/// Matrices and parts begin at multiples of 64 bytes or more, whatever their type.
constexpr std::int64_t alignment = 64;

std::int64_t aligned(std::int64_t elements) {
    return (elements + alignment - 1) / alignment * alignment;
}

void check(const status& done) {
    if (!done) throw failed_exchange(done);
}

}  // namespace

sharded_layers::sharded_layers(decoder_weights& weights, base_part part, at::ScalarType type,
                               at::Device device) {
    std::int64_t elements = 0;
    for (std::size_t i = 0; i < linear_layers.size(); ++i) {
        shapes_[i] = (weights.layers.front().*linear_layers[i].weights).weight;
        offsets_[i] = elements;
        elements += aligned(shapes_[i].rows * shapes_[i].columns);
    }
    const auto processes = static_cast<std::int64_t>(part.of);
    const std::int64_t size = aligned((elements + processes - 1) / processes);
    const std::int64_t first = static_cast<std::int64_t>(part.rank) * size, last = first + size;
    for (auto& layer : weights.layers) {
        // Zeros stand between matrices and behind the last one.
        const at::Tensor own = at::zeros({size}, type);
        for (std::size_t i = 0; i < linear_layers.size(); ++i) {
            weight_matrix& matrix = (layer.*linear_layers[i].weights).weight;
            const std::int64_t count = matrix.rows * matrix.columns;
            const std::int64_t begin = std::clamp(first - offsets_[i], std::int64_t{0}, count);
            const std::int64_t end = std::clamp(last - offsets_[i], std::int64_t{0}, count);
            if (begin < end)
                own.narrow(0, offsets_[i] + begin - first, end - begin)
                    .copy_(at::from_blob(const_cast<void*>(matrix.data), {count},
                                         scalar_type(matrix.type))
                               .narrow(0, begin, end - begin));
            weights.release(matrix);
        }
        parts_.push_back(own.to(device));
    }
    for (at::Tensor& room : rooms_)
        room = at::empty({processes * size}, at::TensorOptions(type).device(device));
}

at::Tensor sharded_layers::matrix(std::size_t layer, std::size_t which) const {
    const weight_matrix& shape = shapes_[which];
    return rooms_[layer % rooms_.size()]
        .narrow(0, offsets_[which], shape.rows * shape.columns)
        .view({shape.rows, shape.columns});
}

void sharded_layers::fetch(std::size_t layer, pass_direction direction) {
    const at::NoGradGuard plain;
    finish();
    if (held_[layer % rooms_.size()] != layer) {
        begin(layer);
        finish();
    }
    const bool is_last =
        direction == pass_direction::forward ? layer + 1 == parts_.size() : layer == 0;
    if (is_last) return;
    const std::size_t next = direction == pass_direction::forward ? layer + 1 : layer - 1;
    if (held_[next % rooms_.size()] != next) begin(next);
}

void sharded_layers::take_part(bool backward) {
    for (std::size_t layer = 0; layer < parts_.size(); ++layer)
        fetch(layer, pass_direction::forward);
    for (std::size_t layer = parts_.size(); backward && layer-- > 0;)
        fetch(layer, pass_direction::backward);
}

shared_base_figures sharded_layers::figures() const {
    shared_base_figures figures;
    for (const at::Tensor& part : parts_) figures.own_bytes += static_cast<double>(part.nbytes());
    for (const at::Tensor& room : rooms_) figures.room_bytes += static_cast<double>(room.nbytes());
    figures.received_bytes = static_cast<double>(gathered_) *
                             static_cast<double>(rooms_[0].nbytes() - parts_[0].nbytes());
    return figures;
}

void sharded_layers::begin(std::size_t layer) {
    TORCH_CHECK(exchange_ != nullptr, "a base is shared, but by no exchange");
    const std::size_t room = layer % rooms_.size();
    held_[room] = none;
    // Autograd must not take what comes for a change of the matrices that it has kept: when it uses
    // them, the same layer is there again.
    check(exchange_->begin(parts_[layer], rooms_[room].variable_data()));
    held_[room] = layer;
    is_gathering_ = true;
    ++gathered_;
}

void sharded_layers::finish() {
    if (!is_gathering_) return;
    is_gathering_ = false;
    check(exchange_->finish());
}

}  // namespace cuset

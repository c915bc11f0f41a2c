#include "frozen_codes.h"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuset/model/device_kernels.h"
#include "products.h"

namespace cuset {

namespace {

class codes_of_matrix final : public frozen_codes {
public:
    explicit codes_of_matrix(std::shared_ptr<const quantised_matrix> matrix)
        : matrix_(std::move(matrix)) {}

    std::int64_t rows() const override { return matrix_->rows(); }
    std::int64_t columns() const override { return matrix_->columns(); }
    std::size_t bytes() const override { return matrix_->bytes(); }
    at::Tensor dequantised(at::ScalarType type) const override {
        return cuset::dequantised(*matrix_, type);
    }

private:
    std::shared_ptr<const quantised_matrix> matrix_;
};

class codes_on_device final : public frozen_codes {
public:
    codes_on_device(const quantised_matrix& matrix, at::Device device)
        : matrix_(matrix.in_rows()),
          rows_(matrix.rows()),
          columns_(matrix.columns()),
          bytes_(matrix.bytes()),
          bfloat16_(matrix.is_bfloat16()),
          device_(device) {
        TORCH_CHECK(!matrix.is_in_panels(), "copied_codes: a matrix in panels");
        const bool nf4 = matrix_.format == kernels::code_format::nf4;
        const std::size_t blocks = (matrix_.elements + kernels::nf4_block - 1) / kernels::nf4_block;
        put(matrix_.codes, nf4 ? (matrix_.elements + 1) / 2 : matrix_.elements);
        put(matrix_.scales, nf4 ? blocks : static_cast<std::size_t>(rows_));
        put(matrix_.nested.codes, blocks);
        put(matrix_.nested.groups, (blocks + kernels::nf4_group - 1) / kernels::nf4_group);
        put(matrix_.nested.values, kernels::dynamic_codes);
    }

    std::int64_t rows() const override { return rows_; }
    std::int64_t columns() const override { return columns_; }
    std::size_t bytes() const override { return bytes_; }
    at::Tensor dequantised(at::ScalarType type) const override {
        // Elements of a bfloat16 model are rounded, whatever type they are wanted in.
        const at::ScalarType made = bfloat16_ ? at::kBFloat16 : at::kFloat;
        const at::Tensor values =
            at::empty({rows_, columns_}, at::TensorOptions().dtype(made).device(device_));
        dequantise(matrix_, values);
        return values.to(type);
    }

private:
    /// Makes `at`, unless it is null, point to a copy of `count` elements.
    template <class T>
    void put(const T*& at, std::size_t count) {
        if (at == nullptr) return;
        std::size_t size = 1;
        if constexpr (!std::is_void_v<T>) size = sizeof(T);
        const auto length = static_cast<std::int64_t>(count * size);
        const at::Tensor host = at::from_blob(const_cast<void*>(static_cast<const void*>(at)),
                                              {length}, at::TensorOptions().dtype(at::kByte));
        parts_.push_back(host.to(device_, at::kByte, false, true));
        at = static_cast<const T*>(parts_.back().const_data_ptr());
    }

    kernels::code_rows matrix_;
    std::int64_t rows_, columns_;
    std::size_t bytes_;
    bool bfloat16_;
    at::Device device_;
    std::vector<at::Tensor> parts_;  ///< what matrix_ points into
};

}  // namespace

at::Tensor dequantised(const quantised_matrix& matrix, at::ScalarType type) {
    const std::int64_t rows = matrix.rows(), columns = matrix.columns();
    // Only a matrix of bfloat16 can be read so.
    const bool half = type == at::kBFloat16 && matrix.is_bfloat16();
    const at::Tensor values = at::empty({rows, columns}, half ? at::kBFloat16 : at::kFloat);
    void* const to = values.mutable_data_ptr();
    const std::int64_t parts = (rows + operand_outputs - 1) / operand_outputs;
    at::parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t first = begin * operand_outputs;
        const std::int64_t count = std::min(rows, end * operand_outputs) - first;
        const auto read = [&](auto* at) {
            matrix.read(first, count, 0, columns, at + first * columns, columns);
        };
        half ? read(static_cast<kernels::bfloat16_bits*>(to)) : read(static_cast<float*>(to));
    });
    return values.to(type);
}

std::shared_ptr<const frozen_codes> shared_codes(std::shared_ptr<const quantised_matrix> matrix) {
    return std::make_shared<codes_of_matrix>(std::move(matrix));
}

std::shared_ptr<const frozen_codes> copied_codes(const quantised_matrix& matrix,
                                                 at::Device device) {
    return std::make_shared<codes_on_device>(matrix, device);
}

}  // namespace cuset

#include "stored_nf4.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "cuset/kernels/quantised_panels.h"
#include "json_text.h"

namespace cuset {

namespace {

using kernels::nf4_block;
using kernels::nf4_group;

constexpr std::string_view state_prefix = ".quant_state.bitsandbytes__";

/// What NAME.quant_state holds.
struct quant_state {
    element_type type = element_type::f32;
    std::optional<float> offset;  ///< of double quantisation, if there is one
};

std::optional<element_type> type_by_name(std::string_view name) {
    if (name == "float32") return element_type::f32;
    if (name == "float16") return element_type::f16;
    if (name == "bfloat16") return element_type::bf16;
    return {};
}

status read_size(const simdjson::dom::object& fields, const char* key, std::size_t wanted) {
    std::uint64_t size = 0;
    if (fields[key].get(size) != simdjson::SUCCESS)
        return data_error("\"" + std::string(key) + "\" is missing or no size");
    if (size == wanted) return {};
    return unsupported(std::string(key) + " " + std::to_string(size) + " is not supported (" +
                       std::to_string(wanted) + " is)");
}

result<quant_state> parse_state(std::string_view text, std::int64_t rows, std::int64_t columns) {
    simdjson::dom::parser parser;
    CUSET_ASSIGN(const auto fields, parse_object(parser, text));
    quant_state state;
    std::string_view form, type;
    if (fields["quant_type"].get(form) != simdjson::SUCCESS)
        return data_error("\"quant_type\" is missing or no string");
    if (form != "nf4")
        return unsupported("quant_type " + in_quotes(form) + " is not supported (\"nf4\" is)");
    CUSET_TRY(read_size(fields, "blocksize", nf4_block));
    if (fields["dtype"].get(type) != simdjson::SUCCESS || !type_by_name(type))
        return data_error("\"dtype\" is missing, or not float32, float16 or bfloat16");
    state.type = *type_by_name(type);
    std::vector<std::int64_t> shape;
    simdjson::dom::array extents;
    if (fields["shape"].get(extents) != simdjson::SUCCESS)
        return data_error("\"shape\" is missing or no array");
    for (const auto extent : extents) {
        std::int64_t value = 0;
        if (extent.get(value) != simdjson::SUCCESS)
            return data_error("\"shape\" holds something that is no size");
        shape.push_back(value);
    }
    if (shape != std::vector{rows, columns})
        return data_error("\"shape\" is " + shape_text(shape) + ", but the config asks for " +
                          shape_text({rows, columns}));
    if (fields["nested_blocksize"].error() != simdjson::SUCCESS) return state;
    CUSET_TRY(read_size(fields, "nested_blocksize", nf4_group));
    double offset = 0;
    if (fields["nested_offset"].get(offset) != simdjson::SUCCESS ||
        !(std::fabs(offset) <= double{std::numeric_limits<float>::max()}))
        return data_error("\"nested_offset\" is missing or no number");
    state.offset = static_cast<float>(offset);
    return state;
}

class part_reader {
public:
    part_reader(const tensor_store& files, std::string name, std::vector<std::string>& parts)
        : files_(files), name_(std::move(name)), parts_(parts) {}

    result<quant_state> state(std::int64_t rows, std::int64_t columns) {
        const std::string nf4 = name_ + std::string(state_prefix) + "nf4";
        const std::string fp4 = name_ + std::string(state_prefix) + "fp4";
        const stored_tensor* tensor = files_.find(nf4);
        if (tensor == nullptr && files_.find(fp4) != nullptr)
            return unsupported("tensor " + in_quotes(name_) +
                               " is stored in fp4, which is not supported (nf4 is)");
        if (tensor == nullptr) return data_error("tensor " + in_quotes(nf4) + " is missing");
        parts_.push_back(nf4);
        auto read = parse_state(as_text(tensor->bytes), rows, columns);
        if (!read) return std::move(read).error().with_prefix("tensor " + in_quotes(nf4) + ": ");
        return read;
    }

    /// `count` elements of a type that the format calls `type`, behind the name `suffix`.
    result<std::span<const std::byte>> part(const char* suffix, std::string_view type,
                                            std::size_t size, std::int64_t count) {
        const std::string name = name_ + suffix;
        const stored_tensor* tensor = files_.find(name);
        if (tensor == nullptr) return data_error("tensor " + in_quotes(name) + " is missing");
        if (tensor->type_name != type ||
            tensor->bytes.size() != size * static_cast<std::size_t>(count))
            return data_error("tensor " + in_quotes(name) + " is " + tensor->type_name +
                              " of shape " + shape_text(tensor->shape) + ", not " +
                              std::string(type) + " of shape " + shape_text({count}));
        parts_.push_back(name);
        return tensor->bytes;
    }

    result<std::vector<float>> floats(const char* suffix, std::int64_t count) {
        CUSET_ASSIGN(const auto bytes, part(suffix, "F32", sizeof(float), count));
        std::vector<float> values(static_cast<std::size_t>(count));
        std::memcpy(values.data(), bytes.data(), bytes.size());
        if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); }))
            return data_error("tensor " + in_quotes(name_ + suffix) + ": an element is not finite");
        return values;
    }

private:
    const tensor_store& files_;
    std::string name_;
    std::vector<std::string>& parts_;
};

std::int64_t parts_of(std::int64_t count, std::size_t size) {
    const auto extent = static_cast<std::int64_t>(size);
    return (count + extent - 1) / extent;
}

}  // namespace

bool has_quant_state(const tensor_store& files, const std::string& name) {
    const std::string prefix = name + std::string(state_prefix);
    return files.find(prefix + "nf4") != nullptr || files.find(prefix + "fp4") != nullptr;
}

result<stored_nf4> read_stored_nf4(const tensor_store& files, const std::string& name,
                                   std::int64_t rows, std::int64_t columns) {
    stored_nf4 matrix;
    matrix.rows = rows;
    matrix.columns = columns;
    matrix.parts = {name};
    part_reader reader(files, name, matrix.parts);
    CUSET_ASSIGN(const quant_state state, reader.state(rows, columns));
    matrix.type = state.type;
    // Their type is that in which bitsandbytes was told to store bytes (bnb_4bit_quant_storage).
    const stored_tensor& codes = *files.find(name);
    const std::int64_t bytes = parts_of(rows * columns, 2);
    if (std::ssize(codes.bytes) != bytes)
        return data_error("tensor " + in_quotes(name) + " is " + codes.type_name + " of shape " +
                          shape_text(codes.shape) + ": " + std::to_string(codes.bytes.size()) +
                          " bytes, but codes of " + shape_text({rows, columns}) +
                          " elements take " + std::to_string(bytes));
    matrix.codes = codes.bytes;
    CUSET_ASSIGN(const auto values, reader.floats(".quant_map", kernels::nf4_codes));
    if (!std::ranges::equal(values, kernels::nf4_values))
        return unsupported("tensor " + in_quotes(name + ".quant_map") +
                           " has other values than NF4");
    const std::int64_t blocks = parts_of(rows * columns, nf4_block);
    if (!state.offset) {
        CUSET_ASSIGN(matrix.absmax, reader.floats(".absmax", blocks));
        return matrix;
    }
    matrix.offset = *state.offset;
    CUSET_ASSIGN(matrix.absmax_codes, reader.part(".absmax", "U8", 1, blocks));
    CUSET_ASSIGN(matrix.absmax, reader.floats(".nested_absmax", parts_of(blocks, nf4_group)));
    CUSET_ASSIGN(matrix.absmax_values, reader.floats(".nested_quant_map", kernels::dynamic_codes));
    return matrix;
}

}  // namespace cuset

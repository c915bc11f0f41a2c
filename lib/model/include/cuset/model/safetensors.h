// The safetensors format: 8 bytes little endian N, N bytes of JSON {"name": {"dtype", "shape",
// "data_offsets": [begin, end]}, …, "__metadata__": {…}}, then the data. Files are read through a
// memory map: nothing is copied, and a page is read when it is first used. They are written through
// lib/stream's temporary file: a reader sees a whole file or none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

enum class element_type : unsigned char { f32, f16, bf16, other };

/// "F32", "F16", "BF16" or "another type".
std::string_view name_of(element_type type);

/// One tensor of a file. `bytes` points into the file's map and lives as long as it.
struct stored_tensor {
    std::string name;
    element_type type = element_type::other;
    std::string type_name;            ///< as the file spells it
    std::vector<std::int64_t> shape;  ///< row-major, outermost first; empty for a scalar
    std::span<const std::byte> bytes;
};

/// Reads the table of a whole file. error_kind::data if the header is cut off, larger than the
/// file, or not UTF-8 or JSON; if it names a tensor twice; or if a tensor's bytes do not fit its
/// shape, lie outside the data or overlap another tensor's. Types of known size that no model here
/// uses (I64, F8_E4M3 …) are `other`; a type that the format does not define is an error.
result<std::vector<stored_tensor>> parse_safetensors(std::span<const std::byte> file);

/// A file's bytes, mapped read-only for the object's life.
class file_map {
public:
    static result<file_map> open(const std::filesystem::path& path);
    file_map(file_map&& other) noexcept;
    file_map& operator=(file_map&& other) noexcept;
    ~file_map();
    std::span<const std::byte> bytes() const { return {data_, size_}; }
    /// Gives back the memory of the pages that were read; who reads them again reads the file.
    void release() const;

private:
    file_map(const std::byte* data, std::size_t size) : data_(data), size_(size) {}
    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

/// All tensors of one file or of a folder's shards, by name.
class tensor_store {
public:
    /// One .safetensors file. Messages begin with its path.
    static result<tensor_store> open_file(const std::filesystem::path& file);

    /// Opens folder/model.safetensors or, if that is absent, the shards that
    /// folder/model.safetensors.index.json lists. Every tensor of "weight_map" must be in its
    /// shard; an error names a missing shard.
    static result<tensor_store> open_folder(const std::filesystem::path& folder);

    /// Null if there is no such tensor. Valid as long as the store.
    const stored_tensor* find(std::string_view name) const;

    const std::vector<stored_tensor>& tensors() const { return tensors_; }

    /// A number that tells other weights: of names, shapes, types and 64 bytes of each tensor. With
    /// `releases`, the memory of the pages that it reads is given back.
    std::uint64_t fingerprint(bool releases = false) const;

    /// file_map::release of every file.
    void release() const {
        for (const auto& map : maps_) map.release();
    }

private:
    status add(const std::filesystem::path& file);
    std::vector<file_map> maps_;
    std::vector<stored_tensor> tensors_;
    std::unordered_map<std::string, std::size_t> index_;
};

/// Describes a tensor before its bytes are written.
struct tensor_header {
    std::string name;
    element_type type = element_type::f32;  ///< not `other`
    std::vector<std::int64_t> shape;
};

/// Writes a file of these tensors, in this order. bytes(i) gives the elements of tensor i,
/// row-major and little endian; the span need not live past the next call. `metadata` becomes
/// __metadata__.
status write_safetensors(const std::filesystem::path& file, std::span<const tensor_header> tensors,
                         const std::function<std::span<const std::byte>(std::size_t)>& bytes,
                         std::span<const std::pair<std::string, std::string>> metadata = {});

}  // namespace cuset

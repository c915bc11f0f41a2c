#include "cuset/model/safetensors.h"

#include <fcntl.h>
#include <simdjson.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "cuset/base/fd.h"
#include "cuset/base/random_key.h"
#include "json_text.h"

namespace cuset {

namespace {

struct type_entry {
    std::string_view name;
    element_type type;
    unsigned bits;
};

// Every type of the format as of safetensors 0.8.
constexpr type_entry types[] = {
    {"F32", element_type::f32, 32},          {"F16", element_type::f16, 16},
    {"BF16", element_type::bf16, 16},        {"F64", element_type::other, 64},
    {"I64", element_type::other, 64},        {"U64", element_type::other, 64},
    {"I32", element_type::other, 32},        {"U32", element_type::other, 32},
    {"I16", element_type::other, 16},        {"U16", element_type::other, 16},
    {"I8", element_type::other, 8},          {"U8", element_type::other, 8},
    {"BOOL", element_type::other, 8},        {"F8_E4M3", element_type::other, 8},
    {"F8_E5M2", element_type::other, 8},     {"F8_E8M0", element_type::other, 8},
    {"C64", element_type::other, 64},        {"F6_E2M3", element_type::other, 6},
    {"F6_E3M2", element_type::other, 6},     {"F4", element_type::other, 4},
    {"F8_E4M3FNUZ", element_type::other, 8}, {"F8_E5M2FNUZ", element_type::other, 8},
};

/// The size of elements of `bits` bits in this shape, in bytes; nothing if it overflows or is no
/// whole number.
std::optional<std::uint64_t> byte_size(const std::vector<std::int64_t>& shape, unsigned bits) {
    std::uint64_t total = bits;
    for (const std::int64_t extent : shape)
        if (__builtin_mul_overflow(total, static_cast<std::uint64_t>(extent), &total)) return {};
    if (total % 8 != 0) return {};
    return total / 8;
}

class header_reader {
public:
    header_reader(std::span<const std::byte> data, std::vector<stored_tensor>& tensors)
        : data_(data), tensors_(tensors) {}

    status read(const simdjson::dom::object& header) {
        std::set<std::string_view> names;
        for (const auto& [name, value] : header) {
            if (!names.insert(name).second)
                return data_error("names " + in_quotes(name) + " twice");
            if (name == "__metadata__") {
                CUSET_TRY(check_metadata(value));
            } else {
                CUSET_TRY(read_tensor(name, value).with_prefix("tensor " + in_quotes(name) + ": "));
            }
        }
        return check_overlaps();
    }

private:
    static status check_metadata(simdjson::dom::element value) {
        simdjson::dom::object metadata;
        if (value.get(metadata) != simdjson::SUCCESS)
            return data_error("__metadata__ is no object");
        for (const auto field : metadata) {
            if (!field.value.is_string())
                return data_error("__metadata__ " + in_quotes(field.key) + " is no string");
        }
        return {};
    }

    status read_tensor(std::string_view name, simdjson::dom::element value) {
        simdjson::dom::object fields;
        if (value.get(fields) != simdjson::SUCCESS) return data_error("is no object");
        std::string_view type_name;
        simdjson::dom::array shape, offsets;
        if (fields["dtype"].get(type_name) != simdjson::SUCCESS)
            return data_error("\"dtype\" is missing or no string");
        if (fields["shape"].get(shape) != simdjson::SUCCESS)
            return data_error("\"shape\" is missing or no array");
        if (fields["data_offsets"].get(offsets) != simdjson::SUCCESS)
            return data_error("\"data_offsets\" is missing or no array");
        const auto* type = std::find_if(std::begin(types), std::end(types),
                                        [&](const type_entry& t) { return t.name == type_name; });
        if (type == std::end(types)) return data_error("unknown dtype " + in_quotes(type_name));

        stored_tensor tensor;
        tensor.name = name;
        tensor.type = type->type;
        tensor.type_name = type_name;
        for (const auto element : shape) {
            std::int64_t extent = 0;
            if (element.get(extent) != simdjson::SUCCESS || extent < 0)
                return data_error("\"shape\" holds something that is no size");
            tensor.shape.push_back(extent);
        }
        std::uint64_t bounds[2] = {0, 0};
        std::size_t count = 0;
        for (const auto element : offsets) {
            if (count == 2 || element.get(bounds[count]) != simdjson::SUCCESS)
                return data_error("\"data_offsets\" is no pair of offsets");
            ++count;
        }
        if (count != 2) return data_error("\"data_offsets\" is no pair of offsets");
        const auto [begin, end] = std::pair(bounds[0], bounds[1]);
        if (begin > end || end > data_.size())
            return data_error("its bytes " + std::to_string(begin) + " to " + std::to_string(end) +
                              " lie outside the file's " + std::to_string(data_.size()) +
                              " bytes of data");
        const auto expected = byte_size(tensor.shape, type->bits);
        if (!expected || *expected != end - begin)
            return data_error("has " + std::to_string(end - begin) + " bytes, but " +
                              std::string(type_name) + " of shape " + shape_text(tensor.shape) +
                              " takes " +
                              (expected ? std::to_string(*expected) : "no such number"));
        tensor.bytes =
            data_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
        tensors_.push_back(std::move(tensor));
        return {};
    }

    status check_overlaps() const {
        std::vector<const stored_tensor*> sorted;
        for (const auto& tensor : tensors_)
            if (!tensor.bytes.empty()) sorted.push_back(&tensor);
        std::sort(sorted.begin(), sorted.end(),
                  [](const auto* a, const auto* b) { return a->bytes.data() < b->bytes.data(); });
        for (std::size_t i = 1; i < sorted.size(); ++i) {
            const auto& before = *sorted[i - 1];
            if (before.bytes.data() + before.bytes.size() > sorted[i]->bytes.data())
                return data_error("the bytes of tensors " + in_quotes(before.name) + " and " +
                                  in_quotes(sorted[i]->name) + " overlap");
        }
        return {};
    }

    std::span<const std::byte> data_;
    std::vector<stored_tensor>& tensors_;
};

}  // namespace

std::string_view name_of(element_type type) {
    switch (type) {
        case element_type::f32: return "F32";
        case element_type::f16: return "F16";
        case element_type::bf16: return "BF16";
        case element_type::other: break;
    }
    return "another type";
}

result<std::vector<stored_tensor>> parse_safetensors(std::span<const std::byte> file) {
    constexpr std::size_t length_size = 8;
    if (file.size() < length_size) return data_error("shorter than a safetensors header");
    std::uint64_t length = 0;
    for (std::size_t i = length_size; i-- > 0;)
        length = length << 8 | std::to_integer<std::uint64_t>(file[i]);
    if (length > file.size() - length_size)
        return data_error("the header claims " + std::to_string(length) + " bytes of a file of " +
                          std::to_string(file.size()));
    const auto header = file.subspan(length_size, static_cast<std::size_t>(length));
    simdjson::dom::parser parser;
    auto object = parse_object(parser, as_text(header));
    if (!object) return std::move(object).error().with_prefix("the header is ");
    std::vector<stored_tensor> tensors;
    header_reader reader(file.subspan(length_size + header.size()), tensors);
    CUSET_TRY(reader.read(*object));
    return tensors;
}

result<file_map> file_map::open(const std::filesystem::path& path) {
    const unique_fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat about {};
    if (!file || ::fstat(file.get(), &about) != 0) return io_error(path.string(), errno);
    if (!S_ISREG(about.st_mode)) return data_error(path.string() + ": not a regular file");
    const auto size = static_cast<std::size_t>(about.st_size);
    if (size == 0) return file_map(nullptr, 0);
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
    if (data == MAP_FAILED) return io_error(path.string(), errno);
    return file_map(static_cast<const std::byte*>(data), size);
}

file_map::file_map(file_map&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

file_map& file_map::operator=(file_map&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

file_map::~file_map() {
    if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

void file_map::release() const {
    // A refusal costs memory, no more.
    if (data_ != nullptr) ::madvise(const_cast<std::byte*>(data_), size_, MADV_DONTNEED);
}

status tensor_store::add(const std::filesystem::path& file) {
    CUSET_ASSIGN(auto map, file_map::open(file));
    auto tensors = parse_safetensors(map.bytes());
    if (!tensors) return std::move(tensors).error().with_prefix(file.string() + ": ");
    for (auto& tensor : *tensors) {
        if (!index_.emplace(tensor.name, tensors_.size()).second)
            return data_error(file.string() + ": tensor " + in_quotes(tensor.name) +
                              " is in another shard too");
        tensors_.push_back(std::move(tensor));
    }
    maps_.push_back(std::move(map));
    return {};
}

result<tensor_store> tensor_store::open_file(const std::filesystem::path& file) {
    tensor_store store;
    CUSET_TRY(store.add(file));
    return store;
}

result<tensor_store> tensor_store::open_folder(const std::filesystem::path& folder) {
    std::error_code absent;
    const auto single = folder / "model.safetensors";
    if (std::filesystem::exists(single, absent)) return open_file(single);
    const auto index_path = folder / "model.safetensors.index.json";
    if (!std::filesystem::exists(index_path, absent))
        return data_error(folder.string() +
                          ": neither model.safetensors nor model.safetensors.index.json is there");
    const std::string prefix = index_path.string() + ": ";
    CUSET_ASSIGN(auto text, file_map::open(index_path));
    simdjson::dom::parser parser;
    auto root = parse_object(parser, as_text(text.bytes()));
    if (!root) return std::move(root).error().with_prefix(prefix);
    simdjson::dom::object weight_map;
    if ((*root)["weight_map"].get(weight_map) != simdjson::SUCCESS)
        return data_error(prefix + "\"weight_map\" is missing or no object");
    std::set<std::string> shards;
    for (const auto& [name, value] : weight_map) {
        std::string_view shard;
        // A shard must be a file of this folder: a path that leads elsewhere is refused.
        if (value.get(shard) != simdjson::SUCCESS || shard.empty() ||
            shard.find('/') != shard.npos || shard.find('\0') != shard.npos)
            return data_error(prefix + "the shard of " + in_quotes(name) + " is no file name");
        shards.emplace(shard);
    }
    tensor_store store;
    for (const auto& shard : shards) {
        if (!std::filesystem::exists(folder / shard, absent))
            return data_error(prefix + "shard " + in_quotes(shard) + " is missing");
        CUSET_TRY(store.add(folder / shard));
    }
    for (const auto field : weight_map) {
        if (store.find(field.key) == nullptr)
            return data_error(prefix + "tensor " + in_quotes(field.key) + " is in no shard");
    }
    return store;
}

const stored_tensor* tensor_store::find(std::string_view name) const {
    const auto found = index_.find(std::string(name));
    return found == index_.end() ? nullptr : &tensors_[found->second];
}

std::uint64_t tensor_store::fingerprint(bool releases) const {
    std::vector<const stored_tensor*> tensors;
    for (const auto& tensor : tensors_) tensors.push_back(&tensor);
    // The order is not that of the files: the same model may be cut into shards in many ways.
    std::sort(tensors.begin(), tensors.end(),
              [](const auto* a, const auto* b) { return a->name < b->name; });
    std::uint64_t hash = 0;
    const auto mix = [&](std::uint64_t value) { hash = mixed_key(hash, value); };
    for (const stored_tensor* tensor : tensors) {
        for (const char c : tensor->name) mix(static_cast<unsigned char>(c));
        for (const std::int64_t extent : tensor->shape) mix(static_cast<std::uint64_t>(extent));
        mix(static_cast<std::uint64_t>(tensor->type));
        constexpr std::size_t looks = 64;
        for (std::size_t i = 0; i < looks && !tensor->bytes.empty(); ++i)
            mix(static_cast<std::uint64_t>(tensor->bytes[i * tensor->bytes.size() / looks]));
        if (releases) release();
    }
    return hash;
}

}  // namespace cuset

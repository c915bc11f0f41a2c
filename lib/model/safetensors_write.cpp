#include <array>
#include <cstring>
#include <utility>

#include "cuset/model/safetensors.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/output_file.h"

namespace cuset {

namespace {

std::size_t byte_count(const tensor_header& tensor) {
    std::size_t count = tensor.type == element_type::f32 ? 4 : 2;
    for (const std::int64_t extent : tensor.shape) count *= static_cast<std::size_t>(extent);
    return count;
}

std::string header_text(std::span<const tensor_header> tensors,
                        std::span<const std::pair<std::string, std::string>> metadata) {
    std::string text;
    json_writer json(text);
    json.begin_object();
    if (!metadata.empty()) {
        json.key("__metadata__").begin_object();
        for (const auto& [name, value] : metadata) json.member(name, value);
        json.end_object();
    }
    std::size_t offset = 0;
    for (const auto& tensor : tensors) {
        const std::size_t end = offset + byte_count(tensor);
        json.key(tensor.name).begin_object().member("dtype", name_of(tensor.type));
        json.key("shape").values(tensor.shape);
        json.key("data_offsets").values(std::array{offset, end}).end_object();
        offset = end;
    }
    json.end_object();
    text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the data is aligned
    return text;
}

}  // namespace

status write_safetensors(const std::filesystem::path& file, std::span<const tensor_header> tensors,
                         const std::function<std::span<const std::byte>(std::size_t)>& bytes,
                         std::span<const std::pair<std::string, std::string>> metadata) {
    CUSET_ASSIGN(auto out, output_file::open(file.string()));
    const std::string header = header_text(tensors, metadata);
    char length[8];
    for (std::size_t i = 0; i < sizeof length; ++i)
        length[i] = static_cast<char>(header.size() >> (8 * i) & 0xff);
    CUSET_TRY(out.write({length, sizeof length}));
    CUSET_TRY(out.write(header));
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const auto data = bytes(i);
        if (data.size() != byte_count(tensors[i]))
            return data_error(file.string() + ": tensor " + tensors[i].name + " has " +
                              std::to_string(data.size()) + " bytes, not its shape's " +
                              std::to_string(byte_count(tensors[i])));
        CUSET_TRY(out.write({reinterpret_cast<const char*>(data.data()), data.size()}));
    }
    return out.commit();
}

}  // namespace cuset

#include "stored_nf4.h"

#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cuset/kernels/quantised_panels.h"
#include "cuset/model/safetensors.h"
#include "targets.h"

namespace cuset::fuzz {

namespace {

constexpr std::int64_t rows = 3, columns = 50;  // 150 elements: two blocks and a part of one
constexpr std::size_t blocks = 3;

/// A tensor of the file. In what is mutated its parts are behind each other, each behind a mark, so
/// that a tensor may grow or shrink and the file's table still fits it.
struct part {
    std::string name, type, bytes;
};
constexpr std::string_view mark = "\n--\n";

std::size_t size_of(std::string_view type) { return type == "U8" ? 1 : type == "F32" ? 4 : 2; }

std::string joined(const std::vector<part>& parts) {
    std::string text;
    for (const part& p : parts)
        for (const std::string* each : {&p.name, &p.type, &p.bytes}) (text += *each) += mark;
    return text;
}

std::vector<part> parts_of(std::string_view text) {
    std::vector<std::string> words;
    for (std::size_t end = text.find(mark); end != text.npos; end = text.find(mark)) {
        words.emplace_back(text.substr(0, end));
        text.remove_prefix(end + mark.size());
    }
    std::vector<part> parts;
    for (std::size_t i = 0; i + 2 < words.size(); i += 3) {
        parts.push_back({words[i],
                         words[i + 1] == "F32"  ? "F32"
                         : words[i + 1] == "U8" ? "U8"
                                                : "BF16",
                         words[i + 2]});
        for (char& c : parts.back().name)
            if (c < ' ' || c == '"' || c == '\\' || c == 127) c = 'x';
        std::string& bytes = parts.back().bytes;
        bytes.resize(bytes.size() / size_of(parts.back().type) * size_of(parts.back().type));
    }
    return parts;
}

std::string bytes_of(const float* values, std::size_t count) {
    return {reinterpret_cast<const char*>(values), count * sizeof *values};
}

std::string file_of(const std::vector<part>& parts) {
    std::string header = "{", data;
    for (const part& p : parts) {
        if (header.size() > 1) header += ',';
        header += '"' + p.name + R"(":{"dtype":")" + p.type + R"(","shape":[)";
        header += std::to_string(p.bytes.size() / size_of(p.type)) + R"(],"data_offsets":[)";
        header += std::to_string(data.size()) + ',';
        data += p.bytes;
        header += std::to_string(data.size()) + "]}";
    }
    header += '}';
    const std::uint64_t size = header.size();
    std::string file(sizeof size, '\0');
    std::memcpy(file.data(), &size, sizeof size);
    return file + header + data;
}

std::string small_parts(bool nested) {
    std::string state = R"({"quant_type":"nf4","blocksize":64,"dtype":"bfloat16","shape":[3,50])";
    if (nested) state += R"(,"nested_blocksize":256,"nested_dtype":"float32","nested_offset":0.25)";
    state += '}';
    const float scales[blocks] = {1, 0.5F, 2};
    std::vector<part> parts = {
        {"w", "U8", std::string(rows * columns / 2, '\x7a')},
        {"w.quant_map", "F32", bytes_of(kernels::nf4_values, kernels::nf4_codes)},
        {"w.quant_state.bitsandbytes__nf4", "U8", state}};
    if (nested) {
        parts.push_back({"w.absmax", "U8", std::string(blocks, '\x90')});
        parts.push_back({"w.nested_absmax", "F32", bytes_of(scales, 1)});
        parts.push_back({"w.nested_quant_map", "F32",
                         bytes_of(kernels::dynamic_values(), kernels::dynamic_codes)});
    } else {
        parts.push_back({"w.absmax", "F32", bytes_of(scales, blocks)});
    }
    return joined(parts);
}

}  // namespace

void read_nf4_file(std::string_view bytes) {
    // The reader maps files.
    static const std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("cuset-fuzz-" + std::to_string(getpid()));
    std::ofstream(path, std::ios::binary) << file_of(parts_of(bytes));
    const auto files = tensor_store::open_file(path);
    std::filesystem::remove(path);
    if (!files || files->find("w") == nullptr) return;
    static_cast<void>(has_quant_state(*files, "w"));
    const auto read = read_stored_nf4(*files, "w", rows, columns);
    if (!read) return;
    if (read->codes.size() != (rows * columns + 1) / 2) broken("two codes share a byte");
    const bool nested = !read->absmax_codes.empty();
    if (nested && read->absmax_codes.size() != blocks)
        broken("each block has a code of its absmax");
    if (nested && read->absmax_values.size() != kernels::dynamic_codes)
        broken("each code of an absmax has a value");
    if (read->absmax.size() != (nested ? 1 : blocks)) broken("each block, or group, has an absmax");
    for (const float scale : read->absmax)
        if (!std::isfinite(scale)) broken("an accepted absmax is finite");
}

std::vector<std::string> nf4_files() { return {small_parts(false), small_parts(true)}; }

}  // namespace cuset::fuzz

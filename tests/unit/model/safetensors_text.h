// Builds safetensors files and model folders for the tests.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

/// A folder that is removed with everything in it.
class temporary_folder {
public:
    temporary_folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "cuset-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

/// The file with this header and `data_bytes` bytes of zeros after it.
inline std::string safetensors_text(std::string_view header, std::size_t data_bytes) {
    std::string out;
    for (unsigned i = 0; i < 8; ++i) out += static_cast<char>(header.size() >> (8 * i) & 255U);
    out += header;
    out.append(data_bytes, '\0');
    return out;
}

inline void write_file(const std::filesystem::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
}

inline std::span<const std::byte> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

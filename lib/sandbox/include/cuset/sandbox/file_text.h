// Small files as text, and folders.
#pragma once

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "cuset/base/fd.h"

namespace cuset {

/// Empty if the file cannot be read.
inline std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return std::move(text).str();
}

/// The first bytes of a file that others write; empty if it cannot be read.
inline std::string text_of(const std::filesystem::path& path, std::size_t most) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error) return {};
    std::string text(static_cast<std::size_t>(std::min<std::uintmax_t>(size, most)), '\0');
    std::ifstream file(path, std::ios::binary);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

/// Makes a new folder, and those above it that are missing.
inline status make_folder(const std::filesystem::path& path) {
    std::error_code error;
    if (std::filesystem::create_directories(path, error)) return {};
    return io_error(path.string(), error.value());
}

/// Writes a new file in a folder that only this process uses. Nobody sees it half written, and its
/// loss does no harm, so it is not synced.
inline status write_text(const std::filesystem::path& path, std::string_view text) {
    unique_fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file) return io_error(path.string(), errno);
    CUSET_TRY(write_all(file.get(), text, path.string()));
    return file.close(path.string());
}

}  // namespace cuset

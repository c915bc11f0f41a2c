#include "cuset/sample/fingerprint.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "cuset/base/fd.h"
#include "cuset/base/random_key.h"
#include "cuset/stream/pair_record.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t pieces = 64, piece_bytes = 4096;

status mix_file(const fs::path& path, bool whole, std::uint64_t& key) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    if (error) return io_error(path.string(), error.value());
    key = mixed_key(key, size);
    const unique_fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return io_error(path.string(), errno);
    const bool in_pieces = !whole && size > pieces * piece_bytes;
    const std::uintmax_t step = in_pieces ? (size - piece_bytes) / (pieces - 1) : piece_bytes;
    std::string bytes;
    for (std::uintmax_t at = 0; at < size; at += step) {
        bytes.resize(piece_bytes);
        const ssize_t got = ::pread(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (got < 0) return io_error(path.string(), errno);
        bytes.resize(static_cast<std::size_t>(got));
        key = mixed_key(key, fnv1a_64(bytes));
    }
    return {};
}

}  // namespace

result<std::uint64_t> fingerprint(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        const auto kind = at->path().extension();
        if (kind == ".json" || kind == ".safetensors" || kind == ".jinja")
            files.push_back(at->path());
    }
    if (error) return io_error(folder.string(), error.value());
    std::sort(files.begin(), files.end());
    std::uint64_t key = files.size();
    for (const auto& file : files) {
        key = mixed_key(key, fnv1a_64(file.filename().string()));
        CUSET_TRY(mix_file(file, file.extension() != ".safetensors", key));
    }
    return key;
}

}  // namespace cuset

// Files and lines for the tests of lib/stream.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "cuset/base/status.h"
#include "cuset/stream/input.h"
#include "cuset/stream/line_reader.h"

namespace cuset::test {

class temporary_folder {
public:
    temporary_folder() {
        std::string name = (std::filesystem::temp_directory_path() / "cuset-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;
    ~temporary_folder() { std::filesystem::remove_all(path_); }
    std::string operator/(std::string_view name) const { return path_ + '/' + std::string(name); }
    std::size_t file_count() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(path_), {}));
    }

private:
    std::string path_;
};

inline void write_file(const std::string& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A line with padding after it that would break a reader that looks at it. It is on the heap, so
/// that AddressSanitizer sees reads after the padding.
class padded_line {
public:
    explicit padded_line(std::string_view text, std::uint64_t number = 7)
        : bytes_(std::make_unique<char[]>(text.size() + line_padding)),
          line_{{bytes_.get(), text.size()}, number} {
        text.copy(bytes_.get(), text.size());
        const std::string_view junk = "\n\"}],{\\";
        for (std::size_t i = 0; i < line_padding; ++i)
            bytes_[text.size() + i] = junk[i % junk.size()];
    }
    const line& get() const { return line_; }

private:
    std::unique_ptr<char[]> bytes_;
    line line_;
};

/// All of an input, read in pieces of at most `piece` bytes.
inline result<std::string> drain(input& in, std::size_t piece = 4096) {
    std::string all;
    std::string buffer(piece, '\0');
    for (;;) {
        CUSET_ASSIGN(const std::size_t n, in.read(buffer));
        if (n == 0) return all;
        all.append(buffer, 0, n);
    }
}

inline result<std::string> drain_file(const std::string& path, std::size_t piece = 4096) {
    CUSET_ASSIGN(input in, input::open(path));
    return drain(in, piece);
}

}  // namespace cuset::test

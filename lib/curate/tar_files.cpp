#include "tar_files.h"

#include <algorithm>
#include <charconv>

namespace cuset {

namespace {

constexpr std::size_t block = 512;
constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;

std::string text_field(const std::string& header, std::size_t at, std::size_t size) {
    const std::string field = header.substr(at, size);
    return field.substr(0, field.find('\0'));
}

/// Octal digits, or GNU's binary form; nothing for another text.
std::optional<std::uint64_t> number_field(const std::string& header, std::size_t at,
                                          std::size_t size) {
    std::uint64_t number = 0;
    if (static_cast<unsigned char>(header[at]) == 0x80) {
        for (std::size_t i = at + size - 8; i < at + size; ++i)
            number = number << 8 | static_cast<unsigned char>(header[i]);
        return number;
    }
    std::string digits = text_field(header, at, size);
    digits.erase(0, digits.find_first_not_of(' '));
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number, 8);
    if (read.ec != std::errc() || (*read.ptr != '\0' && *read.ptr != ' ')) return {};
    return number;
}

bool has_right_sum(const std::string& header) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < block; ++i)
        sum += static_cast<unsigned char>(i >= 148 && i < 156 ? ' ' : header[i]);
    return number_field(header, 148, 8) == sum;
}

std::uint64_t padded(std::uint64_t bytes) { return (bytes + block - 1) / block * block; }

/// The value of "path" in a pax header: lines "LENGTH KEY=VALUE".
std::string pax_path(const std::string& records) {
    std::string path;
    for (std::size_t at = 0; at < records.size();) {
        std::size_t length = 0;
        const char* begin = records.data() + at;
        const auto read = std::from_chars(begin, records.data() + records.size(), length);
        if (read.ec != std::errc() || length == 0 || length > records.size() - at) break;
        const std::string record = records.substr(at, length);
        constexpr std::string_view key = " path=";
        const std::size_t value = record.find(' ');
        if (value != record.npos && record.compare(value, key.size(), key) == 0 &&
            record.size() > value + key.size())
            path = record.substr(value + key.size(), record.size() - value - key.size() - 1);
        at += length;
    }
    return path;
}

}  // namespace

result<bool> tar_files::read(std::string& out, std::size_t bytes) {
    out.resize(bytes);
    for (std::size_t done = 0; done < bytes;) {
        CUSET_ASSIGN(const std::size_t got,
                     in_.read(std::span<char>(out.data() + done, bytes - done)));
        if (got == 0 && done == 0) return false;
        if (got == 0) return data_error(in_.name() + ": the archive is cut");
        done += got;
    }
    return true;
}

status tar_files::skip(std::uint64_t bytes) {
    std::string ignored;
    while (bytes > 0) {
        const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, 1 << 16));
        CUSET_ASSIGN(const bool more, read(ignored, some));
        if (!more) return data_error(in_.name() + ": the archive is cut");
        bytes -= some;
    }
    return {};
}

result<std::optional<tar_file>> tar_files::next() {
    std::string long_name, header;
    for (;;) {
        CUSET_ASSIGN(const bool more, read(header, block));
        // Two blocks of zeros are the end; an archive without them is cut.
        if (!more) return data_error(in_.name() + ": the archive is cut, or none");
        if (header.find_first_not_of('\0') == header.npos) {
            // What is behind the end is read, so that a compressed stream's checksum is checked.
            for (;;) {
                CUSET_ASSIGN(const bool rest, read(header, 1));
                if (!rest) return std::optional<tar_file>();
            }
        }
        if (!has_right_sum(header)) return data_error(in_.name() + ": no tar archive, or broken");
        auto size = number_field(header, 124, 12);
        if (!size) return data_error(in_.name() + ": a size of the archive is no number");
        const char kind = header[156];
        const bool is_name = kind == 'L' || kind == 'x';
        const bool is_file = kind == '0' || kind == '\0';
        if ((!is_name && !is_file) || (is_name && *size > most_bytes)) {
            CUSET_TRY(skip(padded(*size)));
            long_name.clear();
            continue;
        }
        tar_file file;
        file.is_too_large = *size > most_bytes;
        if (file.is_too_large) {
            CUSET_TRY(skip(padded(*size)));
            size = 0;
        }
        if (*size > 0) {
            CUSET_ASSIGN(const bool whole,
                         read(file.content, static_cast<std::size_t>(padded(*size))));
            if (!whole) return data_error(in_.name() + ": the archive is cut");
        }
        file.content.resize(static_cast<std::size_t>(*size));
        if (is_name) {
            long_name = kind == 'x' ? pax_path(file.content) : text_field(file.content, 0, *size);
            continue;
        }
        file.path = text_field(header, 0, 100);
        const bool is_ustar = header.compare(257, 6, std::string("ustar\0", 6)) == 0;
        if (const auto prefix = text_field(header, 345, 155); is_ustar && !prefix.empty())
            file.path = prefix + '/' + file.path;
        if (!long_name.empty()) file.path = long_name;
        return std::optional(std::move(file));
    }
}

}  // namespace cuset

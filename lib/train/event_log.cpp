#include "cuset/train/event_log.h"

#include <fcntl.h>
#include <simdjson.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdint>

namespace cuset {

namespace {

static_assert(std::endian::native == std::endian::little);

template <class Number>
std::string bytes_of(Number number) {
    const auto bytes = std::bit_cast<std::array<char, sizeof number>>(number);
    return {bytes.data(), bytes.size()};
}

/// CRC-32C (Castagnoli), bit by bit: a record has some hundred bytes.
std::uint32_t crc_of(std::string_view text) {
    std::uint32_t crc = ~std::uint32_t{0};
    for (const char c : text) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
    }
    return ~crc;
}

std::string masked_crc(std::string_view text) {
    return bytes_of(std::rotr(crc_of(text), 15) + 0xa282ead8u);
}

std::string varint(std::uint64_t value) {
    std::string text;
    for (; value >= 0x80; value >>= 7) text += static_cast<char>(value | 0x80);
    return text + static_cast<char>(value);
}

enum class wire : std::uint64_t { varint = 0, eight_bytes = 1, bytes = 2, four_bytes = 5 };

std::string key(std::uint64_t field, wire type) {
    return varint(field << 3 | static_cast<std::uint64_t>(type));
}

std::string message(std::uint64_t field, std::string_view bytes) {
    std::string text = key(field, wire::bytes) + varint(bytes.size());
    return text.append(bytes);
}

/// An Event begins so: wall_time = 1, step = 2.
std::string event_at(std::uint64_t step) {
    const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
    return key(1, wire::eight_bytes) + bytes_of(now.count()) + key(2, wire::varint) + varint(step);
}

bool is_count(std::string_view name) {
    return name == "current_steps" || name == "total_steps" || name == "percentage";
}

}  // namespace

result<event_log> event_log::create(const std::filesystem::path& folder, std::size_t first_step) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return io_error(folder.string(), error.value());
    event_log log;
    // Readers take the files of a folder in the order of their names.
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
    std::string name = "events.out.tfevents.";
    name += std::to_string(time);
    name += '.';
    name += std::to_string(::getpid());
    name += ".cuset";
    log.path_ = folder / name;
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC;
    log.file_ = unique_fd(::open(log.path_.c_str(), flags, 0666));
    if (!log.file_) return io_error(log.path_.string(), errno);
    // file_version = 3.
    CUSET_TRY(log.append_event(event_at(0) + message(3, "brain.Event:2")));
    // session_log = 7 {status = 1: START = 1}.
    const std::string start = key(1, wire::varint) + varint(1);
    CUSET_TRY(log.append_event(event_at(first_step) + message(7, start)));
    return log;
}

status event_log::append(std::string_view line) {
    simdjson::dom::parser parser;
    simdjson::dom::object members;
    std::uint64_t step = 0;
    if (parser.parse(line.data(), line.size()).get(members) || members["current_steps"].get(step))
        return data_error(path_.string() + ": a line without a step");
    std::string values;
    for (const auto member : members) {
        double value = 0;
        if (is_count(member.key) || member.value.get(value)) continue;
        const bool is_held_out = member.key.starts_with("eval_");
        std::string tag = is_held_out ? "eval/" : "train/";
        tag += member.key.substr(is_held_out ? 5 : 0);
        // Summary.value = 1 {tag = 1, simple_value = 2}.
        const std::string figure =
            message(1, tag) + key(2, wire::four_bytes) + bytes_of(static_cast<float>(value));
        values += message(1, figure);
    }
    // summary = 5.
    return append_event(event_at(step) + message(5, values));
}

status event_log::append_event(const std::string& event) {
    const std::string length = bytes_of(static_cast<std::uint64_t>(event.size()));
    std::string record = length + masked_crc(length);
    record += event;
    record += masked_crc(event);
    return write_all(file_.get(), record, path_.string());
}

}  // namespace cuset

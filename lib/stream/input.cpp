#include "cuset/stream/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "decoder.h"
#include "tables.h"

namespace cuset {
namespace {

constexpr std::size_t buffer_size = 256 * 1024;

}  // namespace

struct input::state {
    status open();
    void close();
    result<std::size_t> read_raw(std::span<char> out);
    status fill();
    status sniff();
    status open_table(table_form form);
    result<std::size_t> read_rows(std::span<char> out);
    std::span<const char> waiting() const { return std::span(buffer).subspan(begin, end - begin); }
    result<std::size_t> decompress(std::span<char> out);
    std::uint64_t position() const { return raw_bytes - (end - begin); }

    std::string path;                // empty for standard input
    std::vector<std::string> parts;  // of a folder of datasets
    std::string name;
    unique_fd fd;  // from the first read to the end
    file_identity identity;
    int interrupt = -1;
    std::vector<char> buffer;
    std::size_t begin = 0, end = 0;  // the raw bytes not yet used
    bool at_end = false;             // read(2) has returned 0
    bool sniffed = false;
    std::uint64_t frames = 0;           // of the decoder, begun
    std::unique_ptr<decoder> decoding;  // null for plain bytes
    std::unique_ptr<row_source> rows;   // of a table
    std::string row_text;               // made of them, read from row_begin on
    std::size_t row_begin = 0;
    std::uint64_t block_begin = 0;  // the raw position of the compressed block that is given out
    std::size_t given = 0;          // bytes of what it holds
    std::uint64_t raw_bytes = 0;
    std::uint64_t raw_total = 0;
};

input::input(std::unique_ptr<state> s) : state_(std::move(s)) {}
input::input(input&&) noexcept = default;
input& input::operator=(input&&) noexcept = default;
input::~input() = default;

result<input> input::open(const std::string& path) {
    auto s = std::make_unique<state>();
    if (path == "-") {
        s->name = "standard input";
        if (::isatty(STDIN_FILENO) == 1)
            return usage_error("standard input is a terminal: name a FILE or pipe records in");
    } else {
        s->name = s->path = path;
    }
    struct stat info {};
    if (path == "-" ? ::fstat(STDIN_FILENO, &info) != 0 : ::stat(path.c_str(), &info) != 0)
        return io_error(s->name, errno);
    if (S_ISDIR(info.st_mode)) {
        if (!is_data_set(path)) return io_error(s->name, EISDIR);
        auto parts = files_of_data_set(path);
        if (!parts) return std::move(parts).error().with_prefix(s->name + ": ");
        s->parts = std::move(parts).value();
        for (const std::string& part : s->parts) {
            struct stat of_part {};
            if (::stat(part.c_str(), &of_part) != 0) return io_error(part, errno);
            s->raw_total += static_cast<std::uint64_t>(of_part.st_size);
        }
    }
    if (path != "-" && ::access(path.c_str(), R_OK) != 0) return io_error(s->name, errno);
    s->identity = {info.st_dev, info.st_ino, S_ISREG(info.st_mode), S_ISFIFO(info.st_mode), {}};
    if (S_ISREG(info.st_mode)) s->raw_total = static_cast<std::uint64_t>(info.st_size);
    return input(std::move(s));
}

status input::state::open() {
    fd = unique_fd(path.empty() ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) return io_error(name, errno);
    static_cast<void>(::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_SEQUENTIAL));
    buffer.resize(buffer_size);
    return {};
}

// Releases everything at the end, when read() has nothing more to return.
void input::state::close() {
    fd.reset();
    buffer = {};
    begin = end = 0;
    decoding.reset();
    rows.reset();
    row_text = {};
}

result<std::size_t> input::state::read_raw(std::span<char> out) {
    if (interrupt >= 0 && !wait_readable(fd.get(), interrupt))
        return status(error_kind::io, name + ": reading was interrupted");
    CUSET_ASSIGN(const std::size_t n, read_some(fd.get(), out, name));
    at_end = n == 0;
    raw_bytes += n;
    return n;
}

// Reads more raw bytes behind those that wait.
status input::state::fill() {
    if (begin == end) begin = end = 0;
    if (end == buffer.size()) {
        std::copy(buffer.begin() + static_cast<std::ptrdiff_t>(begin), buffer.end(),
                  buffer.begin());
        end -= std::exchange(begin, 0);
    }
    CUSET_ASSIGN(const std::size_t n, read_raw(std::span(buffer).subspan(end)));
    end += n;
    return {};
}

status input::state::sniff() {
    const auto needs_more = [this] {
        const auto bytes = waiting();
        return (bytes.size() < decoder::magic_size && may_start_compressed(bytes)) ||
               (bytes.size() < table_magic_size && may_start_table(bytes));
    };
    while (!at_end && needs_more()) CUSET_TRY(fill());
    sniffed = true;
    if (const auto table = table_form_of(waiting())) return open_table(*table);
    if (const auto form = cut_magic(waiting()); at_end && !form.empty())
        return data_error(name + ": truncated " + std::string(form) + " stream");
    const bool is_zstd = starts_zstd(waiting());
    if (!is_zstd && !starts_gzip(waiting())) return {};
    decoding = is_zstd ? make_zstd_decoder() : make_gzip_decoder();
    return decoding ? status() : io_error(name, ENOMEM);
}

status input::state::open_table(table_form form) {
    if (!identity.is_regular)
        return data_error(name + ": " + std::string(name_of(form)) +
                          " in a pipe: it is read from a file only");
    auto opened = open_rows({"/proc/self/fd/" + std::to_string(fd.get())}, form);
    if (!opened) return std::move(opened).error().with_prefix(name + ": ");
    rows = std::move(opened).value();
    return {};
}

result<std::size_t> input::state::read_rows(std::span<char> out) {
    while (row_begin == row_text.size()) {
        row_text.clear();
        row_begin = 0;
        auto more = rows->next(row_text);
        if (!more) return std::move(more).error().with_prefix(name + ": ");
        raw_bytes = rows->position();
        if (!*more) {
            at_end = true;
            return std::size_t{0};
        }
    }
    const std::size_t n = row_text.copy(out.data(), out.size(), row_begin);
    row_begin += n;
    return n;
}

result<std::size_t> input::state::decompress(std::span<char> out) {
    const auto form = [this] { return std::string(decoding->name()) + " stream"; };
    for (;;) {
        const bool between = !decoding->is_inside_frame() && !decoding->output_waits();
        while (between && begin < end && frames > 0 && decoding->is_padding(buffer[begin])) ++begin;
        if (begin == end && !decoding->output_waits()) {
            if (!at_end) {
                CUSET_TRY(fill());
                continue;
            }
            if (decoding->is_inside_frame()) return data_error(name + ": truncated " + form());
            return std::size_t{0};
        }
        if (between) {
            while (!at_end && end - begin < decoder::magic_size) CUSET_TRY(fill());
            if (!decoding->begins(waiting()))
                return data_error(name + ": corrupt " + form() +
                                  ": no frame where the next begins");
            ++frames;
        }
        std::span<const char> in = waiting();
        auto made = decoding->decode(in, out);
        if (!made) return std::move(made).error().with_prefix(name + ": ");
        if (in.size() < end - begin) {  // a block was begun
            block_begin = position();
            given = 0;
        }
        begin = end - in.size();
        given += *made;
        if (*made > 0) return made;
    }
}

result<std::size_t> input::read(std::span<char> out) {
    state& s = *state_;
    if (!s.sniffed && !s.parts.empty()) {
        auto opened = open_rows(s.parts, table_form::arrow_stream);
        if (!opened) return std::move(opened).error().with_prefix(s.name + ": ");
        s.rows = std::move(opened).value();
        s.sniffed = true;
    }
    if (!s.sniffed) {
        CUSET_TRY(s.open());
        CUSET_TRY(s.sniff());
    }
    if (s.rows) {
        CUSET_ASSIGN(const std::size_t n, s.read_rows(out));
        if (n == 0) s.close();
        return n;
    }
    if (s.decoding) {
        CUSET_ASSIGN(const std::size_t n, s.decompress(out));
        if (n == 0) s.close();
        return n;
    }
    if (s.begin < s.end) {
        const std::size_t n = std::min(out.size(), s.end - s.begin);
        std::memcpy(out.data(), s.buffer.data() + s.begin, n);
        s.begin += n;
        return n;
    }
    if (!s.at_end) {
        CUSET_ASSIGN(const std::size_t n, s.read_raw(out));
        if (n > 0) return n;
    }
    s.close();
    return std::size_t{0};
}

void input::set_interrupt(int event) { state_->interrupt = event; }

bool input::is_readable_now() const {
    const state& s = *state_;
    // A partial block may wait in the buffer with nothing to give; then a read would block
    // although this says true only if whole blocks come late, which costs a delay, never data.
    return s.begin < s.end || s.rows || !s.fd || (s.decoding && s.decoding->output_waits()) ||
           s.at_end || !s.sniffed || cuset::is_readable_now(s.fd.get());
}

file_identity input::identity() const { return state_->identity; }
const std::string& input::name() const { return state_->name; }

std::uint64_t input::bytes_consumed() const {
    const state& s = *state_;
    if (s.rows) return s.raw_bytes;
    if (!s.decoding || !s.decoding->output_waits()) return s.position();
    // The decoder has taken a block whole, and hands it out piece by piece.
    constexpr std::size_t largest_block = 128 * 1024;
    const auto share = std::min(1.0, static_cast<double>(s.given) / largest_block);
    const auto size = static_cast<double>(s.position() - s.block_begin);
    return s.block_begin + static_cast<std::uint64_t>(share * size);
}

std::uint64_t input::bytes_total() const { return state_->raw_total; }

}  // namespace cuset

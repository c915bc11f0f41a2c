#include "cuset/stream/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace cuset {
namespace {

constexpr std::size_t buffer_size = 256 * 1024;

constexpr std::size_t magic_size = 4;

bool starts_zstd(std::span<const char> bytes) {
    if (bytes.size() < magic_size) return false;
    std::uint32_t magic = 0;
    std::memcpy(&magic, bytes.data(), sizeof magic);
    return magic == ZSTD_MAGICNUMBER ||
           (magic & ZSTD_MAGIC_SKIPPABLE_MASK) == ZSTD_MAGIC_SKIPPABLE_START;
}

// Whether these bytes, fewer than a magic number, could become one. No record begins so, and a
// short line must not wait for the bytes behind it.
bool may_start_zstd(std::span<const char> bytes) {
    return bytes.empty() || bytes[0] == static_cast<char>(ZSTD_MAGICNUMBER & 0xFF) ||
           (bytes[0] & 0xF0) == (ZSTD_MAGIC_SKIPPABLE_START & 0xF0);
}

}  // namespace

struct input::state {
    status open();
    void close();
    result<std::size_t> read_raw(std::span<char> out);
    status fill();
    status sniff();
    result<std::size_t> decompress(std::span<char> out);

    std::string path;  // empty for standard input
    std::string name;
    unique_fd fd;  // from the first read to the end
    file_identity identity;
    int interrupt = -1;
    std::vector<char> buffer;
    std::size_t begin = 0, end = 0;  // the raw bytes not yet used
    bool at_end = false;             // read(2) has returned 0
    bool sniffed = false;
    std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context{nullptr, ZSTD_freeDCtx};
    bool inside_frame = false;
    bool output_waits = false;  // the decoder holds bytes that did not fit
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
    if (S_ISDIR(info.st_mode)) return io_error(s->name, EISDIR);
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
    context.reset();
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
    const auto bytes = [this] { return std::span(buffer).subspan(begin, end - begin); };
    while (!at_end && bytes().size() < magic_size && may_start_zstd(bytes())) CUSET_TRY(fill());
    sniffed = true;
    // "(" alone, or "(µ", is no record: a frame was cut within its first four bytes.
    const std::uint32_t magic = ZSTD_MAGICNUMBER;
    if (!bytes().empty() && bytes().size() < magic_size &&
        std::memcmp(bytes().data(), &magic, bytes().size()) == 0)
        return data_error(name + ": truncated zstd stream");
    if (bytes().size() >= 2 && bytes()[0] == '\x1f' && bytes()[1] == '\x8b')
        return data_error(name + ": gzip is not read: pipe it through zcat");
    if (starts_zstd(bytes())) {
        context.reset(ZSTD_createDCtx());
        if (!context) return io_error(name, ENOMEM);
    }
    return {};
}

result<std::size_t> input::state::decompress(std::span<char> out_bytes) {
    for (;;) {
        if (begin == end && !output_waits) {
            if (!at_end) CUSET_TRY(fill());
            if (at_end) {
                if (inside_frame) return data_error(name + ": truncated zstd stream");
                return std::size_t{0};
            }
        }
        if (!inside_frame && !output_waits) {
            while (!at_end && end - begin < magic_size) CUSET_TRY(fill());
            if (!starts_zstd(std::span(buffer).subspan(begin, end - begin)))
                return data_error(name + ": corrupt zstd stream: no frame where the next begins");
            inside_frame = true;
        }
        ZSTD_inBuffer in{buffer.data(), end, begin};
        ZSTD_outBuffer out{out_bytes.data(), out_bytes.size(), 0};
        const std::size_t hint = ZSTD_decompressStream(context.get(), &out, &in);
        if (ZSTD_getErrorCode(hint) == ZSTD_error_frameParameter_windowTooLarge)
            return data_error(name + ": compressed with a zstd window of more than 128 MiB");
        if (ZSTD_isError(hint))
            return data_error(name + ": corrupt zstd stream: " + ZSTD_getErrorName(hint));
        begin = in.pos;
        inside_frame = hint != 0;
        output_waits = inside_frame && out.pos == out.size;
        if (out.pos > 0) return out.pos;
    }
}

result<std::size_t> input::read(std::span<char> out) {
    state& s = *state_;
    if (!s.sniffed) {
        CUSET_TRY(s.open());
        CUSET_TRY(s.sniff());
    }
    if (s.context) {
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
    // A partial zstd block may wait in the buffer with nothing to give; then a read would block
    // although this says true only if whole blocks come late, which costs a delay, never data.
    return s.begin < s.end || s.output_waits || s.at_end || !s.sniffed ||
           cuset::is_readable_now(s.fd.get());
}

file_identity input::identity() const { return state_->identity; }
const std::string& input::name() const { return state_->name; }
std::uint64_t input::bytes_consumed() const { return state_->raw_bytes; }
std::uint64_t input::bytes_total() const { return state_->raw_total; }

}  // namespace cuset

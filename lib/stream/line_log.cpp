#include "cuset/stream/line_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "cuset/base/log.h"
#include "cuset/stream/output_file.h"
#include "opened_stream.h"

namespace cuset {

namespace {

constexpr std::string_view zstd_magic = "\x28\xb5\x2f\xfd";

/// The offset after the last newline.
result<off_t> end_of_whole_lines(int file, const std::string& name) {
    off_t end = ::lseek(file, 0, SEEK_END);
    for (std::array<char, 4096> bytes; end > 0;) {
        const off_t begin = std::max<off_t>(0, end - static_cast<off_t>(bytes.size()));
        const auto size = static_cast<std::size_t>(end - begin);
        const ssize_t got = ::pread(file, bytes.data(), size, begin);
        if (got != static_cast<ssize_t>(size)) return io_error(name, got < 0 ? errno : EIO);
        const std::size_t at = std::string_view(bytes.data(), size).rfind('\n');
        if (at != std::string_view::npos) return begin + static_cast<off_t>(at) + 1;
        end = begin;
    }
    return end;
}

/// Counts the newlines before `end`.
status count_lines(int file, off_t end, const std::string& name, std::uint64_t& lines) {
    std::array<char, 65536> bytes;
    for (off_t at = 0; at < end;) {
        const auto wanted =
            static_cast<std::size_t>(std::min<off_t>(end - at, static_cast<off_t>(bytes.size())));
        const ssize_t got = ::pread(file, bytes.data(), wanted, at);
        if (got <= 0) return io_error(name, got < 0 ? errno : EIO);
        lines += static_cast<std::uint64_t>(std::count(bytes.data(), bytes.data() + got, '\n'));
        at += got;
    }
    return {};
}

}  // namespace

status for_lines(const std::vector<std::string>& paths, const line_log::visitor& visit,
                 std::size_t longest_line) {
    CUSET_ASSIGN(auto inputs, open_inputs(paths));
    constexpr std::size_t batch_bytes = 256 * 1024;
    line_reader lines(std::move(inputs), batch_bytes, longest_line);
    for (line_batch batch;;) {
        CUSET_ASSIGN(const bool more, lines.next(batch));
        if (!more) return {};
        for (const line& l : batch.lines)
            CUSET_TRY(visit(l, place_of(lines.source(batch.source), l)));
    }
}

result<line_log> line_log::open(const std::string& path, std::string_view beginning,
                                const visitor& visit, std::size_t longest_line) {
    line_log made;
    made.name_ = path;
    made.file_ = unique_fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (!made.file_) return io_error(path, errno);
    if (!identify(made.file_.get()).is_regular)
        return usage_error(path + " is no plain file, and a run could not go on from it");
    if (::flock(made.file_.get(), LOCK_EX | LOCK_NB) != 0)
        return usage_error(path + ": another run writes to it");
    std::array<char, 4> first{};
    if (::pread(made.file_.get(), first.data(), first.size(), 0) == 4 &&
        std::string_view(first.data(), 4) == zstd_magic)
        return usage_error(path + " is compressed: lines are appended to plain text");
    // The open end is cut only from a file whose whole lines are ours.
    CUSET_ASSIGN(const off_t whole, end_of_whole_lines(made.file_.get(), path));
    struct stat about {};
    if (::fstat(made.file_.get(), &about) != 0) return io_error(path, errno);
    std::string open(beginning.size(), '\0');
    const ssize_t got = ::pread(made.file_.get(), open.data(), open.size(), whole);
    if (got < 0) return io_error(path, errno);
    open.resize(static_cast<std::size_t>(got));
    if (!beginning.starts_with(open))
        return usage_error(path + " is not the file of an earlier run: its last line is of another kind");
    std::uint64_t lines = 0;
    CUSET_TRY(count_lines(made.file_.get(), whole, path, lines));
    const auto visit_whole = [&](const line& l, const std::string& place) {
        return l.number <= lines ? visit(l, place) : status();
    };
    CUSET_TRY(for_lines({path}, visit_whole, longest_line));
    if (about.st_size == whole) return made;
    log(log_level::note, path + ": its last line was cut off and is dropped");
    if (::ftruncate(made.file_.get(), whole) != 0) return io_error(path, errno);
    return made;
}

status line_log::sync() {
    if (::fsync(file_.get()) != 0) return io_error(name_, errno);
    return {};
}

}  // namespace cuset

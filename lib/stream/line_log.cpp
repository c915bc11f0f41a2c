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
#include "decoder.h"
#include "opened_stream.h"

namespace cuset {

namespace {

/// A file's lines that end with a newline: how many there are, and where the last one ends.
struct whole_lines {
    std::uint64_t count = 0;
    off_t end = 0;
};

result<whole_lines> find_whole_lines(int file, const std::string& name) {
    whole_lines found;
    std::array<char, 65536> bytes;
    for (off_t at = 0;;) {
        const ssize_t got = ::pread(file, bytes.data(), bytes.size(), at);
        if (got < 0) return io_error(name, errno);
        if (got == 0) return found;
        const std::string_view text(bytes.data(), static_cast<std::size_t>(got));
        found.count += static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
        if (const std::size_t last = text.rfind('\n'); last != text.npos)
            found.end = at + static_cast<off_t>(last) + 1;
        at += got;
    }
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
    do {
        made.file_ = unique_fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
        if (!made.file_) return io_error(path, errno);
        if (!identify(made.file_.get()).is_regular)
            return usage_error(path + " is no plain file, and a run could not go on from it");
        if (::flock(made.file_.get(), LOCK_EX | LOCK_NB) != 0)
            return usage_error(path + ": another run writes to it");
        // A run that has just ended may have replaced the file before this one had the lock.
    } while (!identify(made.file_.get()).is_same_file(identify(path)));
    std::array<char, 4> first{};
    const ssize_t begun = ::pread(made.file_.get(), first.data(), first.size(), 0);
    if (begun == 4 && (starts_zstd(first) || starts_gzip(first)))
        return usage_error(path + " is compressed: lines are appended to plain text");
    if (begun > 0 && first[0] == '[')
        return data_error(path + ":1: a JSON array, to which no lines can be appended");
    // The open end is cut only from a file whose whole lines are ours.
    CUSET_ASSIGN(const whole_lines whole, find_whole_lines(made.file_.get(), path));
    struct stat about {};
    if (::fstat(made.file_.get(), &about) != 0) return io_error(path, errno);
    std::string open(beginning.size(), '\0');
    const ssize_t got = ::pread(made.file_.get(), open.data(), open.size(), whole.end);
    if (got < 0) return io_error(path, errno);
    open.resize(static_cast<std::size_t>(got));
    if (!beginning.starts_with(open))
        return usage_error(path +
                           " is not the file of an earlier run: its last line is of another kind");
    const auto visit_whole = [&](const line& l, const std::string& place) {
        return l.number <= whole.count ? visit(l, place) : status();
    };
    CUSET_TRY(for_lines({path}, visit_whole, longest_line));
    if (about.st_size == whole.end) return made;
    log(log_level::note, path + ": its last line was cut off and is dropped");
    if (::ftruncate(made.file_.get(), whole.end) != 0) return io_error(path, errno);
    return made;
}

status line_log::keep(const std::function<bool(const line& l)>& wanted, std::size_t longest_line) {
    CUSET_ASSIGN(output_file kept, output_file::open(name_));
    const auto copy = [&](const line& l, const std::string&) -> status {
        if (!wanted(l)) return {};
        CUSET_TRY(kept.write(l.text));
        return kept.write("\n");
    };
    CUSET_TRY(for_lines({name_}, copy, longest_line));
    return kept.commit();
}

status line_log::sync() {
    if (::fsync(file_.get()) != 0) return io_error(name_, errno);
    return {};
}

}  // namespace cuset

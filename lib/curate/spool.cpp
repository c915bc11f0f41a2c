#include "cuset/curate/spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace cuset {

namespace {
constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
}

result<spool> spool::make() {
    std::error_code failed;
    const std::string folder = std::filesystem::temp_directory_path(failed).string();
    if (failed) {
        const char* const named = std::getenv("TMPDIR");
        return io_error("the folder of temporary files, " + std::string(named ? named : "$TMPDIR"),
                        failed.value());
    }
    // Not O_TMPFILE, which some file systems lack.
    std::string path = folder + "/cuset-curate-XXXXXX";
    unique_fd file(::mkostemp(path.data(), O_CLOEXEC));
    if (!file) return io_error(path, errno);
    ::unlink(path.c_str());
    return spool(std::move(file), "a temporary file in " + folder);
}

status spool::flush() {
    CUSET_TRY(write_all(file_.get(), waiting_, name_));
    written_ += waiting_.size();
    waiting_.clear();
    return {};
}

result<std::uint64_t> spool::append(std::string_view bytes) {
    const std::uint64_t offset = size();
    waiting_ += bytes;
    if (waiting_.size() >= buffer_bytes) CUSET_TRY(flush());
    return offset;
}

status spool::read(std::uint64_t offset, std::size_t bytes, std::string& out) {
    if (!waiting_.empty()) CUSET_TRY(flush());
    out.resize(bytes);
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t count = ::pread(file_.get(), out.data() + done, bytes - done,
                                      static_cast<off_t>(offset + done));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return io_error(name_, errno);
        if (count == 0) return io_error(name_ + ": cut", EIO);
        done += static_cast<std::size_t>(count);
    }
    return {};
}

}  // namespace cuset

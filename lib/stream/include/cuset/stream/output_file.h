// Where bytes go: standard output, or a file that appears only when it is whole.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"

namespace cuset {

/// A file's identity, to refuse an output that is also an input. Regular files only.
struct file_identity {
    dev_t device = 0;
    ino_t inode = 0;
    bool is_regular = false;
    bool is_same_file(const file_identity& other) const {
        return is_regular && other.is_regular && device == other.device && inode == other.inode;
    }
};

/// Identity of an open descriptor; of a path that exists not, one that equals nothing.
file_identity identify(int fd);
file_identity identify(const std::string& path);

/// A destination for bytes.
/// - "-": standard output.
/// - anything that is no regular file (/dev/null, a FIFO, /dev/stdout in a pipe): written to
///   directly, never replaced.
/// - a path that names nothing, or a regular file: bytes go to a temporary file beside it, and
///   commit() fsyncs and renames, so that a reader never sees half a file. A symbolic link is
///   followed: the file it names is replaced, not the link. An existing file's mode is kept.
/// Destroyed without commit(), it removes its temporary file; so does a SIGINT, SIGTERM, SIGHUP or
/// SIGPIPE.
class output_file {
public:
    static result<output_file> open(const std::string& path);

    output_file(output_file&& other) noexcept;
    output_file& operator=(output_file&&) = delete;
    ~output_file();

    status write(std::string_view bytes) { return write_all(fd_.get(), bytes, name_); }
    /// Makes the file whole and visible under its name. Reports a full disk, also on stdout.
    status commit();

    /// What messages call it: the path, or "standard output".
    const std::string& name() const { return name_; }
    bool is_terminal() const;
    file_identity identity() const;
    /// True where both would end up as one file, be it there already or not.
    bool is_same_destination(const output_file& other) const;
    /// False for a file that appears with commit(): nobody sees it before.
    bool is_visible_while_written() const { return temporary_path_.empty(); }

private:
    output_file() = default;

    unique_fd fd_;
    std::string name_;
    std::string final_path_;  // after symbolic links; empty where written to directly
    std::string temporary_path_;
};

/// Makes the renames in a folder last through a crash. Some file systems refuse to sync a folder;
/// the bytes of the files are safe all the same, so that is no error.
void sync_folder(const std::string& folder);

/// A small file, whole or not at all: open, write, commit.
status write_whole_file(const std::string& path, std::string_view bytes);

}  // namespace cuset

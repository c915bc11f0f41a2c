// Where bytes go: standard output, or a file that appears only when it is whole.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"

namespace cuset {

/// Tells one file from another, to refuse an output that is also an input or another output.
/// Regular files, pipes, and files that are not there yet; anything else equals nothing.
struct file_identity {
    dev_t device = 0;
    ino_t inode = 0;
    bool is_regular = false, is_pipe = false;
    std::string new_name;  ///< of a file that is not there: device and inode are its folder's
    bool is_same_file(const file_identity& other) const;
};

file_identity identify(int fd);
/// Symbolic links are followed.
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
    /// Of the file under its name, not of the temporary one.
    file_identity identity() const;
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

// The destination of bytes: standard output, or a file that appears only when it is whole.
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

/// The identity of an open descriptor or a path.
file_identity identify(int fd);
/// Symbolic links are followed.
file_identity identify(const std::string& path);

/// A destination for bytes.
/// - "-": standard output.
/// - no regular file (/dev/null, a FIFO, /dev/stdout in a pipe): written to directly, never
///   replaced.
/// - a regular file, or a path that does not exist: bytes go to a temporary file beside it, and
///   commit() fsyncs and renames, so that a reader never sees half a file. A symbolic link is
///   followed: the file that it names is replaced, not the link. An existing file keeps its mode.
/// Without commit(), the destructor removes the temporary file; so does a SIGINT, SIGTERM, SIGHUP
/// or SIGPIPE.
class output_file {
public:
    static result<output_file> open(const std::string& path);

    output_file(output_file&& other) noexcept;
    output_file& operator=(output_file&&) = delete;
    ~output_file();

    status write(std::string_view bytes) { return write_all(fd_.get(), bytes, name_); }
    /// Makes the file whole and visible under its name. Reports a full disk, on stdout too.
    status commit();

    /// The name in messages: the path, or "standard output".
    const std::string& name() const { return name_; }
    bool is_terminal() const;
    /// Identifies the file under its final name, not the temporary one.
    file_identity identity() const;
    /// False for a file that appears only with commit(): nobody sees its bytes before.
    bool is_visible_while_written() const { return temporary_path_.empty(); }

private:
    output_file() = default;

    unique_fd fd_;
    std::string name_;
    std::string final_path_;  // after symbolic links; empty if written to directly
    std::string temporary_path_;
};

/// Whether a file of this name is the temporary one of an output_file for `final_name`. A process
/// that is killed leaves such a file.
bool is_temporary_name(std::string_view name, std::string_view final_name);

/// Makes the renames in a folder survive a crash. Some file systems refuse to sync a folder; that
/// is no error, since the bytes of the files are safe.
void sync_folder(const std::string& folder);

/// Writes a small file whole or not at all: open, write, commit.
status write_whole_file(const std::string& path, std::string_view bytes);

}  // namespace cuset

// A process that outlives this one by a moment, and ends the programs that this one runs. Private
// to lib/sandbox.
//
// bubblewrap ends together with its starter, but only once the whole sandbox exists. Before that,
// the end of one of its two processes leaves the other waiting for ever; the watchdog ends both.
#pragma once

#include <sys/types.h>

#include "cuset/base/status.h"

namespace cuset {

class watchdog {
public:
    /// The watchdog of this process, which the first call starts. It ends with this process,
    /// however that ends. It then kills the process groups that were added and not removed: at once
    /// or, if they are `gentle`, by SIGTERM and five seconds later by SIGKILL.
    static result<const watchdog*> of_this_process();

    /// Adds the calling process, a child that leads its group. It makes one system call and nothing
    /// else, so that it may be called between fork and exec.
    void add_self(bool gentle) const;
    void remove(pid_t group) const;

private:
    explicit watchdog(int pipe) : pipe_(pipe) {}
    int pipe_;  // the watchdog reads the other end, and sees when the last copy is closed
};

}  // namespace cuset

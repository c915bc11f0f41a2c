// A process that outlives this one by a moment, to end what this one runs. Private to lib/judge.
//
// bubblewrap ends with whoever started it, once all of a sandbox is made. Before, the end of one of
// its two processes leaves the other waiting for ever; the keeper ends both.
#pragma once

#include <sys/types.h>

#include "cuset/base/status.h"

namespace cuset {

class keeper {
public:
    /// The one of this process, which is started with the first call. It ends with this process,
    /// however that ends, and kills the process groups that were added and not removed: by SIGTERM
    /// and five seconds later by SIGKILL where they are `gentle`, else at once.
    static result<const keeper*> of_this_process();

    /// Adds the calling process, a child that leads its group. A system call and nothing else, so
    /// that it can stand between fork and exec.
    void add_self(bool gentle) const;
    void remove(pid_t group) const;

private:
    explicit keeper(int told) : told_(told) {}
    int told_;  // the keeper reads its other end, and sees that of all copies the last is closed
};

}  // namespace cuset

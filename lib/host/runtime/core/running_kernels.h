// Which kernels run when the program's time has ended. The evaluator asks before it ends the
// program: launches leave their names in memory, where they cost next to nothing.
#pragma once

#include <atomic>

#include "cuset_host/threads/execution.h"

namespace cuset_host {

/// A place for the launch that runs; several threads of the host may launch.
struct running_place {
    std::atomic<const char*> kernel{nullptr};
    std::atomic<int> line{0};
};

/// While one lives, the kernel of that launch runs.
class running_kernel {
public:
    explicit running_kernel(const site& at);
    ~running_kernel();
    running_kernel(const running_kernel&) = delete;
    running_kernel& operator=(const running_kernel&) = delete;

private:
    running_place* place_ = nullptr;
};

/// Answers what the evaluator asks over the channel. To be called once, when it is sealed.
void answer_questions(int channel);

}  // namespace cuset_host

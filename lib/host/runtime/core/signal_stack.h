// A stack for signal handlers: the faulting code may have run out of its own stack.
#pragma once

namespace cuset_host {

/// For the calling OS thread; kept until the program ends.
void watch_stack_of_this_thread();

}  // namespace cuset_host

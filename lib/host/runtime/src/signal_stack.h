// A stack for signal handlers: the one of the code that faulted may be what has run out.
#pragma once

namespace cuset_host {

/// For the calling OS thread; kept until the program ends.
void watch_stack_of_this_thread();

}  // namespace cuset_host

// Where the GPU driver's libraries are, for programs that see little of the machine.
#pragma once

#include "cuset/sandbox/sandbox.h"

namespace cuset {

/// Lets the request's program find libcuda.so.1 where only this process's LD_LIBRARY_PATH leads to
/// it, as in some containers: mounts its folder, if that is not below /usr, and names it in the
/// program's LD_LIBRARY_PATH. Adds nothing where no folder of LD_LIBRARY_PATH holds it.
void add_driver_folder(sandbox_request& request);

}  // namespace cuset

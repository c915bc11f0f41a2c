// What belongs to a pool of memory (pools.cpp).
#pragma once

namespace cuset_host {

/// Notes that it is given back to its pool, if it has one.
void leave_pool(void* p);

}  // namespace cuset_host

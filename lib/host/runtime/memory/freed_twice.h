// What --check says of memory, a stream or an event that is given back for a second time. CUDA
// returns an error there at best, and by then the address may be another's.
#pragma once

#include <mutex>
#include <set>

#include "checks/checks.h"
#include "cuset_host/device_memory.h"

#ifdef CUSET_HOST_CHECK
#include <string>

#include "checks/finding_words.h"
#include "cuset_host/faults.h"
#endif

namespace cuset_host {

/// For a call that could not free `p`: ends a checked program if that was done before. `pc` is
/// where the call comes back to.
inline void look_at_second_free([[maybe_unused]] const char* call, [[maybe_unused]] const void* p,
                                [[maybe_unused]] const void* pc) {
#ifdef CUSET_HOST_CHECK
    allocation known;
    if (find_allocation(p, known) || !find_nearest(p, known) ||
        known.begin != reinterpret_cast<std::uintptr_t>(p))
        return;
    fail("use_after_free", "host code, line " + std::to_string(checks::line_of(pc)) + ": " + call +
                               " of the " + checks::bytes_text(known.bytes) + " of allocation " +
                               std::to_string(known.number) + ", which has been freed");
#endif
}

/// Handles that were given out. What is destroyed twice would else end the program anywhere.
template <class T>
class live_handles {
public:
    T* made(T* handle) {
        const std::lock_guard lock(mutex_);
        destroyed_.erase(handle);
        live_.insert(handle);
        return handle;
    }
    /// False if it is not there. A checked program ends if it was destroyed before.
    bool ends(T* handle, [[maybe_unused]] const char* call, [[maybe_unused]] const void* pc) {
        const std::lock_guard lock(mutex_);
        if (live_.erase(handle) != 0) {
            if (checks::are_on) destroyed_.insert(handle);
            return true;
        }
#ifdef CUSET_HOST_CHECK
        if (destroyed_.count(handle) != 0)
            fail("use_after_free", "host code, line " + std::to_string(checks::line_of(pc)) + ": " +
                                       call + " of what has been destroyed");
#endif
        return false;
    }

private:
    std::mutex mutex_{};
    std::set<T*> live_{}, destroyed_{};
};

}  // namespace cuset_host

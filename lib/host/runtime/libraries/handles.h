// What the handles and descriptors of cuBLAS, cuSOLVER and cuSPARSE do alike. Each library
// names its statuses for wrong arguments in codes<Status>.
#pragma once

#include "cuset_host/library_work.h"

namespace cuset_host {

/// Its `no_handle` and `bad_value` are the library's statuses for such arguments. Success is 0 in
/// all of them: Status{}.
template <class Status>
struct codes;

/// Makes what a handle or a descriptor leads to.
template <class Status, class T>
Status create(T** made) {
    if (made == nullptr) return codes<Status>::bad_value;
    *made = new T{};
    return Status{};
}
/// Deletes it. `if_null` is the status where there is none.
template <class Status, class T>
Status destroy(T* made, Status if_null = codes<Status>::no_handle) {
    if (made == nullptr) return if_null;
    delete made;
    return Status{};
}

/// Gives a value to where the program wants it.
template <class Status, class T, class V>
Status give(T* to, const V& value) {
    if (to == nullptr) return codes<Status>::bad_value;
    *to = value;
    return Status{};
}

/// Runs work() as a kernel in the handle's stream. `is_bad`: whether another argument is wrong.
template <class Status, class Context, class Work>
Status run_on_device(Context* h, bool is_bad, const Work& work) {
    if (h == nullptr) return codes<Status>::no_handle;
    if (is_bad) return codes<Status>::bad_value;
    const library_kernel running(h->stream);
    work();
    return Status{};
}

/// Defines the calls that set and give a member of a library's handle: prefixSetName(h, value) and
/// prefixGetName(h, &value).
#define CUSET_HOST_SETTING(prefix, Name, Status, Handle, T, member) \
    Status prefix##Set##Name(Handle h, T value) {                   \
        if (h == nullptr) return codes<Status>::no_handle;          \
        h->member = value;                                          \
        return Status{};                                            \
    }                                                               \
    Status prefix##Get##Name(Handle h, T* value) {                  \
        if (h == nullptr) return codes<Status>::no_handle;          \
        return give<Status>(value, h->member);                      \
    }

}  // namespace cuset_host

// Passes input on to a program that runs. Private to lib/sandbox.
#pragma once

#include <poll.h>

#include <string>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"
#include "cuset/sandbox/sandbox.h"

namespace cuset {

class input_feed {
public:
    /// `to`: a pipe to the program, which never blocks; empty: the program's input is.
    input_feed(const live_streams& streams, unique_fd to)
        : from_(streams.input), copy_(streams.input_copy), to_(std::move(to)) {}

    /// What it waits for: more input or, where some is left, room in the pipe. Its descriptor is
    /// negative once all was passed on.
    pollfd waits_for() const;

    /// To be called when that has come. An error is one of writing the copy.
    status pass_on();

private:
    int from_, copy_;
    unique_fd to_;
    std::string left_;  // was read, and not passed on
};

}  // namespace cuset

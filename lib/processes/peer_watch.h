// Which of a run's processes still live. Private to lib/processes.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

/// A thread that gives a sign of this process's life, and looks for those of the others, twice a
/// second: also while the process computes, writes or waits. It speaks through the run's store, on
/// a connection of its own, and whoever asks here never waits for the network: where a machine is
/// off or a cable is cut, no packet tells it, and a request to the store has no answer for a
/// quarter of an hour.
///
/// A process is lost if it has given no sign for `silence`, or if it has ended where others still
/// wait for it. The one that serves the store is also lost if the store has not answered for
/// `silence`. A process that stands still (SIGSTOP) gives no sign. One that stands still together
/// with the others does no harm, since time in which this process stands still counts for at most a
/// second.
///
/// All that can reach the store give the same reason, that of the first which found one lost: a
/// process that ends for this reason gives no sign either, and is not the lost one.
class peer_watch {
public:
    /// `names[r]` is what messages call process r, and `server` what they call the store's. Call it
    /// when all processes have called announce().
    peer_watch(const c10::intrusive_ptr<c10d::Store>& store, std::size_t rank,
               std::vector<std::string> names, std::string server, std::chrono::seconds silence);
    peer_watch(const peer_watch&) = delete;
    peer_watch& operator=(const peer_watch&) = delete;
    /// Tells the others that this process ends, and waits, for some seconds at most, until they do
    /// too or know why: process 0 may serve the store, and the others' connections to this process
    /// may be in use.
    ~peer_watch();

    static void announce(c10d::Store& store, std::size_t rank);

    /// error_kind::io, which names the lost process. Call it only while others still have to take
    /// part in something. After an error the same one always comes.
    status check();
    /// The same if a connection between processes broke: its end has probably ended, so that three
    /// seconds without a sign will do. Waits for that long; success if none is lost.
    status find_lost();

private:
    struct state;
    std::shared_ptr<state> state_;  // the thread's too, which may never get its answer
    std::thread thread_;
};

}  // namespace cuset

// Streams whose work is done behind the host's code, as a device does it.
//
// Elsewhere each operation of a stream is done at once, in the call: programs are faster so, and
// always do the same. Such a program cannot go on if its work waits for what the host does later: a
// kernel that polls a flag, a host function that waits for a condition. The runtime says so to the
// evaluator, which runs the program again with asynchronous streams (settings.h). Then each stream
// has a thread of the system that does its work in order, and legacy and blocking streams wait for
// each other as CUDA's do.
#pragma once

#include <cstdint>
#include <memory>

#include "graphs.h"

namespace cuset_host {

/// Whether the program's streams are asynchronous, whatever thread asks.
bool program_has_asynchronous_streams();
/// Whether the calling thread does the work of a stream.
bool is_stream_work();

/// If streams are asynchronous for the calling thread (streams_are_asynchronous() of execution.h:
/// it is the host's, and not one that does their work), hands the work to the stream's thread:
/// true. An error that it returns is that of the next call that waits.
bool do_behind(cudaStream_t stream, graph_work work);

/// While one lives, the calling thread does work as a stream's thread does.
class work_in_place {
public:
    work_in_place();
    ~work_in_place();
    work_in_place(const work_in_place&) = delete;
    work_in_place& operator=(const work_in_place&) = delete;

private:
    bool outer_;
};

class stream_queue;

/// All that was given to a stream up to some moment.
class stream_mark {
public:
    stream_mark() = default;  ///< nothing
    stream_mark(std::shared_ptr<stream_queue> queue, std::uint64_t count)
        : queue_(std::move(queue)), count_(count) {}
    bool is_done() const;
    void wait() const;

private:
    std::shared_ptr<stream_queue> queue_;
    std::uint64_t count_ = 0;
};

/// What the stream has been given so far.
stream_mark mark_of(cudaStream_t stream);

// Each does nothing where streams are not asynchronous. They return an error of work that is done,
// or that of a lost device (lost_device.h).

/// Waits for the stream; for a legacy default stream, for all blocking ones too.
cudaError_t wait_for_stream(cudaStream_t stream);
cudaError_t wait_for_all_streams();
/// Whether all of it is done.
bool is_idle(cudaStream_t stream);
/// Does the work in its turn of the stream, or at once, and returns its error: for work that tells
/// something in the call.
cudaError_t do_in_stream(cudaStream_t stream, graph_work work);
/// Waits for a copy in the stream if one of its ends is pageable memory of the host, which CUDA may
/// read or write in the call alone.
cudaError_t wait_for_pageable(cudaStream_t stream, const void* to, const void* from);
/// A copy as captured_or_done() makes it, with that wait.
template <class Work>
cudaError_t copy_in_stream(cudaStream_t stream, const void* to, const void* from,
                           const Work& work) {
    const cudaError_t error = captured_or_done(stream, cudaGraphNodeTypeMemcpy, work);
    const cudaError_t later = wait_for_pageable(stream, to, from);
    return error != cudaSuccess ? error : set_error(later);
}
/// The same of what copy(true) does and copy(false) only looks at: a device tells in the call what
/// is wrong with a copy, and does not give it to the stream.
template <class Copy>
cudaError_t checked_copy_in_stream(cudaStream_t stream, const void* to, const void* from,
                                   const Copy& copy) {
    if (streams_are_asynchronous() && !is_capturing(stream))
        if (const cudaError_t error = copy(false); error != cudaSuccess) return set_error(error);
    return copy_in_stream(stream, to, from, [copy] { return copy(true); });
}
/// Those that wait for streams go on, since the device is lost.
void wake_who_waits_for_streams();
/// What streams have not begun is not done any more, and nobody waits for the rest.
void drop_stream_work();
/// Lets the stream end when its work is done.
void forget_stream(cudaStream_t stream);

/// From here on streams are not asynchronous: the program works on device memory in host code.
void keep_streams_in_turn();

/// Tells the evaluator that the program may do otherwise with asynchronous streams.
void asks_for_asynchronous_streams();
/// The same of a program that waits for what the host does later; ends it.
[[noreturn]] void needs_asynchronous_streams();

/// For the work of a stream that waits for what others do: lets them go on, if they can.
void let_others_go_on();

/// While one lives, a function of the host is called from a stream: if it does not come back within
/// seconds, it may wait for what the host does later.
class host_call_watch {
public:
    host_call_watch();
    ~host_call_watch();
    host_call_watch(const host_call_watch&) = delete;
    host_call_watch& operator=(const host_call_watch&) = delete;
};

}  // namespace cuset_host

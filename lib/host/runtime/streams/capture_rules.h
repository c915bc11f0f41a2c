// What may not be done while a stream is being captured. A call that is refused returns one of
// these errors, and the captures that it disturbs have failed; the rules are those of the
// programming guide, "Prohibited and Unhandled Operations", and of
// cudaThreadExchangeStreamCaptureMode().
#pragma once

#include <mutex>

#include "cuset_host/cuda_types.h"

namespace cuset_host {

/// Whoever begins, ends or looks through captures holds it, since any thread may do so.
std::mutex& captures_mutex();

/// While one lives, the calling thread does what was given to a stream or a graph before, or parts
/// of another call: nothing of it is refused.
class inside_call {
public:
    inside_call();
    ~inside_call();
    inside_call(const inside_call&) = delete;
    inside_call& operator=(const inside_call&) = delete;

private:
    bool outer_;
};

// Each returns cudaSuccess where nothing is to be refused.

/// For a call that waits for the whole device, whatever the mode.
cudaError_t refused_by_capture();
/// For a call that waits for this stream, or asks whether its work is done.
cudaError_t refused_by_capture(cudaStream_t stream);
/// For a call that may hide something from a capture, such as cudaMalloc(): it depends on the modes
/// of the capture and of the calling thread.
cudaError_t unsafe_in_capture();
/// For a call that gives work to the stream. The legacy default stream takes none while a blocking
/// stream is being captured, and no stream does whose capture has failed.
cudaError_t refused_by_stream(cudaStream_t stream);
/// For a call that gives work to the legacy default stream and waits for it, such as cudaMemcpy().
cudaError_t refused_copy();

}  // namespace cuset_host

// A device that is lost to a kernel's fault: with asynchronous streams the program goes on, and all
// calls that concern the device return the error from then on, until cudaDeviceReset().
#pragma once

#include "cuset_host/cuda_types.h"

namespace cuset_host {

/// If the program is to go on after a fault of the kernel that the calling thread runs, notes the
/// error, tells the evaluator "lost KIND: …" and stays here for good; else returns. A handler of a
/// signal may call it.
void lose_device(cudaError_t error, const char* kind, const char* what);
/// Stays here for good if the device is lost, or was reset since: for what would wait in vain.
void stop_if_device_is_lost(unsigned resets_before);

bool device_is_lost();
/// For a call that meets it: the error, or cudaSuccess. cudaGetLastError() tells it from then on.
cudaError_t lost_device_error();
/// The error if a call has met it.
cudaError_t error_that_was_met();
/// The device works again. Of a kernel that runs still, nothing is heard any more.
void reset_device();
unsigned device_resets();

}  // namespace cuset_host

// The runtime API: streams and events. Each operation is done at once, so all are in order, but for
// asynchronous streams.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "asynchronous_streams.h"
#include "cuset_host/cuda_types.h"
#include "cuset_host/threads/execution.h"
#include "device/device_model.h"
#include "graphs.h"
#include "memory/freed_twice.h"
#include "races/races.h"

using namespace cuset_host;

namespace {

/// When an event was reached, which its stream may tell when the event is no more.
struct event_record {
    bool recorded = false;
    std::chrono::steady_clock::time_point at{};
};

}  // namespace

struct CUevent_st {
    unsigned flags = 0;
    bool is_recorded = false;  ///< outside of captures
    std::shared_ptr<event_record> last = std::make_shared<event_record>();
    stream_mark mark{};  ///< where streams are asynchronous
    capture_state capture{};
};

static constexpr int greatest_priority = -5;

static live_handles<CUstream_st>& streams() {
    static auto& made = *new live_handles<CUstream_st>;
    return made;
}
static live_handles<CUevent_st>& events() {
    static auto& made = *new live_handles<CUevent_st>;
    return made;
}

static std::map<std::pair<cudaStream_t, int>, cudaStreamAttrValue>& attributes() {
    static auto& made = *new std::map<std::pair<cudaStream_t, int>, cudaStreamAttrValue>;
    return made;
}
static void forget_attributes(cudaStream_t stream) {
    auto& all = attributes();
    for (auto each = all.begin(); each != all.end();)
        each = each->first.first == stream ? all.erase(each) : std::next(each);
}
static bool has_priority(cudaStream_t stream) {
    return stream != nullptr && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
}

unsigned long long next_stream_id() {
    static std::atomic<unsigned long long> last{2};
    return ++last;
}

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    const bool is_known = flags == cudaStreamDefault || flags == cudaStreamNonBlocking;
    if (stream == nullptr || !is_known) return set_error(cudaErrorInvalidValue);
    reach_device();
    if (const cudaError_t error = error_that_was_met(); error != cudaSuccess)
        return set_error(error);
    *stream = streams().made(new CUstream_st{flags, std::clamp(priority, greatest_priority, 0)});
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    if (!streams().ends(stream, "cudaStreamDestroy", __builtin_return_address(0)))
        return set_error(cudaErrorInvalidResourceHandle);
    leave_capture(stream);
    forget_stream(stream);
    forget_attributes(stream);
    delete stream;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (const cudaError_t error = refused_by_capture(stream); error != cudaSuccess)
        return set_error(error);
    return set_error(wait_for_stream(stream));
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    asks_for_asynchronous_streams();
    if (const cudaError_t error = refused_by_capture(stream); error != cudaSuccess)
        return set_error(error);
    // It is an answer, and no error that cudaGetLastError tells.
    return is_idle(stream) ? set_error(wait_for_stream(stream)) : cudaErrorNotReady;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    if (event == nullptr) return set_error(cudaErrorInvalidResourceHandle);
    if (const cudaError_t error = refused_by_stream(stream); error != cudaSuccess)
        return set_error(error);
    if ((flags & cudaEventWaitExternal) == 0 ||
        !capture_external_event(stream, cudaGraphNodeTypeWaitEvent, event)) {
        cudaError_t error = cudaSuccess;
        if (!join_capture(stream, event->capture, event->is_recorded, error)) {
            races::event_awaited(stream, event);
            do_behind(stream, [mark = event->mark] {
                mark.wait();
                return cudaSuccess;
            });
        }
        if (error != cudaSuccess) return set_error(error);
    }
    return set_error(error_that_was_met());
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    *priority = stream == nullptr ? 0 : stream->priority;
    return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    *flags = stream == nullptr ? 0 : stream->flags;
    return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t, int* number) {
    if (number == nullptr) return set_error(cudaErrorInvalidValue);
    *number = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
    if (id == nullptr) return set_error(cudaErrorInvalidValue);
    *id = stream == cudaStreamPerThread                     ? 2
          : stream == nullptr || stream == cudaStreamLegacy ? 1
                                                            : stream->id;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = greatest_priority;
    return cudaSuccess;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void*, std::size_t, unsigned) {
    return set_error(refused_by_capture(stream));  // no graph has such a node
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t call, void* data,
                                  unsigned flags) {
    if (call == nullptr || flags != 0) return set_error(cudaErrorInvalidValue);
    if (const cudaError_t error = refused_by_capture(stream); error != cudaSuccess)
        return set_error(error);
    const auto work = [=] {
        const host_call_watch calls;
        call(stream, cudaSuccess, data);
        return cudaSuccess;
    };
    if (do_behind(stream, work)) return cudaSuccess;
    const races::stream_work in_turn(stream);
    return work();
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t call, void* data) {
    if (call == nullptr) return set_error(cudaErrorInvalidValue);
    if (const cudaError_t error = refused_by_stream(stream); error != cudaSuccess)
        return set_error(error);
    const auto work = [=] {
        const host_call_watch calls;
        call(data);
        return cudaSuccess;
    };
    if (captured(stream, cudaGraphNodeTypeHost, work)) return set_error(error_that_was_met());
    const races::stream_work in_turn(stream);
    return work();
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    constexpr unsigned known =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    const bool is_shared_and_timed =
        (flags & cudaEventInterprocess) != 0 && (flags & cudaEventDisableTiming) == 0;
    if (event == nullptr || (flags & ~known) != 0 || is_shared_and_timed)
        return set_error(cudaErrorInvalidValue);
    *event = events().made(new CUevent_st);
    (*event)->flags = flags;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    if (event == nullptr) return set_error(cudaErrorInvalidResourceHandle);
    if (const cudaError_t error = refused_by_stream(stream); error != cudaSuccess)
        return set_error(error);
    if (capture_event(event->capture, stream)) return cudaSuccess;
    event->is_recorded = true;
    const auto work = [last = event->last = std::make_shared<event_record>()] {
        last->recorded = true;
        last->at = std::chrono::steady_clock::now();
        return cudaSuccess;
    };
    races::event_recorded(event, stream);
    if (!do_behind(stream, work)) return work();
    event->mark = mark_of(stream);
    return set_error(error_that_was_met());
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    if (event != nullptr && (flags & cudaEventRecordExternal) != 0 &&
        capture_external_event(stream, cudaGraphNodeTypeEventRecord, event))
        return cudaSuccess;
    return cudaEventRecord(event, stream);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    if (event == nullptr) return set_error(cudaErrorInvalidResourceHandle);
    if (is_captured(event->capture)) return set_error(cudaErrorCapturedEvent);
    races::host_waits_for(event);
    event->mark.wait();
    return set_error(lost_device_error());
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
    if (event == nullptr) return set_error(cudaErrorInvalidResourceHandle);
    asks_for_asynchronous_streams();
    if (is_captured(event->capture)) return set_error(cudaErrorCapturedEvent);
    if (const cudaError_t error = unsafe_in_capture(); error != cudaSuccess)
        return set_error(error);
    races::host_waits_for(event);
    return event->mark.is_done() ? set_error(lost_device_error()) : cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
    if (milliseconds == nullptr) return set_error(cudaErrorInvalidValue);
    if (begin == nullptr || end == nullptr ||
        ((begin->flags | end->flags) & cudaEventDisableTiming) != 0)
        return set_error(cudaErrorInvalidResourceHandle);
    if (is_captured(begin->capture) || is_captured(end->capture))
        return set_error(cudaErrorCapturedEvent);
    if (!begin->mark.is_done() || !end->mark.is_done()) return set_error(cudaErrorNotReady);
    if (!begin->last->recorded || !end->last->recorded)
        return set_error(cudaErrorInvalidResourceHandle);
    *milliseconds =
        std::chrono::duration<float, std::milli>(end->last->at - begin->last->at).count();
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    if (!events().ends(event, "cudaEventDestroy", __builtin_return_address(0)))
        return set_error(cudaErrorInvalidResourceHandle);
    delete event;
    return cudaSuccess;
}

// Attributes change how soon and where work is done, not what it does: they are only kept.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID id,
                                   const cudaStreamAttrValue* value) {
    if (value == nullptr) return set_error(cudaErrorInvalidValue);
    if (id == cudaLaunchAttributePriority && has_priority(stream))
        stream->priority = std::clamp(value->priority, greatest_priority, 0);
    attributes()[{stream, static_cast<int>(id)}] = *value;
    return cudaSuccess;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID id,
                                   cudaStreamAttrValue* value) {
    if (value == nullptr) return set_error(cudaErrorInvalidValue);
    const auto found = attributes().find({stream, static_cast<int>(id)});
    *value = {};
    if (id == cudaLaunchAttributeSynchronizationPolicy) value->syncPolicy = cudaSyncPolicyAuto;
    if (found != attributes().end()) *value = found->second;
    if (id == cudaLaunchAttributePriority && has_priority(stream))
        value->priority = stream->priority;
    return cudaSuccess;
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    const auto all = attributes();
    for (const auto& [key, value] : all)
        if (key.first == from) attributes()[{to, key.second}] = value;
    return cudaSuccess;
}

}  // extern "C"

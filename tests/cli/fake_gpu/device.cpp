#include "device.h"

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include "cupti.h"

namespace {

std::recursive_mutex mutex;
std::uint64_t now = 1000;  // ns
std::map<int, std::uint64_t> ends;  // of streams
std::vector<CUpti_Activity> records;
on_call_function on_call = nullptr;
on_request_function on_request = nullptr;
on_complete_function on_complete = nullptr;

/// As CUDA's driver at its first call.
void load_library() {
    static const bool once = [] {
        if (const char* path = std::getenv("CUDA_INJECTION64_PATH"))
            if (void* library = dlopen(path, RTLD_NOW))
                if (void* start = dlsym(library, "InitializeInjection"))
                    reinterpret_cast<int (*)()>(start)();
        return true;
    }();
    static_cast<void>(once);
}

void tell(CUpti_CallbackId call, CUpti_ApiCallbackSite site) {
    CUresult result = CUDA_SUCCESS;
    const CUpti_CallbackData data{site, &result};
    if (on_call != nullptr) on_call(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, call, &data);
}

void work(CUpti_ActivityKind kind, std::uint8_t copy, int stream, std::uint64_t nanoseconds) {
    const std::lock_guard lock(mutex);
    load_library();
    const std::uint64_t start = std::max(now, ends[stream]);
    ends[stream] = start + nanoseconds;
    now += 10;
    records.push_back({kind, copy, 0, start, ends[stream]});
    if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
        tell(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_API_EXIT);
}

}  // namespace

extern "C" {

void fake_kernel(int stream, std::uint64_t nanoseconds) {
    work(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 0, stream, nanoseconds);
}
void fake_fill(int stream, std::uint64_t nanoseconds) {
    work(CUPTI_ACTIVITY_KIND_MEMSET, 0, stream, nanoseconds);
}
void fake_transfer(int stream, std::uint64_t nanoseconds) {
    work(CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, stream, nanoseconds);
}
void fake_wait() {
    const std::lock_guard lock(mutex);
    for (const auto& [stream, end] : ends) now = std::max(now, end);
}
void fake_reset() {
    const std::lock_guard lock(mutex);
    tell(CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2, CUPTI_API_ENTER);
    records.clear();
    tell(CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2, CUPTI_API_EXIT);
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, on_call_function f, void*) {
    on_call = f;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                CUpti_CallbackId) {
    return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(on_request_function r, on_complete_function c) {
    on_request = r;
    on_complete = c;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind) { return CUPTI_SUCCESS; }
CUptiResult cuptiActivityFlushAll(std::uint32_t) {
    if (on_request == nullptr) return CUPTI_SUCCESS;
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, most = 0;
    on_request(&buffer, &size, &most);
    std::size_t valid = 0;
    for (CUpti_Activity record : records) {
        if (record.end > now) record.end = 0;  // it still runs
        std::memcpy(buffer + valid, &record, sizeof record);
        valid += sizeof record;
    }
    records.clear();
    on_complete(nullptr, 0, buffer, size, valid);
    return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid,
                                       CUpti_Activity** record) {
    auto* const next = *record == nullptr ? reinterpret_cast<CUpti_Activity*>(buffer) : *record + 1;
    if (reinterpret_cast<std::uint8_t*>(next) >= buffer + valid) return 1;
    *record = next;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
    *dropped = 0;
    return CUPTI_SUCCESS;
}
}

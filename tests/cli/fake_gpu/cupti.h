// The part of CUPTI that cuset's libraries call, for a device of its own clock (device.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#define CUPTIAPI
using CUresult = int;
using CUptiResult = int;
using CUcontext = void*;
using CUpti_SubscriberHandle = void*;
using CUpti_CallbackId = std::uint32_t;
enum { CUDA_SUCCESS = 0, CUPTI_SUCCESS = 0 };
enum CUpti_CallbackDomain { CUPTI_CB_DOMAIN_DRIVER_API = 1 };
enum CUpti_ApiCallbackSite { CUPTI_API_ENTER, CUPTI_API_EXIT };
struct CUpti_CallbackData {
    CUpti_ApiCallbackSite callbackSite;
    void* functionReturnValue;
};
enum : CUpti_CallbackId {
    CUPTI_DRIVER_TRACE_CBID_cuLaunch = 1,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset,
    CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2,
    CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy,
    CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2
};
enum CUpti_ActivityKind {
    CUPTI_ACTIVITY_KIND_MEMCPY = 1,
    CUPTI_ACTIVITY_KIND_MEMSET = 2,
    CUPTI_ACTIVITY_KIND_KERNEL = 3,
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL = 10,
    CUPTI_ACTIVITY_KIND_MEMCPY2 = 22
};
enum {
    CUPTI_ACTIVITY_MEMCPY_KIND_HTOD = 1,
    CUPTI_ACTIVITY_MEMCPY_KIND_DTOH = 2,
    CUPTI_ACTIVITY_MEMCPY_KIND_ATOA = 5,
    CUPTI_ACTIVITY_MEMCPY_KIND_ATOD = 6,
    CUPTI_ACTIVITY_MEMCPY_KIND_DTOA = 7,
    CUPTI_ACTIVITY_MEMCPY_KIND_DTOD = 8
};
enum { CUPTI_ACTIVITY_FLAG_FLUSH_FORCED = 1 };
struct CUpti_Activity {
    CUpti_ActivityKind kind;
    std::uint8_t copyKind;
    std::uint64_t bytes, start, end;
};
struct CUpti_ActivityKernel9 : CUpti_Activity {};
struct CUpti_ActivityMemcpy5 : CUpti_Activity {};
struct CUpti_ActivityMemcpyPtoP4 : CUpti_Activity {};
struct CUpti_ActivityMemset4 : CUpti_Activity {};

using on_call_function = void (*)(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*);
using on_request_function = void (*)(std::uint8_t**, std::size_t*, std::size_t*);
using on_complete_function = void (*)(CUcontext, std::uint32_t, std::uint8_t*, std::size_t,
                                      std::size_t);
extern "C" {
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, on_call_function, void*);
CUptiResult cuptiEnableCallback(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                CUpti_CallbackId);
CUptiResult cuptiActivityRegisterCallbacks(on_request_function, on_complete_function);
CUptiResult cuptiActivityEnable(CUpti_ActivityKind);
CUptiResult cuptiActivityFlushAll(std::uint32_t);
CUptiResult cuptiActivityGetNextRecord(std::uint8_t*, std::size_t, CUpti_Activity**);
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t*);
}

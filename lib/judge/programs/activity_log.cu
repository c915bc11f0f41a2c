#include <cupti.h>
#include <sys/syscall.h>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
// Nothing that the program could replace by a function of its own stands between a record and the
// channel: system calls are made here, and memory comes from the kernel.
namespace {
long system_call(long number, long a, long b, long c, long d = 0, long e = 0, long f = 0) {
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
// A line that is made of words and numbers.
struct line {
    char text[96];
    std::size_t size = 0;
    line& word(const char* s) {
        while (*s != '\0') text[size++] = *s++;
        return *this;
    }
    line& number(std::uint64_t n) {
        char digits[20];
        int count = 0;
        do digits[count++] = static_cast<char>('0' + n % 10);
        while ((n /= 10) != 0);
        text[size++] = ' ';
        while (count > 0) text[size++] = digits[--count];
        return *this;
    }
    void send() {
        text[size++] = '\n';
        for (std::size_t sent = 0; sent < size;) {
            const long n = system_call(SYS_write, CUSET_CHANNEL, reinterpret_cast<long>(text + sent),
                                       static_cast<long>(size - sent));
            if (n == -4) continue;  // interrupted
            if (n <= 0) return;
            sent += static_cast<std::size_t>(n);
        }
    }
};
std::atomic<std::uint64_t> launches{0}, graphs{0}, dropped{0};
std::atomic<bool> has_ended{false};
constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

bool ends_context(CUpti_CallbackId call) {
    return call == CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset ||
           call == CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2 ||
           call == CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy ||
           call == CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2;
}
// Forced: a kernel that still runs gets a record, whose end is 0.
void flush() { cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED); }

void CUPTIAPI on_call(void*, CUpti_CallbackDomain, CUpti_CallbackId call, const void* data) {
    const auto* made = static_cast<const CUpti_CallbackData*>(data);
    if (ends_context(call)) {  // cudaDeviceReset(), with which records are lost
        if (made->callbackSite == CUPTI_API_ENTER) flush();
        return;
    }
    if (made->callbackSite != CUPTI_API_EXIT) return;
    if (*static_cast<const CUresult*>(made->functionReturnValue) != CUDA_SUCCESS) return;
    const bool is_graph = call == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch ||
                          call == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz;
    ++(is_graph ? graphs : launches);
    if (has_ended) line().word("activity late").send();
}
const CUpti_CallbackId calls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunch, CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset,
    CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2, CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy,
    CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2};

void tell(const CUpti_Activity* record) {
    switch (record->kind) {
        case CUPTI_ACTIVITY_KIND_KERNEL:
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
            // Newer records begin alike.
            const auto* k = reinterpret_cast<const CUpti_ActivityKernel9*>(record);
            line().word("activity kernel").number(k->start).number(k->end).send();
            break;
        }
        case CUPTI_ACTIVITY_KIND_MEMCPY: {
            const auto* c = reinterpret_cast<const CUpti_ActivityMemcpy5*>(record);
            const bool is_on_device = c->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOD ||
                                      c->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_ATOA ||
                                      c->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_ATOD ||
                                      c->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOA;
            line().word(is_on_device ? "activity memory" : "activity transfer").number(c->start)
                .number(c->end).send();
            break;
        }
        case CUPTI_ACTIVITY_KIND_MEMCPY2: {
            const auto* c = reinterpret_cast<const CUpti_ActivityMemcpyPtoP4*>(record);
            line().word("activity memory").number(c->start).number(c->end).send();
            break;
        }
        case CUPTI_ACTIVITY_KIND_MEMSET: {
            const auto* s = reinterpret_cast<const CUpti_ActivityMemset4*>(record);
            line().word("activity memory").number(s->start).number(s->end).send();
            break;
        }
        default: break;
    }
}
void CUPTIAPI on_request(std::uint8_t** buffer, std::size_t* size, std::size_t* most) {
    constexpr long read_write = 3, private_anonymous = 0x22;
    const long at = system_call(SYS_mmap, 0, buffer_bytes, read_write, private_anonymous, -1, 0);
    const bool is_there = at > 0;
    *buffer = is_there ? reinterpret_cast<std::uint8_t*>(at) : nullptr;
    *size = is_there ? buffer_bytes : 0;
    *most = 0;
}
void CUPTIAPI on_complete(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                          std::size_t, std::size_t valid) {
    CUpti_Activity* record = nullptr;
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) tell(record);
    std::size_t lost = 0;
    if (cuptiActivityGetNumDroppedRecords(context, stream, &lost) == CUPTI_SUCCESS) dropped += lost;
    system_call(SYS_munmap, reinterpret_cast<long>(buffer), buffer_bytes, 0);
}
void at_end() {
    flush();
    line().word("launches").number(launches + graphs).send();
    line().word("activity end").number(launches).number(graphs).number(dropped).send();
    has_ended = true;
}
bool begin() {
    CUpti_SubscriberHandle subscriber;
    if (cuptiSubscribe(&subscriber, on_call, nullptr) != CUPTI_SUCCESS) return false;
    for (const CUpti_CallbackId call : calls)
        if (cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, call) != CUPTI_SUCCESS)
            return false;
    if (cuptiActivityRegisterCallbacks(on_request, on_complete) != CUPTI_SUCCESS) return false;
    for (const CUpti_ActivityKind kind :
         {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
          CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET})
        if (cuptiActivityEnable(kind) != CUPTI_SUCCESS) return false;
    return std::atexit(at_end) == 0;
}
}
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
    line().word(begin() ? "activity begin" : "activity refused").send();
    return 1;
}

#include "launch_counter.h"

#include <initializer_list>

namespace cuset {

std::string_view launch_counter_source() {
    return R"(#include <cupti.h>
#include <unistd.h>
#include <atomic>
#include <cstdio>
namespace {
std::atomic<unsigned long long> launches{0};
void tell(unsigned long long count) {
    char line[48];
    const int length = std::snprintf(line, sizeof line, "launches %llu\n", count);
    if (write(CUSET_CHANNEL, line, static_cast<std::size_t>(length)) < 0) return;
}
void CUPTIAPI on_call(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void* data) {
    const auto* call = static_cast<const CUpti_CallbackData*>(data);
    if (call->callbackSite != CUPTI_API_EXIT) return;
    if (*static_cast<const CUresult*>(call->functionReturnValue) != CUDA_SUCCESS) return;
    const unsigned long long count = ++launches;
    if ((count & (count - 1)) == 0) tell(count);
}
const CUpti_CallbackId calls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunch, CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz};
}
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
    CUpti_SubscriberHandle subscriber;
    if (cuptiSubscribe(&subscriber, on_call, nullptr) != CUPTI_SUCCESS) return 1;
    for (const CUpti_CallbackId call : calls)
        if (cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, call) != CUPTI_SUCCESS)
            return 1;
    tell(0);
    return 1;
}
)";
}

std::vector<std::string> launch_counter_flags(const toolkit& kit) {
    const std::string extras = (kit.root / "extras/CUPTI").string();
    std::vector<std::string> flags{"-std=c++17",
                                   "-shared",
                                   "-Xcompiler",
                                   "-fPIC",
                                   "-DCUSET_CHANNEL=" + std::to_string(channel_descriptor),
                                   "-I" + extras + "/include"};
    for (const std::string& folder : {extras + "/lib64", (kit.root / "lib64").string()})
        for (const std::string& flag : {"-L" + folder, std::string("-Xlinker"), "-rpath=" + folder})
            flags.push_back(flag);
    flags.emplace_back("-lcupti");
    return flags;
}

std::string_view launching_program() {
    return "__global__ void set(int* x) { *x = 7; }\n"
           "int main() {\n"
           "    int *x = nullptr, y = 0;\n"
           "    cudaMalloc(&x, sizeof y);\n"
           "    set<<<1, 1>>>(x);\n"
           "    cudaMemcpy(&y, x, sizeof y, cudaMemcpyDeviceToHost);\n"
           "    return y == 7 ? 0 : 1;\n"
           "}\n";
}

void add_launch_counter(const std::filesystem::path& library, const toolkit& kit,
                        sandbox_request& request) {
    constexpr const char* place = "/opt/cuset/launch_counter.so";
    request.channel = true;
    request.mounts.push_back({library, place});
    if (!kit.root.native().starts_with("/usr/")) request.mounts.push_back({kit.root, kit.root});
    request.environment.emplace_back("CUDA_INJECTION64_PATH", place);
}

}  // namespace cuset

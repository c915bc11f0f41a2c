#include "device.h"

#include <ATen/Parallel.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <malloc.h>

#include <charconv>
#include <cstdlib>
#include <limits>
#include <new>

#include "cuset/base/processors.h"
#include "cuset/kernels/instruction_set.h"
#include "cuset/model/layer_exchange.h"
#include "cuset/model/torch_errors.h"
#include "json_text.h"

namespace cuset {

namespace {

/// How many GPUs this build and machine can use.
int gpu_count() {
#ifdef CUSET_CUDA
    return at::detail::getCUDAHooks().deviceCount();
#else
    return 0;
#endif
}

}  // namespace

int set_threads(int threads) {
    if (threads <= 0) threads = usable_cores();
    at::set_num_threads(threads);
    return threads;
}

void keep_freed_memory() {
    constexpr int never = std::numeric_limits<int>::max();
    ::mallopt(M_MMAP_THRESHOLD, never);
    ::mallopt(M_TRIM_THRESHOLD, never);
}

result<int> resolve_device(const std::string& device) {
    if (device == "cpu") return -1;
    if (device == "auto") return gpu_count() > 0 ? 0 : -1;
    int index = 0;
    if (device != "cuda") {
        const std::string_view prefix = "cuda:";
        const char* end = device.data() + device.size();
        if (!device.starts_with(prefix) || device.size() == prefix.size()) {
            return usage_error("no device " + in_quotes(device) + " (auto, cpu, cuda or cuda:N)");
        }
        const auto [stop, error] = std::from_chars(device.data() + prefix.size(), end, index);
        if (error != std::errc() || stop != end || index < 0) {
            return usage_error("no device " + in_quotes(device) + " (auto, cpu, cuda or cuda:N)");
        }
    }
#ifndef CUSET_CUDA
    return unsupported("device " + device + ": this build has no CUDA support");
#else
    const int count = gpu_count();
    if (index >= count) {
        return unsupported("device " + device + ": this machine has " + std::to_string(count) +
                           " usable CUDA devices");
    }
    return index;
#endif
}

status choose_kernels() {
    using kernels::instruction_set;
    const char* name = std::getenv("CUSET_KERNELS");
    if (name == nullptr || *name == 0) return {};
    for (const auto set :
         {instruction_set::portable, instruction_set::avx2, instruction_set::avx512,
          instruction_set::avx512_bf16, instruction_set::amx}) {
        if (std::string_view(name) != kernels::name_of(set)) continue;
        if (kernels::is_available(set) && kernels::choose_instruction_set(set)) return {};
        return unsupported(std::string("CUSET_KERNELS=") + name +
                           (kernels::is_available(set) ? ": other kernels have run already"
                                                       : ": this processor cannot run them"));
    }
    return usage_error("no kernels CUSET_KERNELS=" + in_quotes(name) +
                       " (portable, avx2, avx512, avx512_bf16 or amx)");
}

std::string last_component(const std::filesystem::path& folder) {
    const auto plain = std::filesystem::absolute(folder).lexically_normal();
    return plain.has_filename() ? plain.filename().string()
                                : plain.parent_path().filename().string();
}

status thrown(const std::exception& exception) {
    if (const auto* failed = dynamic_cast<const failed_exchange*>(&exception))
        return failed->reason();
    return unsupported("the model cannot run here: " +
                       (is_out_of_memory(exception) ? "out of memory" : first_line_of(exception)));
}

}  // namespace cuset

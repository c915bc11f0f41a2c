#include "cuset/model/library_versions.h"

#include <ATen/Context.h>
#include <torch/headeronly/version.h>

#include "cuset/model/device_kernels.h"
#include "cuset/model/product_choice.h"
#include "device.h"
#ifdef CUSET_CUDA
#include <ATen/cuda/CUDAContext.h>
#endif

namespace cuset {

std::string model_library_versions() {
    std::string text = std::string("LibTorch ") + TORCH_VERSION + '\n';
    const status chosen = choose_kernels();
    text += chosen ? std::string("CPU kernels ") + kernels_on(at::kCPU) : chosen.message();
    text += '\n';
    const status products = choose_products();
    text += products ? "CPU products " + name_of(chosen_products()) : products.message();
    text += '\n';
#ifdef CUSET_CUDA
    try {
        const auto count = at::cuda::device_count();
        text += "CUDA " + std::to_string(at::detail::getCUDAHooks().versionCUDART()) + ", " +
                std::to_string(count) + " GPUs\n";
        for (c10::DeviceIndex i = 0; i < count; ++i) {
            const auto& gpu = *at::cuda::getDeviceProperties(i);
            text += std::string("GPU ") + std::to_string(i) + ' ' + gpu.name + ", kernels " +
                    kernels::device_kernels_for(gpu.major, gpu.minor) + '\n';
        }
    } catch (const std::exception& error) {
        text += "CUDA cannot run here\n";
    }
#else
    text += "CUDA not in this build\n";
#endif
    return text;
}

}  // namespace cuset

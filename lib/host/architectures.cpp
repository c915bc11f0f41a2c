#include "cuset/host/architectures.h"

#include "runtime/device/device_models.h"

namespace cuset {

using cuset_host::device_models;

std::string host_architectures() {
    std::string words;
    for (const auto& model : device_models)
        words += (words.empty() ? "" : ", ") + std::string(model.architecture);
    return words;
}

std::string_view default_host_architecture() {
    return cuset_host::default_device_model.architecture;
}

std::string cuda_arch_of(std::string_view architecture) {
    for (const auto& model : device_models)
        if (architecture == model.architecture)
            return std::to_string(model.major * 100 + model.minor * 10);
    return {};
}

}  // namespace cuset

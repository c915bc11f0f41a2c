#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <nccl.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "gpu_sum.h"

namespace cuset {

namespace {

using clock = std::chrono::steady_clock;

status nccl_error(const char* what, ncclResult_t code) {
    return {error_kind::io, std::string("NCCL: ") + what + ": " + ncclGetErrorString(code)};
}

class nccl_sum final : public gpu_sum {
public:
    nccl_sum(ncclComm_t communicator, at::Device device)
        : communicator_(communicator),
          device_(device),
          gathers_(c10::cuda::getStreamFromPool(false, device.index())) {}
    nccl_sum(const nccl_sum&) = delete;
    nccl_sum& operator=(const nccl_sum&) = delete;
    // Abort instead of destroy, which would wait for processes that may have gone.
    ~nccl_sum() override { ncclCommAbort(communicator_); }

    status queue(at::Tensor& values) override {
        const c10::cuda::CUDAGuard guard(device_);
        const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
        void* data = values.mutable_data_ptr();
        const auto type = values.scalar_type() == at::kDouble ? ncclDouble : ncclFloat;
        const auto code = ncclAllReduce(data, data, static_cast<std::size_t>(values.numel()), type,
                                        ncclSum, communicator_, stream);
        return code == ncclSuccess ? status::ok() : nccl_error("sum", code);
    }

    status finish(const std::function<status()>& alive) override {
        const c10::cuda::CUDAGuard guard(device_);
        const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
        return wait_until_done([&] { return cudaStreamQuery(stream); }, "sum", alive);
    }

    status begin_gather(const at::Tensor& part, const at::Tensor& whole) override {
        const c10::cuda::CUDAGuard guard(device_);
        // What is queued may still read the layer that `whole` holds.
        queued_.record(c10::cuda::getCurrentCUDAStream());
        queued_.block(gathers_);
        const auto code = ncclAllGather(part.const_data_ptr(), whole.mutable_data_ptr(),
                                        part.nbytes(), ncclInt8, communicator_, gathers_);
        if (code != ncclSuccess) return nccl_error("gather", code);
        gathered_.record(gathers_);
        return {};
    }

    // The host waits: if a process is lost, it must not go on until the device's queue is full.
    // What it has queued before keeps the device at work meanwhile.
    status finish_gather(const std::function<status()>& alive) override {
        const c10::cuda::CUDAGuard guard(device_);
        CUSET_TRY(
            wait_until_done([&] { return cudaEventQuery(gathered_.event()); }, "gather", alive));
        gathered_.block(c10::cuda::getCurrentCUDAStream());
        return {};
    }

private:
    template <class Query>
    status wait_until_done(const Query& query, const char* what,
                           const std::function<status()>& alive) const {
        auto checked = clock::now();
        while (query() == cudaErrorNotReady) {
            cudaGetLastError();  // or the next kernel's launch would be blamed for "not ready"
            if (clock::now() - checked > std::chrono::seconds(1)) {
                CUSET_TRY(alive());
                checked = clock::now();
            }
            ncclResult_t background = ncclSuccess;
            ncclCommGetAsyncError(communicator_, &background);
            if (background != ncclSuccess) return nccl_error(what, background);
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        }
        return {};
    }

    ncclComm_t communicator_;
    at::Device device_;
    c10::cuda::CUDAStream gathers_;
    at::cuda::CUDAEvent queued_, gathered_;
};

}  // namespace

result<std::vector<std::uint8_t>> gpu_sum::new_name() {
    ncclUniqueId id;
    if (const auto code = ncclGetUniqueId(&id); code != ncclSuccess)
        return nccl_error("a name for the group", code);
    std::vector<std::uint8_t> name(sizeof id);
    std::memcpy(name.data(), &id, sizeof id);
    return name;
}

result<std::unique_ptr<gpu_sum>> gpu_sum::join(const std::vector<std::uint8_t>& name,
                                               std::size_t rank, std::size_t size,
                                               at::Device device) {
    ncclUniqueId id;
    if (name.size() != sizeof id) return data_error("NCCL: the group's name is cut off");
    std::memcpy(&id, name.data(), sizeof id);
    const c10::cuda::CUDAGuard guard(device);
    ncclComm_t communicator = nullptr;
    const auto code =
        ncclCommInitRank(&communicator, static_cast<int>(size), id, static_cast<int>(rank));
    if (code != ncclSuccess) return nccl_error("joining", code);
    return std::unique_ptr<gpu_sum>(std::make_unique<nccl_sum>(communicator, device));
}

}  // namespace cuset

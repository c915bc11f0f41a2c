// Runs the GPU versions on the cases of this folder. suite [tiny|small|full] prints what is wrong,
// or one line. Exit code 0: all is right; 1: not; 77: there is no GPU. gpu/kernels and
// tests/gpu/kit.sh run it on a GPU, on_host.py and on_host_check.py on the host backend.
#include <cuda_runtime.h>

#include "adamw_cases.h"
#include "code_rows_cases.h"
#include "dropout_cases.h"
#include "machine.h"
#include "region_cases.h"
#include "token_loss_cases.h"

namespace {

using kernel_cases::extent;
using kernel_cases::findings;

class gpu : public kernel_cases::machine {
public:
    gpu() { cudaStreamCreate(&stream_); }
    ~gpu() override {
        clear();
        cudaStreamDestroy(stream_);
    }
    void* in(const void* from, std::size_t bytes) override {
        void* to = nullptr;
        if (cudaMalloc(&to, bytes == 0 ? 1 : bytes) != cudaSuccess) failed_ = true;
        if (bytes > 0 && cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice) != cudaSuccess)
            failed_ = true;
        copies_.push_back(to);
        return to;
    }
    void out(void* to, const void* from, std::size_t bytes) override {
        if (bytes > 0 && cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost) != cudaSuccess)
            failed_ = true;
    }
    void clear() override {
        for (void* const copy : copies_) cudaFree(copy);
        copies_.clear();
    }
    cuset::kernels::device_error run(const cuset::kernels::token_loss_rows& rows) override {
        return ended(cuset::kernels::token_loss(rows, stream_));
    }
    cuset::kernels::device_error run(const cuset::kernels::region_settings& settings,
                                     const cuset::kernels::region_batch& batch) override {
        return ended(cuset::kernels::regions(settings, batch, stream_));
    }
    cuset::kernels::device_error run(const cuset::kernels::adamw_step& step) override {
        return ended(cuset::kernels::adamw(step, stream_));
    }
    cuset::kernels::device_error run(const cuset::kernels::dropout_rows& rows) override {
        return ended(cuset::kernels::dropout(rows, stream_));
    }
    cuset::kernels::device_error run(const cuset::kernels::code_rows& matrix, void* to,
                                     cuset::kernels::value_type type) override {
        return ended(cuset::kernels::dequantise(matrix, to, type, stream_));
    }

private:
    cuset::kernels::device_error ended(cuset::kernels::device_error error) {
        if (failed_) return -2;
        return error != 0 ? error : cudaStreamSynchronize(stream_);
    }

    cudaStream_t stream_ = nullptr;
    std::vector<void*> copies_;
    bool failed_ = false;
};

}  // namespace

#ifndef CUSET_SUITE_EXTENT
#define CUSET_SUITE_EXTENT small
#endif

int main(int argc, char** argv) {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::printf("there is no GPU here\n");
        return 77;
    }
    extent size = extent::CUSET_SUITE_EXTENT;
    if (argc > 1) {
        const std::string word = argv[1];
        size = word == "tiny" ? extent::tiny : word == "full" ? extent::full : extent::small;
    }
    gpu on;
    findings found;
    kernel_cases::token_loss_cases(on, size, found);
    kernel_cases::region_cases(on, size, found);
    kernel_cases::adamw_cases(on, size, found);
    kernel_cases::dropout_cases(on, size, found);
    kernel_cases::code_rows_cases(on, size, found);
    std::printf("%s%zu cases, %zu values compared, %zu wrong\n", found.text().c_str(),
                found.cases(), found.compared(), found.wrong());
    return found.wrong() == 0 ? 0 : 1;
}

#include "cuset_host/library_work.h"

#include <utility>

#include "checks/checks.h"
#include "costs/costs.h"
#include "cuset_host/device_memory.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/execution.h"
#include "library_access.h"
#include "memory/kernel_stores.h"
#include "streams/asynchronous_streams.h"
#include "streams/graphs.h"

namespace cuset_host {

void* library_memory(std::size_t bytes) {
    return allocate(bytes == 0 ? 1 : bytes, memory_kind::device);
}

void free_library_memory(void* p) {
    if (p != nullptr) release(p, memory_kind::device);
}

void use_temporary_storage(const void* storage, std::size_t bytes) {
    library_touches("CUB, in its temporary storage", touch::write, storage, bytes);
}

void unmodelled(const char* what) { fail("unsupported", what); }

bool captures_library(cudaStream_t stream, std::function<void()> work) {
    if (!is_capturing(stream)) return false;  // it may give its caller a value
    return captured(stream, cudaGraphNodeTypeKernel, [work = std::move(work)] {
        work();
        return cudaSuccess;
    });
}

static thread_local unsigned running_algorithms = 0;

bool is_in_library() { return running_algorithms != 0; }

struct library_kernel::opened {
    device_access access;
    kernel_run run;
    library_writes writes;
};

library_kernel::library_kernel(cudaStream_t stream, library_writes writes) : opened_(nullptr) {
    if (is_in_kernel()) fail("unsupported", "a library's algorithm in device code");
    if (is_capturing(stream)) fail("unsupported", "a library's algorithm in a captured stream");
    set_error(do_in_stream(stream, [] { return cudaSuccess; }));
    opened_ = new opened{{}, {}, writes};
    costs::leave_out_library();
    ++running_algorithms;
    if (writes == library_writes::unseen) checks::begin_library();
}

library_kernel::~library_kernel() {
    if (opened_->writes == library_writes::unseen) checks::end_library();
    --running_algorithms;
    delete opened_;
}

bool begin_library_work() {
    keep_streams_in_turn();
    open_to_host();
    checks::open_to_all();
    count_all_as_written();
    return true;
}

}  // namespace cuset_host

// The toolkit's cublas_v2.h, read as host C++; the runtime has the common calls (libraries/cublas).

#ifdef CUSET_HOST_READING_TOOLKIT
#include_next <cublas_v2.h>
#elif !defined(CUSET_HOST_CUBLAS_V2_H)
#define CUSET_HOST_CUBLAS_V2_H

#include <cuset_host/cuda_types.h>
#include <cuset_host/unchecked_calls.h>
#include <cuset_host/reading_toolkit.h>
#include_next <cublas_v2.h>
#include <cuset_host/reading_program.h>

namespace cuset_host {

inline cublasStatus_t operator,(const unchecked_call& call, cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS)
        tell_failed_call(call, static_cast<int>(status), cublasGetStatusName(status));
    return status;
}

}  // namespace cuset_host

#endif

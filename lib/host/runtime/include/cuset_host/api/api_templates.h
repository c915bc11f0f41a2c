// Templates that CUDA's cuda_runtime.h offers to nvcc and not to a host compiler.
#pragma once

#include "cuset_host/device_memory.h"

namespace cuset_host {

/// A variable of the device, known by its address from here on.
template <class T>
inline const void* symbol(const T& variable) {
    const void* address = real_symbol(
        const_cast<const void*>(static_cast<const volatile void*>(__builtin_addressof(variable))));
    declare_symbol(address, sizeof(T));
    return address;
}

/// What host code has for a function that it gives to a kernel by its name: the host's address,
/// which a device cannot call, whatever the function is for.
template <class R, class... A>
inline auto host_function(R (*function)(A...)) -> R (*)(A...) {
    return reinterpret_cast<R (*)(A...)>(trap(reinterpret_cast<const void*>(function)));
}

/// The type of the host's variable that has the name of one of the device's.
template <class T>
using shadow_of = std::remove_volatile_t<T>;

/// What the translator writes where a program names a variable of the host as a symbol. Nothing on
/// a stack is one.
struct no_symbol {
    template <class T>
    explicit no_symbol(const T&) {}
};

}  // namespace cuset_host

template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* source, size_t bytes,
                                      size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return ::cudaMemcpyToSymbol(cuset_host::symbol(symbol), source, bytes, offset, kind);
}

template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* source, size_t bytes,
                                           size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                           cudaStream_t stream = nullptr) {
    return ::cudaMemcpyToSymbolAsync(cuset_host::symbol(symbol), source, bytes, offset, kind,
                                     stream);
}

template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void* target, const T& symbol, size_t bytes,
                                        size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return ::cudaMemcpyFromSymbol(target, cuset_host::symbol(symbol), bytes, offset, kind);
}

template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* target, const T& symbol, size_t bytes,
                                             size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                             cudaStream_t stream = nullptr) {
    return ::cudaMemcpyFromSymbolAsync(target, cuset_host::symbol(symbol), bytes, offset, kind,
                                       stream);
}

template <class T>
inline cudaError_t cudaGetSymbolAddress(void** address, const T& symbol) {
    return ::cudaGetSymbolAddress(address, cuset_host::symbol(symbol));
}

template <class T>
inline cudaError_t cudaGetSymbolSize(size_t* bytes, const T& symbol) {
    return ::cudaGetSymbolSize(bytes, cuset_host::symbol(symbol));
}

template <class T>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* kernel) {
    return ::cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(kernel));
}

template <class T>
inline cudaError_t cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attribute, int value) {
    return ::cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}

template <class T>
inline cudaError_t cudaFuncSetCacheConfig(T* kernel, cudaFuncCache configuration) {
    return ::cudaFuncSetCacheConfig(reinterpret_cast<const void*>(kernel), configuration);
}

template <class T>
inline cudaError_t cudaFuncGetName(const char** name, T* kernel) {
    return ::cudaFuncGetName(name, reinterpret_cast<const void*>(kernel));
}

template <class T>
inline cudaError_t cudaFuncSetSharedMemConfig(T* kernel, cudaSharedMemConfig configuration) {
    return ::cudaFuncSetSharedMemConfig(reinterpret_cast<const void*>(kernel), configuration);
}

template <class T>
inline cudaError_t cudaGetKernel(cudaKernel_t* handle, T* kernel) {
    return ::cudaGetKernel(handle, reinterpret_cast<const void*>(kernel));
}

// Calls of kernels. Grids run one after another: only the search for races asks whether one waits
// for the grid before it, which others let begin early.
#ifndef cudaStreamTailLaunch
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)
#endif
namespace cuset_host {
#ifdef CUSET_HOST_RACES
void launch_dependents();
void wait_for_grids();
#else
inline void launch_dependents() {}
inline void wait_for_grids() {}
#endif
}  // namespace cuset_host
inline void cudaTriggerProgrammaticLaunchCompletion() { cuset_host::launch_dependents(); }
inline void cudaGridDependencySynchronize() { cuset_host::wait_for_grids(); }
#ifndef cudaStreamGraphTailLaunch
#define cudaStreamGraphTailLaunch ((cudaStream_t)0x0100000000000000)
#define cudaStreamGraphFireAndForget ((cudaStream_t)0x0200000000000000)
#define cudaStreamGraphFireAndForgetAsSibling ((cudaStream_t)0x0300000000000000)
#endif
namespace cuset_host {
/// The graph whose kernel runs; null where it is no graph's.
cudaGraphExec_t current_graph();
}  // namespace cuset_host
inline cudaGraphExec_t cudaGetCurrentGraphExec() { return cuset_host::current_graph(); }
namespace cuset_host {
void set_condition(unsigned long long handle, unsigned value);
}
inline void cudaGraphSetConditional(unsigned long long handle, unsigned value) {
    cuset_host::set_condition(handle, value);
}
template <class T>
inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                  const cudaGraphNode_t* after, size_t count,
                                                  const T& symbol, const void* from, size_t bytes,
                                                  size_t offset, cudaMemcpyKind kind) {
    return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, after, count, cuset_host::symbol(symbol),
                                            from, bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                                    const cudaGraphNode_t* after, size_t count,
                                                    void* to, const T& symbol, size_t bytes,
                                                    size_t offset, cudaMemcpyKind kind) {
    return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, after, count, to,
                                              cuset_host::symbol(symbol), bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T& symbol,
                                                        const void* from, size_t bytes,
                                                        size_t offset, cudaMemcpyKind kind) {
    return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, cuset_host::symbol(symbol), from, bytes,
                                                  offset, kind);
}
template <class T>
inline cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to,
                                                          const T& symbol, size_t bytes,
                                                          size_t offset, cudaMemcpyKind kind) {
    return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, to, cuset_host::symbol(symbol), bytes,
                                                    offset, kind);
}
template <class T>
inline cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t graph,
                                                            cudaGraphNode_t node, const T& symbol,
                                                            const void* from, size_t bytes,
                                                            size_t offset, cudaMemcpyKind kind) {
    return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(graph, node, cuset_host::symbol(symbol), from,
                                                      bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t graph,
                                                              cudaGraphNode_t node, void* to,
                                                              const T& symbol, size_t bytes,
                                                              size_t offset, cudaMemcpyKind kind) {
    return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(graph, node, to, cuset_host::symbol(symbol),
                                                        bytes, offset, kind);
}
/// The form of CUDA 11, whose results come apart. Either may be null.
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       cudaGraphNode_t* node, cudaGraphExecUpdateResult* result) {
    cudaGraphExecUpdateResultInfo about{};
    const cudaError_t error = ::cudaGraphExecUpdate(exec, graph, &about);
    if (node != nullptr) *node = about.errorNode;
    if (result != nullptr) *result = about.result;
    return error;
}
/// The object deletes *owned when its last reference goes.
template <class T>
inline cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, T* owned, unsigned references,
                                        unsigned flags) {
    return ::cudaUserObjectCreate(
        object, owned, [](void* p) { delete static_cast<T*>(p); }, references, flags);
}
template <class T>
inline cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, T* owned, unsigned references,
                                        cudaUserObjectFlags flags) {
    return cudaUserObjectCreate(object, owned, references, static_cast<unsigned>(flags));
}

// What may not be done while a stream is being captured: the programming guide's "Prohibited and
// Unhandled Operations", and the modes of cudaThreadExchangeStreamCaptureMode().
#include <thread>

#include "check.h"

__global__ void add(int* x) { atomicAdd(x, 1); }
__constant__ int symbol;

static int *x, value;
static cudaStream_t blocking, free_stream, other;
static cudaEvent_t event, outside;
static cudaGraph_t graph;

static void begin(cudaStream_t s, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    OK(cudaStreamBeginCapture(s, mode));
    add<<<1, 1, 0, s>>>(x);
    OK(cudaGetLastError());
}
/// The capture has failed; all that is given to the stream does so too.
static void failed(cudaStream_t s) {
    cudaStreamCaptureStatus status;
    OK(cudaStreamIsCapturing(s, &status));
    MUST(status == cudaStreamCaptureStatusInvalidated);
    add<<<1, 1, 0, s>>>(x);
    MUST(cudaGetLastError() == cudaErrorStreamCaptureInvalidated);
    REFUSED(cudaMemsetAsync(x, 0, 4, s), cudaErrorStreamCaptureInvalidated);
    REFUSED(cudaEventRecord(event, s), cudaErrorStreamCaptureInvalidated);
    REFUSED(cudaLaunchHostFunc(
                s, [](void*) {}, nullptr),
            cudaErrorStreamCaptureInvalidated);
    graph = reinterpret_cast<cudaGraph_t>(1);
    REFUSED(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    MUST(graph == nullptr);
    OK(cudaStreamIsCapturing(s, &status));
    MUST(status == cudaStreamCaptureStatusNone);
}
static void succeeded(cudaStream_t s) {
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaGraphDestroy(graph));
}

/// Calls that may hide something from the capture.
template <class Call>
static void unsafe(const Call& call) {
    for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal}) {
        begin(free_stream, mode);
        REFUSED(call(), cudaErrorStreamCaptureUnsupported);
        failed(free_stream);
    }
    begin(free_stream, cudaStreamCaptureModeRelaxed);
    OK(call());
    succeeded(free_stream);
    // A thread may say that it knows what it does.
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    begin(free_stream);
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    MUST(mode == cudaStreamCaptureModeGlobal);
    OK(call());
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    MUST(mode == cudaStreamCaptureModeRelaxed);
    succeeded(free_stream);
}
static void unsafe_calls() {
    int* p = nullptr;
    unsafe([&] { return cudaMalloc(&p, 4); });
    unsafe([&] { return cudaMallocManaged(&p, 4); });
    unsafe([&] { return cudaMallocHost(&p, 4); });
    unsafe([&] { return cudaMemcpy(x, &value, 4, cudaMemcpyHostToDevice); });
    unsafe([&] { return cudaMemset(x, 0, 4); });
    unsafe([&] { return cudaMemcpyToSymbol(symbol, &value, 4); });
    unsafe([&] { return cudaEventQuery(outside); });
    int* freed[2];
    for (int*& each : freed) OK(cudaMalloc(&each, 4));
    int count = 0;
    unsafe([&] {
        const cudaError_t error = cudaFree(freed[count]);
        count += error == cudaSuccess;
        return error;
    });
}

/// Calls that wait for what is being captured, whatever the mode.
template <class Call>
static void waits(cudaError_t error, const Call& call) {
    for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                            cudaStreamCaptureModeRelaxed}) {
        begin(free_stream, mode);
        OK(cudaEventRecord(event, free_stream));
        REFUSED(call(), error);
        failed(free_stream);
    }
}
static void waiting_calls() {
    waits(cudaErrorStreamCaptureUnsupported, [] { return cudaDeviceSynchronize(); });
    waits(cudaErrorStreamCaptureUnsupported, [] { return cudaStreamSynchronize(free_stream); });
    waits(cudaErrorStreamCaptureUnsupported, [] { return cudaStreamQuery(free_stream); });
    waits(cudaErrorCapturedEvent, [] { return cudaEventSynchronize(event); });
    waits(cudaErrorCapturedEvent, [] { return cudaEventQuery(event); });
    waits(cudaErrorStreamCaptureUnsupported,
          [] { return cudaStreamAttachMemAsync(free_stream, x); });
    waits(cudaErrorStreamCaptureUnsupported, [] {
        return cudaStreamAddCallback(
            free_stream, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 0);
    });
    // Another stream is not concerned, nor is an event that was recorded outside.
    begin(free_stream);
    add<<<1, 1, 0, other>>>(x);
    OK(cudaMemsetAsync(x, 0, 4, other));
    OK(cudaEventRecord(outside, other));
    OK(cudaStreamSynchronize(other));
    succeeded(free_stream);
    // After the capture the event is still one that nobody can wait for.
    begin(free_stream);
    OK(cudaEventRecord(event, free_stream));
    succeeded(free_stream);
    REFUSED(cudaEventSynchronize(event), cudaErrorCapturedEvent);
    OK(cudaEventRecord(event, free_stream));
    OK(cudaEventSynchronize(event));
}

/// The legacy default stream would wait for a blocking stream.
template <class Call>
static void legacy(const Call& call) {
    for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeRelaxed}) {
        begin(blocking, mode);
        REFUSED(call(), cudaErrorStreamCaptureImplicit);
        failed(blocking);
        begin(free_stream, cudaStreamCaptureModeRelaxed);
        OK(call());
        succeeded(free_stream);
    }
}
static void legacy_stream() {
    cudaGraphExec_t exec;
    begin(free_stream);
    OK(cudaStreamEndCapture(free_stream, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    legacy([] {
        add<<<1, 1>>>(x);
        return cudaGetLastError();
    });
    legacy([] { return cudaMemcpy(&value, x, 4, cudaMemcpyDeviceToHost); });
    legacy([] { return cudaMemcpyAsync(&value, x, 4, cudaMemcpyDeviceToHost, 0); });
    legacy([] { return cudaMemsetAsync(x, 0, 4, cudaStreamLegacy); });
    legacy([] { return cudaMemset(x, 0, 4); });
    legacy([] { return cudaStreamSynchronize(0); });
    legacy([] { return cudaEventRecord(outside, 0); });
    legacy([&] { return cudaGraphLaunch(exec, 0); });
    OK(cudaGraphExecDestroy(exec));
    // A question does not disturb.
    cudaStreamCaptureStatus status;
    begin(blocking);
    REFUSED(cudaStreamIsCapturing(0, &status), cudaErrorStreamCaptureImplicit);
    succeeded(blocking);
}

static void events() {
    // What was recorded outside is not there when the graph is launched.
    OK(cudaEventRecord(outside, other));
    begin(free_stream);
    REFUSED(cudaStreamWaitEvent(free_stream, outside, 0), cudaErrorStreamCaptureIsolation);
    failed(free_stream);
    // An event without a record is nothing to wait for.
    cudaEvent_t unused;
    OK(cudaEventCreate(&unused));
    begin(free_stream);
    OK(cudaStreamWaitEvent(free_stream, unused, 0));
    succeeded(free_stream);
    OK(cudaEventDestroy(unused));
    // Two captures must not meet, and the legacy stream cannot take part in one.
    begin(free_stream);
    begin(other);
    OK(cudaEventRecord(event, other));
    REFUSED(cudaStreamWaitEvent(free_stream, event, 0), cudaErrorStreamCaptureMerge);
    failed(free_stream);
    failed(other);
    begin(free_stream);
    OK(cudaEventRecord(event, free_stream));
    REFUSED(cudaStreamWaitEvent(0, event, 0), cudaErrorStreamCaptureUnsupported);
    failed(free_stream);
}

static void threads() {
    int* p = nullptr;
    cudaError_t got = cudaSuccess;
    const auto elsewhere = [&](cudaStreamCaptureMode mode) {
        std::thread([&, mode]() mutable {
            cudaThreadExchangeStreamCaptureMode(&mode);
            got = cudaMalloc(&p, 4);
        }).join();
        return got;
    };
    begin(free_stream, cudaStreamCaptureModeGlobal);
    OK(elsewhere(cudaStreamCaptureModeThreadLocal));
    OK(elsewhere(cudaStreamCaptureModeRelaxed));
    MUST(elsewhere(cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
    failed(free_stream);
    begin(free_stream, cudaStreamCaptureModeThreadLocal);
    OK(elsewhere(cudaStreamCaptureModeGlobal));
    succeeded(free_stream);
    // Who has begun a capture ends it, unless it is relaxed.
    const auto ended_elsewhere = [&] {
        std::thread([&] { got = cudaStreamEndCapture(free_stream, &graph); }).join();
        return got;
    };
    begin(free_stream, cudaStreamCaptureModeThreadLocal);
    MUST(ended_elsewhere() == cudaErrorStreamCaptureWrongThread);
    succeeded(free_stream);
    begin(free_stream, cudaStreamCaptureModeRelaxed);
    OK(ended_elsewhere());
}

/// What is given to a stream that is not captured consists of calls that would be refused.
static void calls_of_calls() {
    int* p = nullptr;
    begin(free_stream);
    OK(cudaMallocAsync(&p, 64, other));
    OK(cudaMemset2DAsync(p, 16, 1, 16, 4, other));
    OK(cudaMemset3DAsync(make_cudaPitchedPtr(p, 16, 16, 2), 2, make_cudaExtent(16, 2, 2), other));
    OK(cudaMemcpyPeerAsync(p, 0, p + 8, 0, 16, other));
    OK(cudaMemcpyToSymbolAsync(symbol, &value, 4, 0, cudaMemcpyHostToDevice, other));
    OK(cudaFreeAsync(p, other));
    OK(cudaMallocAsync(&p, 64, free_stream));
    OK(cudaFreeAsync(p, free_stream));
    succeeded(free_stream);
    // A stream that is no more leaves its capture.
    cudaStream_t gone;
    OK(cudaStreamCreate(&gone));
    begin(gone);
    OK(cudaStreamDestroy(gone));
    OK(cudaDeviceSynchronize());
}

int main() {
    OK(cudaMalloc(&x, 4));
    OK(cudaStreamCreate(&blocking));
    OK(cudaStreamCreateWithFlags(&free_stream, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    OK(cudaEventCreate(&event));
    OK(cudaEventCreate(&outside));
    unsafe_calls();
    waiting_calls();
    legacy_stream();
    events();
    threads();
    calls_of_calls();
    return verdict();
}

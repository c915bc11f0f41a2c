#include "roles/role_words.h"

#include <algorithm>
#include <initializer_list>
#include <unordered_map>

#include "cuset/syntax/lexer.h"

namespace cuset::syntax {
namespace {

using enum word_class;

const std::unordered_map<std::string_view, word_class>& known_words() {
    static const std::unordered_map<std::string_view, word_class> words = [] {
        std::unordered_map<std::string_view, word_class> all;
        const auto add = [&](word_class c, std::initializer_list<std::string_view> names) {
            for (const std::string_view name : names) all.emplace(name, c);
        };
        add(coordinate, {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize",
                         "hipThreadIdx_x", "hipThreadIdx_y", "hipThreadIdx_z", "hipBlockIdx_x",
                         "hipBlockIdx_y", "hipBlockIdx_z", "hipBlockDim_x", "hipBlockDim_y",
                         "hipBlockDim_z", "hipGridDim_x", "hipGridDim_y", "hipGridDim_z"});
        add(rank_call, {"thread_rank", "thread_index", "group_index", "group_dim", "block_rank",
                        "block_index", "num_threads", "num_blocks", "meta_group_rank",
                        "meta_group_size", "dim_threads", "dim_blocks", "cluster_rank"});
        add(size_call, {"size"});
        add(sync_call, {"__any",
                        "__all",
                        "__any_sync",
                        "__all_sync",
                        "__activemask",
                        "__syncwarp",
                        "__nanosleep",
                        "__barrier_sync",
                        "__barrier_sync_count",
                        "__pipeline_commit",
                        "__pipeline_wait_prior",
                        "__pipeline_arrive_on",
                        "this_thread_block",
                        "this_thread",
                        "this_grid",
                        "this_multi_grid",
                        "this_cluster",
                        "tiled_partition",
                        "coalesced_threads",
                        "binary_partition",
                        "labeled_partition",
                        "make_pipeline",
                        "__builtin_amdgcn_s_barrier",
                        "atomic_thread_fence"});
        add(sync_method, {"arrive_and_wait",
                          "arrive_and_drop",
                          "arrive",
                          "wait",
                          "wait_parity",
                          "sync",
                          "fetch_add",
                          "fetch_sub",
                          "fetch_and",
                          "fetch_or",
                          "fetch_xor",
                          "fetch_min",
                          "fetch_max",
                          "compare_exchange_strong",
                          "compare_exchange_weak",
                          "exchange",
                          "producer_acquire",
                          "producer_commit",
                          "consumer_wait",
                          "consumer_release",
                          "shfl",
                          "shfl_down",
                          "shfl_up",
                          "shfl_xor",
                          "ballot",
                          "match_any",
                          "match_all",
                          "barrier_arrive",
                          "barrier_wait"});
        add(sync_type, {"thread_block", "thread_block_tile", "grid_group", "multi_grid_group",
                        "cluster_group", "coalesced_group", "thread_group"});
        add(library_sync, {"barrier", "pipeline", "pipeline_shared_state", "atomic", "atomic_ref",
                           "atomic_flag", "latch", "binary_semaphore", "counting_semaphore"});
        add(memory_call, {"memcpy_async", "__pipeline_memcpy_async", "load_matrix_sync",
                          "store_matrix_sync", "memcpy", "memset", "malloc", "free"});
        add(memory_type, {"cudaTextureObject_t", "cudaSurfaceObject_t", "hipTextureObject_t",
                          "hipSurfaceObject_t", "texture", "surface"});
        add(memory_mark, {"__shared__", "__constant__", "__managed__"});
        add(launch_call,
            {"cudaDeviceSetLimit", "cudaConfigureCall", "cudaSetupArgument", "cudaLaunch",
             "cuFuncSetAttribute", "cuFuncSetCacheConfig", "cuFuncSetBlockShape"});
        add(launch_type,
            {"dim3", "cudaStream_t", "hipStream_t", "CUstream", "cudaLaunchConfig_t",
             "cudaLaunchAttribute", "CUlaunchConfig", "CUlaunchAttribute", "cudaGraph_t",
             "cudaGraphExec_t", "cudaGraphNode_t", "hipGraph_t", "hipGraphExec_t", "CUgraph"});
        add(launch_mark, {"__global__", "__launch_bounds__", "__cluster_dims__", "__maxnreg__"});
        add(host_wait,
            {"cudaDeviceSynchronize", "cudaThreadSynchronize", "cudaStreamSynchronize",
             "cudaEventSynchronize", "cudaStreamWaitEvent", "hipDeviceSynchronize",
             "hipStreamSynchronize", "hipEventSynchronize", "hipStreamWaitEvent",
             "cuCtxSynchronize", "cuStreamSynchronize", "cuEventSynchronize", "cuStreamWaitEvent"});
        add(group_scope, {"cg", "cooperative_groups"});
        return all;
    }();
    return words;
}

bool starts_with_any(std::string_view w, std::initializer_list<std::string_view> beginnings) {
    for (const std::string_view beginning : beginnings)
        if (w.starts_with(beginning)) return true;
    return false;
}

// Names of the runtime's functions, behind "cuda" or "hip".
word_class class_of_runtime_name(std::string_view w) {
    if (starts_with_any(w, {"MemGetInfo", "MemcpyHostTo", "MemcpyDeviceTo"})) return none;
    if (starts_with_any(w, {"Malloc", "Free", "Mem", "HostAlloc", "HostRegister", "HostUnregister",
                            "HostGetDevicePointer", "HostMalloc", "HostFree", "GetSymbolAddress"}))
        return transfer_call;
    if (starts_with_any(w, {"Stream", "Func", "Occupancy", "Graph", "Launch"})) return launch_call;
    return none;
}

word_class class_of_device_name(std::string_view w) {
    if (starts_with_any(w, {"__syncthreads", "__threadfence", "__shfl", "__ballot", "__match_",
                            "__mbarrier", "__hip_atomic"}))
        return sync_call;
    if (w.starts_with("__reduce_") && w.ends_with("_sync")) return sync_call;
    if (starts_with_any(w, {"__ld", "__st", "__cvta_", "__isGlobal", "__isShared"})) {
        const bool load = is_one_of(w, {"__ldg", "__ldca", "__ldcg", "__ldcs", "__ldcv", "__ldlu",
                                        "__stwb", "__stcg", "__stcs", "__stwt"});
        return load || w.starts_with("__cvta_") ? memory_call : none;
    }
    return none;
}

}  // namespace

word_class class_of_word(std::string_view w) {
    if (w.size() < 2) return none;
    const auto& words = known_words();
    if (const auto known = words.find(w); known != words.end()) return known->second;
    if (w.starts_with("__")) return class_of_device_name(w);
    const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
    if (w.starts_with("cuda") && w.size() > 5 && is_upper(w[4]))
        return class_of_runtime_name(w.substr(4));
    if (w.starts_with("hip") && w.size() > 4 && is_upper(w[3]))
        return class_of_runtime_name(w.substr(3));
    if (w.starts_with("cuMem") && w != "cuMemGetInfo") return transfer_call;
    if (starts_with_any(w, {"cuLaunch", "cuStream", "cuOccupancy", "cuGraph"})) return launch_call;
    if (w.starts_with("atomic") && w.size() > 6 && is_upper(w[6])) return sync_call;
    if (w.starts_with("tex") && w.size() > 4)
        return starts_with_any(w, {"tex1D", "tex2D", "tex3D", "texCubemap"}) ? texture_read : none;
    if (starts_with_any(w, {"surf1D", "surf2D", "surf3D", "surfCubemap"}))
        return w.ends_with("write") ? texture_write : texture_read;
    return none;
}

std::optional<token_role> role_of_instructions(std::string_view text) {
    constexpr std::string_view sync[] = {"bar.",
                                         "barrier.",
                                         "membar",
                                         "fence.",
                                         "atom.",
                                         "red.",
                                         "shfl.",
                                         "vote.",
                                         "mbarrier",
                                         "activemask",
                                         "match.",
                                         "redux.",
                                         "cp.async.wait",
                                         "cp.async.commit",
                                         "cp.async.mbarrier",
                                         "cp.async.bulk.wait",
                                         "cp.async.bulk.commit",
                                         "wgmma.fence",
                                         "wgmma.wait",
                                         "wgmma.commit",
                                         "nanosleep",
                                         "elect.",
                                         "griddepcontrol.",
                                         "s_barrier",
                                         "s_waitcnt"};
    constexpr std::string_view memory[] = {
        "ld.",          "st.",       "cp.async",    "cp.reduce.async", "ldmatrix",
        "stmatrix",     "ldu.",      "ldg.",        "prefetch",        "cvta",
        "tex.",         "tld4.",     "suld.",       "sust.",           "sured.",
        "multimem.",    "discard.",  "global_load", "global_store",    "buffer_load",
        "buffer_store", "flat_load", "flat_store",  "s_load",          "ds_read",
        "ds_write"};
    bool accesses = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        // A word begins, not a modifier (`.shared.` holds "red."), nor a register's or label's
        // name. Behind a backslash stands an escape's letter.
        const auto is_inside = [&](std::size_t at) {
            const char c = text[at];
            const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
            if (letter && at > 0 && text[at - 1] == '\\') return false;
            return letter || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '%' || c == '$';
        };
        if (i > 0 && (is_inside(i - 1) || text[i - 1] == '\\')) continue;
        const std::string_view rest = text.substr(i);
        const auto begins = [&](std::string_view name) { return rest.starts_with(name); };
        if (std::ranges::any_of(sync, begins)) return token_role::sync;
        accesses = accesses || std::ranges::any_of(memory, begins);
    }
    return accesses ? std::optional(token_role::memory) : std::nullopt;
}

bool is_floating_type(std::string_view w) {
    return is_one_of(w, {"float", "float2", "float3", "float4", "double", "double2", "double3",
                         "double4", "half", "half2", "__half", "__half2", "__nv_bfloat16",
                         "__nv_bfloat162", "nv_bfloat16"});
}

}  // namespace cuset::syntax

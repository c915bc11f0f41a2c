// The GPUs that can be modelled: the one place that lists them. The translator reads it too.
#pragma once

#include <cstddef>

namespace cuset_host {

struct device_model {
    const char* architecture;  // as nvcc calls it
    const char* name;
    int major, minor, processors;
    std::size_t shared_per_block;  // at most, where a kernel has opted in
    std::size_t shared_per_processor;
    int threads_per_processor, blocks_per_processor;
    std::size_t memory, l2_cache;
    int clock_khz, memory_clock_khz, bus_bits;
};

inline constexpr std::size_t kib = 1024, mib = 1024 * kib, gib = 1024 * mib;

inline constexpr device_model device_models[] = {
    {"sm_80", "NVIDIA A100-SXM4-80GB (host model)", 8, 0, 108, 163 * kib, 164 * kib, 2048, 32,
     80 * gib, 40 * mib, 1410000, 1593000, 5120},
    {"sm_86", "NVIDIA A10 (host model)", 8, 6, 72, 99 * kib, 100 * kib, 1536, 16, 23 * gib, 6 * mib,
     1695000, 6251000, 384},
    {"sm_89", "NVIDIA L4 (host model)", 8, 9, 58, 99 * kib, 100 * kib, 1536, 24, 23 * gib, 48 * mib,
     2040000, 6251000, 192},
    {"sm_90", "NVIDIA H200 (host model)", 9, 0, 132, 227 * kib, 228 * kib, 2048, 32, 141 * gib,
     50 * mib, 1980000, 3201000, 6144},
    {"sm_100", "NVIDIA B200 (host model)", 10, 0, 148, 227 * kib, 228 * kib, 2048, 32, 180 * gib,
     126 * mib, 1965000, 3996000, 8192},
};

/// The one that is modelled where nobody asks for another: sm_90.
inline constexpr const device_model& default_device_model = device_models[3];

}  // namespace cuset_host

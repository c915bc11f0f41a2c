// What the evaluator says to the runtime, in variables of the environment that begin with
// CUSET_HOST_: taken out of it before any code of the program runs.
#pragma once

#include <cstdint>

namespace cuset_host {

struct run_settings {
    char architecture[16] = "";      ///< CUSET_HOST_ARCH: "sm_90"
    std::uint64_t seed = 0;          ///< CUSET_HOST_SEED: see order_seed
    std::uint64_t threads = 0;       ///< CUSET_HOST_THREADS: for kernels; 0: one for each core
    std::uint64_t memory_bytes = 0;  ///< CUSET_HOST_MEMORY: what the program may take; 0: any
    bool digests = false;            ///< CUSET_HOST_DIGESTS=1: of device memory after each launch
    /// CUSET_HOST_STREAMS=asynchronous: see asynchronous_streams.h.
    bool asynchronous = false;
    /// CUSET_HOST_SEARCH=all: the search for races looks at plain reads of shared memory too, and
    /// at all pages of large arrays.
    bool searches_all = false;
    /// CUSET_HOST_OUTPUT=shown: a person reads the output as it comes. Lines are written one by
    /// one, and the channel alone has the runtime's messages.
    bool is_shown = false;
    bool without_keys = false;  ///< CUSET_HOST_KEYS=0: as on a processor that has none
    /// CUSET_HOST_LAUNCHES: so many are counted, and the program ends; 0: all.
    std::uint64_t counted_launches = 0;
    std::uint64_t cache_bytes = 0;  ///< CUSET_HOST_CACHE: of L2, for counted programs; 0: the GPU's
    /// CUSET_HOST_MULTIPROCESSORS: of the GPU, for counted programs; 0: the modelled one's.
    std::uint64_t multiprocessors = 0;
    int channel = -1;  ///< CUSET_HOST_CHANNEL: a descriptor (channel.h)
};

const run_settings& settings();

/// How much freed memory of a kind the process keeps for the next allocation, in bytes: where a
/// machine is virtual, memory that it gave back comes again at a small part of its rate.
std::uint64_t kept_memory();

/// Takes them out of the environment, a null behind the last: the words are gone and their bytes
/// are zero. To be called once.
void take_settings(char** environment);

}  // namespace cuset_host

// CUB's loads and stores of a warp's items.
#pragma once

#include <cuset_host/cub/threads.h>

namespace cub {

enum WarpLoadAlgorithm {
    WARP_LOAD_DIRECT,
    WARP_LOAD_STRIPED,
    WARP_LOAD_VECTORIZE,
    WARP_LOAD_TRANSPOSE
};
enum WarpStoreAlgorithm {
    WARP_STORE_DIRECT,
    WARP_STORE_STRIPED,
    WARP_STORE_VECTORIZE,
    WARP_STORE_TRANSPOSE
};

template <class T, int Items, WarpLoadAlgorithm Algorithm = WARP_LOAD_DIRECT, int Threads = 32,
          int = 0>
class WarpLoad {
public:
    struct TempStorage {};
    WarpLoad() = default;
    explicit WarpLoad(TempStorage&) {}

    template <class In, class... Guard>
    void Load(In from, T (&items)[Items], Guard... guard) {
        const int self = static_cast<int>(cuset_host::lane_id()) % Threads;
        if constexpr (Algorithm == WARP_LOAD_STRIPED)
            LoadDirectStriped<Threads>(self, from, items, guard...);
        else
            LoadDirectBlocked(self, from, items, guard...);
    }
};

template <class T, int Items, WarpStoreAlgorithm Algorithm = WARP_STORE_DIRECT, int Threads = 32,
          int = 0>
class WarpStore {
public:
    struct TempStorage {};
    WarpStore() = default;
    explicit WarpStore(TempStorage&) {}

    template <class Out, class... Guard>
    void Store(Out to, T (&items)[Items], Guard... guard) {
        const int self = static_cast<int>(cuset_host::lane_id()) % Threads;
        if constexpr (Algorithm == WARP_STORE_STRIPED)
            StoreDirectStriped<Threads>(self, to, items, guard...);
        else
            StoreDirectBlocked(self, to, items, guard...);
    }
};

}  // namespace cub

// CUB's loads and stores of a warp's items.
#pragma once

#include <cuset_host/cub/warp.h>

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
    template <class In>
    void Load(In from, T (&items)[Items]) {
        for (int i = 0; i < Items; ++i) items[i] = from[place(i)];
    }
    /// What lies beyond `valid` leaves the items as they are.
    template <class In>
    void Load(In from, T (&items)[Items], int valid) {
        for (int i = 0; i < Items; ++i)
            if (place(i) < valid) items[i] = from[place(i)];
    }
    template <class In, class Default>
    void Load(In from, T (&items)[Items], int valid, Default otherwise) {
        for (int i = 0; i < Items; ++i)
            items[i] = place(i) < valid ? static_cast<T>(from[place(i)]) : T(otherwise);
    }

private:
    static int place(int i) {
        const int lane = static_cast<int>(cuset_host::lane_id()) % Threads;
        return Algorithm == WARP_LOAD_STRIPED ? lane + i * Threads : lane * Items + i;
    }
};

template <class T, int Items, WarpStoreAlgorithm Algorithm = WARP_STORE_DIRECT, int Threads = 32,
          int = 0>
class WarpStore {
public:
    struct TempStorage {};
    WarpStore() = default;
    explicit WarpStore(TempStorage&) {}
    template <class Out>
    void Store(Out to, T (&items)[Items], int valid = Threads * Items) {
        const int lane = static_cast<int>(cuset_host::lane_id()) % Threads;
        for (int i = 0; i < Items; ++i) {
            const int at = Algorithm == WARP_STORE_STRIPED ? lane + i * Threads : lane * Items + i;
            if (at < valid) to[at] = items[i];
        }
    }
};

}  // namespace cub

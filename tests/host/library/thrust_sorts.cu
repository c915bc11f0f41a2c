// Thrust's sorts put numbers of each type into the order of std::stable_sort.
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/sort.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "check.h"

template <class T, class Order>
static void sorts(Order order) {
    std::mt19937_64 random(7);
    for (const int n : {0, 1, 2, 33, 3000}) {
        std::vector<T> x(n), right(n);
        for (T& each : x) each = static_cast<T>(static_cast<long long>(random()) >> random() % 60);
        std::vector<int> places(n);
        std::iota(places.begin(), places.end(), 0);
        thrust::device_vector<int> values = places;
        std::stable_sort(places.begin(), places.end(),
                         [&](int a, int b) { return order(x[a], x[b]); });
        for (int i = 0; i < n; ++i) right[i] = x[places[i]];

        thrust::device_vector<T> keys = x;
        thrust::sort(keys.begin(), keys.end(), order);
        MUST(keys == right);
        keys = x;
        thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin(), order);
        MUST(keys == right);
        MUST(values == places);
        std::vector<T> host = x;
        thrust::sort(thrust::host, host.begin(), host.end(), order);
        MUST(host == right);
        keys = x;
        thrust::sort(thrust::make_reverse_iterator(keys.end()),
                     thrust::make_reverse_iterator(keys.begin()), order);
        std::reverse(right.begin(), right.end());
        MUST(keys == right);
    }
}

int main() {
    sorts<int>(thrust::less<int>());
    sorts<int>(thrust::greater<int>());
    sorts<short>(thrust::less<short>());
    sorts<long long>(thrust::less<long long>());
    sorts<float>(thrust::greater<float>());
    std::vector<int> few = {3, -1, 2};
    thrust::device_vector<int> x = few;
    thrust::sort(x.begin(), x.end());
    MUST(x[0] == -1 && x[1] == 2 && x[2] == 3);
    return verdict();
}

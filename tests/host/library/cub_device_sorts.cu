// CUB's device-wide merge and radix sorts, also of segments and of double buffers, by all or some
// of the keys' bits: equal keys keep their order. Against a stable sort of the places.
#include <algorithm>
#include <cstdint>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <type_traits>

#include "cub_device_calls.h"

using places = std::vector<int>;

/// The key's bits, in the order of the keys: a set sign makes a float's other bits count down.
template <class K>
std::uint64_t ordered_bits(K key) {
    constexpr int width = 8 * sizeof(K);
    const std::uint64_t sign = std::uint64_t(1) << (width - 1), all = sign | (sign - 1);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &key, sizeof key);  // the low bytes come first
    if (std::is_floating_point<K>::value) return (bits & sign) != 0 ? ~bits & all : bits | sign;
    return std::is_signed<K>::value ? bits ^ sign : bits;
}

/// The places of the keys from `first` up to `last`, sorted by the keys' bits.
template <class K>
places sorted(const std::vector<K>& keys, int first, int last, bool down, int begin, int end) {
    const auto part = [&](int place) {
        const std::uint64_t high = ordered_bits(keys[place]) >> begin;
        return end - begin == 64 ? high : high & ((std::uint64_t(1) << (end - begin)) - 1);
    };
    places order;
    for (int i = first; i < last; ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return down ? part(b) < part(a) : part(a) < part(b); });
    return order;
}
template <class T>
std::vector<T> picked(const std::vector<T>& from, const places& order) {
    std::vector<T> to;
    for (const int place : order) to.push_back(from[place]);
    return to;
}

template <class K>
std::vector<K> random_keys(int n) {
    std::vector<K> keys(n);
    for (K& key : keys) {
        // Few values, of both signs, with bits in the whole key.
        const long long value = static_cast<int>(random_below(25)) - 12;
        key = static_cast<K>(sizeof(K) < 4 ? value * 2221 : value * 89478481);
    }
    return keys;
}
static std::vector<short> numbers(int n) {
    std::vector<short> values(n);
    for (int i = 0; i < n; ++i) values[i] = static_cast<short>(3 * i - 500);
    return values;
}

/// Two buffers, of which the second one has the items at first.
template <class T>
struct two_buffers {
    items<T> other, input;
    cub::DoubleBuffer<T> both;
    explicit two_buffers(const std::vector<T>& values)
        : other(static_cast<int>(values.size())), input(values), both(other.at, input.at) {
        both.selector = 1;
        must_be_right(both.Current() == input.at && both.Alternate() == other.at, "buffers",
                      "mixed");
    }
    /// Items whose `places` are wanted: the results lie in the buffer that is current now.
    void hold(const char* name, const std::vector<T>& wanted, const places& at) const {
        const T* const now = both.d_buffers[both.selector];
        for (std::size_t i = 0; i < at.size(); ++i)
            must_be_right(now[at[i]] == wanted[i], name, "wrong at", i);
    }
};

#define EITHER(sort, ...) (down ? sort##Descending(__VA_ARGS__) : sort(__VA_ARGS__))

template <class K>
void radix_sorts(bool down, int begin, int end) {
    const int n = count;
    using radix = cub::DeviceRadixSort;
    const auto keys = random_keys<K>(n);
    const auto values = numbers(n);
    const places order = sorted(keys, 0, n, down, begin, end);
    places all(n);
    for (int i = 0; i < n; ++i) all[i] = i;
    const auto wanted_keys = picked(keys, order);
    const auto wanted_values = picked(values, order);
    items<K> in(keys), out(n), alone(n);
    items<short> values_in(values), values_out(n);
    run("SortKeys",
        CALL(EITHER(radix::SortKeys, room, bytes, in.at, alone.at, n, begin, end, stream)), alone);
    alone.hold("SortKeys", wanted_keys);
    run("SortPairs",
        CALL(EITHER(radix::SortPairs, room, bytes, in.at, out.at, values_in.at, values_out.at, n,
                    begin, end, stream)),
        out, values_out);
    out.hold("SortPairs", wanted_keys);
    values_out.hold("SortPairs' values", wanted_values);
    in.hold("SortPairs' input", {});
    two_buffers<K> a(keys), b(keys);
    two_buffers<short> v(values);
    run("SortKeys of buffers",
        CALL(EITHER(radix::SortKeys, room, bytes, a.both, n, begin, end, stream)), a.input,
        a.other);
    a.hold("SortKeys of buffers", wanted_keys, all);
    run("SortPairs of buffers",
        CALL(EITHER(radix::SortPairs, room, bytes, b.both, v.both, n, begin, end, stream)), b.input,
        b.other, v.input, v.other);
    b.hold("SortPairs of buffers", wanted_keys, all);
    v.hold("SortPairs of buffers' values", wanted_values, all);
}

// Segments leave items out, which the results must not have; the third one is empty.
static const std::vector<int> begins{0, 5, 20, 20, 58}, ends{5, 19, 20, 57, 59};
static const int parts = 5;

/// Sorts of the keys or pairs of segments, in arrays or double buffers.
#define SORT_OF_SEGMENTS(name, is_stable, sort_keys, sort_pairs, ...) \
    struct name {                                                     \
        bool down;                                                    \
        int begin, end;                                               \
        static constexpr bool keeps_order = is_stable;                \
        template <class... Rest>                                      \
        cudaError_t keys(Rest&&... rest) const {                      \
            return EITHER(sort_keys, rest..., __VA_ARGS__);           \
        }                                                             \
        template <class... Rest>                                      \
        cudaError_t pairs(Rest&&... rest) const {                     \
            return EITHER(sort_pairs, rest..., __VA_ARGS__);          \
        }                                                             \
    };
using radix_sort = cub::DeviceSegmentedRadixSort;
using segmented_sort = cub::DeviceSegmentedSort;
SORT_OF_SEGMENTS(by_radix, true, radix_sort::SortKeys, radix_sort::SortPairs, begin, end, stream)
SORT_OF_SEGMENTS(by_stable_sort, true, segmented_sort::StableSortKeys,
                 segmented_sort::StableSortPairs, stream)
SORT_OF_SEGMENTS(by_sort, false, segmented_sort::SortKeys, segmented_sort::SortPairs, stream)

template <class K, class Sort>
void in_segments(const char* name, const Sort& sort) {
    const int n = count;
    auto keys = random_keys<K>(n);
    if (!Sort::keeps_order)  // then no two are equal
        for (int i = 0; i < n; ++i) keys[i] = static_cast<K>(i * 11 % n - n / 2);
    const auto values = numbers(n);
    std::vector<K> wanted_keys(n, unset<K>());
    std::vector<short> wanted_values(n, unset<short>());
    places order, all;
    for (int s = 0; s < parts; ++s) {
        const places part = sorted(keys, begins[s], ends[s], sort.down, sort.begin, sort.end);
        for (int i = begins[s]; i < ends[s]; ++i) {
            all.push_back(i), order.push_back(part[i - begins[s]]);
            wanted_keys[i] = keys[order.back()], wanted_values[i] = values[order.back()];
        }
    }
    items<K> in(keys), out(n), alone(n);
    items<short> values_in(values), values_out(n);
    items<int> b(begins), e(ends);
    run(name, CALL(sort.keys(room, bytes, in.at, alone.at, n, parts, b.at, e.at)), alone);
    alone.hold(name, wanted_keys);
    run(name,
        CALL(sort.pairs(room, bytes, in.at, out.at, values_in.at, values_out.at, n, parts, b.at,
                        e.at)),
        out, values_out);
    out.hold(name, wanted_keys), values_out.hold(name, wanted_values);
    two_buffers<K> x(keys), y(keys);
    two_buffers<short> v(values);
    run(name, CALL(sort.keys(room, bytes, x.both, n, parts, b.at, e.at)), x.input, x.other);
    x.hold(name, picked(keys, order), all);
    run(name, CALL(sort.pairs(room, bytes, y.both, v.both, n, parts, b.at, e.at)), y.input,
        v.input);
    y.hold(name, picked(keys, order), all), v.hold(name, picked(values, order), all);
}

struct less_tens {
    __host__ __device__ bool operator()(int a, int b) const { return a / 10 < b / 10; }
};
struct greater {
    __host__ __device__ bool operator()(int a, int b) const { return a > b; }
};

/// Sorts that keep the order of equal keys compare keys by their tens; others have different keys.
static void merge_sorts() {
    const int n = count;
    std::vector<int> keys(n), different(n);
    for (int& key : keys) key = static_cast<int>(random_below(80)) + 10;
    for (int i = 0; i < n; ++i) different[i] = i * 19 % n;  // n is no multiple of 19
    const auto values = numbers(n);
    auto tens = keys, down = different;
    std::stable_sort(tens.begin(), tens.end(), less_tens());
    std::sort(down.begin(), down.end(), greater());
    places by_tens(n), by_size(n);
    for (int i = 0; i < n; ++i) by_tens[i] = by_size[i] = i;
    std::stable_sort(by_tens.begin(), by_tens.end(),
                     [&](int a, int b) { return less_tens()(keys[a], keys[b]); });
    std::sort(by_size.begin(), by_size.end(),
              [&](int a, int b) { return different[a] > different[b]; });
    using merge = cub::DeviceMergeSort;
    items<int> a(keys), b(different), c(keys), d(different), in(different), out(n), copied(n);
    items<short> of_c(values), of_d(values), values_in(values), values_out(n);
    run("StableSortKeys", CALL(merge::StableSortKeys(room, bytes, a.at, n, less_tens(), stream)),
        a);
    a.hold("StableSortKeys", tens);
    run("SortKeys by merges", CALL(merge::SortKeys(room, bytes, b.at, n, greater(), stream)), b);
    b.hold("SortKeys by merges", down);
    run("StableSortPairs",
        CALL(merge::StableSortPairs(room, bytes, c.at, of_c.at, n, less_tens(), stream)), c, of_c);
    c.hold("StableSortPairs", tens);
    of_c.hold("StableSortPairs' values", picked(values, by_tens));
    run("SortPairs by merges",
        CALL(merge::SortPairs(room, bytes, d.at, of_d.at, n, greater(), stream)), d, of_d);
    d.hold("SortPairs by merges", down);
    of_d.hold("SortPairs' values by merges", picked(values, by_size));
    run("SortPairsCopy",
        CALL(merge::SortPairsCopy(room, bytes, in.at, values_in.at, out.at, values_out.at, n,
                                  greater(), stream)),
        in, values_in, out, values_out);
    out.hold("SortPairsCopy", down);
    values_out.hold("SortPairsCopy's values", picked(values, by_size));
    run("StableSortKeysCopy",
        CALL(merge::StableSortKeysCopy(room, bytes, in.at, copied.at, n, greater(), stream)), in,
        copied);
    copied.hold("StableSortKeysCopy", down);
    in.hold("SortPairsCopy's input", {}), values_in.hold("SortPairsCopy's input", {});
}

int main() {
    cudaStreamCreate(&stream);
    for (const bool down : {false, true}) {
        for (const int n : {0, 1, 37, 1003}) {
            count = n;
            radix_sorts<int>(down, 0, 32);
            radix_sorts<int>(down, 27, 32);
            radix_sorts<unsigned short>(down, 3, 11);
            radix_sorts<double>(down, 0, 64);
            radix_sorts<double>(down, 51, 64);
        }
        count = 60;
        in_segments<int>("a radix sort of segments", by_radix{down, 0, 32});
        in_segments<int>("a radix sort of segments by bits", by_radix{down, 26, 31});
        in_segments<int>("a stable sort of segments", by_stable_sort{down, 0, 32});
        in_segments<int>("a sort of segments", by_sort{down, 0, 32});
    }
    for (const int n : {0, 1, 37, 1003}) count = n, merge_sorts();
    return verdict();
}

// CUB's device-wide scans, and what it does with runs of equal keys, for several numbers of items,
// with operators that do not commute, against plain loops.
#include <cub/device/device_partition.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "cub_device_calls.h"

/// x -> a x + b. To apply one after the other does not commute.
struct affine {
    unsigned a, b;
};
struct then {
    __host__ __device__ affine operator()(affine f, affine g) const {
        return {f.a * g.a, f.b * g.a + g.b};
    }
};
struct same_half {
    __host__ __device__ bool operator()(int a, int b) const { return a / 2 == b / 2; }
};
using ints = std::vector<int>;
using affines = std::vector<affine>;

static void scans(const ints& keys, const affines& in) {
    const int n = count;
    const affine first{7, 3};
    affines exclusive(n), inclusive(n), from_first(n), of_keys(n), after_keys(n);
    ints sums(n), sums_of_halves(n);
    affine upto = first, without{1, 0};
    for (int i = 0; i < n; ++i) {
        exclusive[i] = upto;
        from_first[i] = upto = then()(upto, in[i]);
        inclusive[i] = without = then()(without, in[i]);
        const bool begins = i == 0 || keys[i] != keys[i - 1];
        const bool begins_half = i == 0 || keys[i] / 2 != keys[i - 1] / 2;
        of_keys[i] = begins ? in[i] : then()(of_keys[i - 1], in[i]);
        after_keys[i] = begins_half ? first : then()(after_keys[i - 1], in[i - 1]);
        sums[i] = begins ? 0 : sums[i - 1] + keys[i - 1];
        sums_of_halves[i] = begins_half ? keys[i] : sums_of_halves[i - 1] + keys[i];
    }
    items<int> k(keys), total(n);
    items<affine> x(in), out(n), in_place(in), again(in);
    run("InclusiveScan",
        CALL(cub::DeviceScan::InclusiveScan(room, bytes, x.at, out.at, then(), n, stream)), out);
    out.hold("InclusiveScan", inclusive);
    run("InclusiveScan in place",
        CALL(cub::DeviceScan::InclusiveScan(room, bytes, in_place.at, then(), n, stream)),
        in_place);
    in_place.hold("InclusiveScan in place", inclusive);
    run("ExclusiveScan in place",
        CALL(cub::DeviceScan::ExclusiveScan(room, bytes, again.at, then(), first, n, stream)),
        again);
    again.hold("ExclusiveScan in place", exclusive);
    const auto each = [&](const char* name, const affines& wanted, const auto& call) {
        items<affine> result(n);
        run(
            name, [&](void* room, std::size_t& bytes) { return call(room, bytes, result.at); },
            result);
        result.hold(name, wanted);
    };
    each("ExclusiveScan", exclusive, [&](void* room, std::size_t& bytes, affine* to) {
        return cub::DeviceScan::ExclusiveScan(room, bytes, x.at, to, then(), first, n, stream);
    });
    each("InclusiveScanInit", from_first, [&](void* room, std::size_t& bytes, affine* to) {
        return cub::DeviceScan::InclusiveScanInit(room, bytes, x.at, to, then(), first, n, stream);
    });
    each("InclusiveScanByKey", of_keys, [&](void* room, std::size_t& bytes, affine* to) {
        return cub::DeviceScan::InclusiveScanByKey(room, bytes, k.at, x.at, to, then(), n);
    });
    each("ExclusiveScanByKey", after_keys, [&](void* room, std::size_t& bytes, affine* to) {
        return cub::DeviceScan::ExclusiveScanByKey(room, bytes, k.at, x.at, to, then(), first, n,
                                                   same_half(), stream);
    });
    run("ExclusiveSumByKey",
        CALL(cub::DeviceScan::ExclusiveSumByKey(room, bytes, k.at, k.at, total.at, n)), total);
    total.hold("ExclusiveSumByKey", sums);
    items<int> halves(n);
    run("InclusiveSumByKey",
        CALL(cub::DeviceScan::InclusiveSumByKey(room, bytes, k.at, k.at, halves.at, n, same_half(),
                                                stream)),
        halves);
    halves.hold("InclusiveSumByKey", sums_of_halves);
}

static void runs_of_keys(const ints& keys, const affines& in) {
    const int n = count;
    ints unique, lengths, starts, long_lengths, places, halves, half_places;
    affines sums;
    for (int i = 0, begin = 0; i < n; ++i) {
        if (i == 0 || keys[i] / 2 != keys[i - 1] / 2)
            halves.push_back(keys[i]), half_places.push_back(i);
        if (i == 0 || keys[i] != keys[i - 1]) {
            unique.push_back(keys[i]), places.push_back(i), sums.push_back(in[begin = i]);
        } else {
            sums.back() = then()(sums.back(), in[i]);
        }
        if (i + 1 < n && keys[i] == keys[i + 1]) continue;
        lengths.push_back(i + 1 - begin);
        if (i > begin) starts.push_back(begin), long_lengths.push_back(i + 1 - begin);
    }
    ints numbers(n);
    for (int i = 0; i < n; ++i) numbers[i] = i;
    const int found = static_cast<int>(unique.size());
    items<int> k(keys), number(numbers);
    items<affine> x(in);
    // A call gives one or two lists and the size.
    const auto each = [&](const char* name, const ints& first, const ints& second, int wanted,
                          const auto& call) {
        items<int> a(n), b(n), size(1);
        const auto work = [&](void* room, std::size_t& bytes) {
            return call(room, bytes, a.at, b.at, size.at);
        };
        run(name, work, a, b, size);
        a.hold(name, first), b.hold(name, second), size.hold(name, {wanted});
    };
    using size = std::size_t&;
    each("Unique", unique, {}, found, [&](void* room, size bytes, int* a, int*, int* s) {
        return cub::DeviceSelect::Unique(room, bytes, k.at, a, s, n, stream);
    });
    each("UniqueByKey", unique, places, found, [&](void* room, size bytes, int* a, int* b, int* s) {
        return cub::DeviceSelect::UniqueByKey(room, bytes, k.at, number.at, a, b, s, n, stream);
    });
    each("UniqueByKey by halves", halves, half_places, static_cast<int>(halves.size()),
         [&](void* room, size bytes, int* a, int* b, int* s) {
             return cub::DeviceSelect::UniqueByKey(room, bytes, k.at, number.at, a, b, s, n,
                                                   same_half(), stream);
         });
    each("Encode", unique, lengths, found, [&](void* room, size bytes, int* a, int* b, int* s) {
        return cub::DeviceRunLengthEncode::Encode(room, bytes, k.at, a, b, s, n, stream);
    });
    each("NonTrivialRuns", starts, long_lengths, static_cast<int>(starts.size()),
         [&](void* room, size bytes, int* a, int* b, int* s) {
             return cub::DeviceRunLengthEncode::NonTrivialRuns(room, bytes, k.at, a, b, s, n,
                                                               stream);
         });
    // The rejected follow in reverse.
    ints parts(n);
    int selected = 0;
    for (int i = 0; i < n; ++i)
        if (keys[i] != 0) parts[selected++] = i;
    for (int i = 0, last = n; i < n; ++i)
        if (keys[i] == 0) parts[--last] = i;
    each("Flagged", parts, {}, selected, [&](void* room, size bytes, int* a, int*, int* s) {
        return cub::DevicePartition::Flagged(room, bytes, number.at, k.at, a, s, n, stream);
    });
    items<affine> of_runs(n);
    items<int> heads(n), runs(1);
    run("ReduceByKey",
        CALL(cub::DeviceReduce::ReduceByKey(room, bytes, k.at, heads.at, x.at, of_runs.at, runs.at,
                                            then(), n, stream)),
        heads, of_runs, runs);
    heads.hold("ReduceByKey's keys", unique), of_runs.hold("ReduceByKey", sums);
    runs.hold("ReduceByKey's runs", {found});
}

int main() {
    cudaStreamCreate(&stream);
    for (const int n : {0, 1, 2, 37, 1003}) {
        count = n;
        ints keys(n);
        affines functions(n);
        for (int i = 0; i < n; ++i) {
            const bool goes_on = i > 0 && random_below(2) != 0;
            keys[i] = goes_on ? keys[i - 1] : static_cast<int>(random_below(6));
            functions[i] = {2 * random_below(1 << 20) + 1, random_below(1 << 20)};
        }
        scans(keys, functions);
        runs_of_keys(keys, functions);
    }
    return verdict();
}

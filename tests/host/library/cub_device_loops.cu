// CUB's device-wide reductions, differences, loops and copies for several numbers of items, against
// plain loops.
#include <cub/device/device_adjacent_difference.cuh>
#include <cub/device/device_for.cuh>
#include <cub/device/device_memcpy.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <limits>

#include "cub_device_calls.h"

struct larger_tens {
    __host__ __device__ int operator()(int a, int b) const { return a / 10 < b / 10 ? b : a; }
};
struct plus {
    template <class T>
    __host__ __device__ T operator()(T a, T b) const {
        return a + b;
    }
};
struct square {
    __host__ __device__ long long operator()(int a) const {
        return static_cast<long long>(a) * a + 1;
    }
};
struct weighted {
    __host__ __device__ int operator()(int a, int b) const { return 3 * a - 2 * b; }
};

using ints = std::vector<int>;

static void reductions(const ints& in) {
    const int n = count;
    items<int> x(in), least(1), most(1), place(1);
    items<long long> sum(1), index(1);
    int lowest = std::numeric_limits<int>::max(), highest = std::numeric_limits<int>::lowest();
    long long lowest_at = 0, highest_at = 0, all = 5000000000;
    for (int i = 0; i < n; ++i) {
        if (in[i] < lowest) lowest = in[i], lowest_at = i;
        if (in[i] > highest) highest = in[i], highest_at = i;
        all += static_cast<long long>(in[i]) * in[i] + 1;
    }
    run("Min", CALL(cub::DeviceReduce::Min(room, bytes, x.at, least.at, n, stream)), least);
    least.hold("Min", {lowest});
    run("Max", CALL(cub::DeviceReduce::Max(room, bytes, x.at, most.at, n, stream)), most);
    most.hold("Max", {highest});
    run("TransformReduce",
        CALL(cub::DeviceReduce::TransformReduce(room, bytes, x.at, sum.at, n, plus(), square(),
                                                5000000000LL, stream)),
        sum);
    sum.hold("TransformReduce", {all});
    if (n == 0) return;
    // Of equal ones the first counts.
    items<int> first(1), last(1);
    run("ArgMin", CALL(cub::DeviceReduce::ArgMin(room, bytes, x.at, first.at, index.at, n, stream)),
        first, index);
    first.hold("ArgMin", {lowest}), index.hold("ArgMin's index", {lowest_at});
    run("ArgMax", CALL(cub::DeviceReduce::ArgMax(room, bytes, x.at, last.at, place.at, n, stream)),
        last, place);
    last.hold("ArgMax", {highest});
    place.hold("ArgMax's index", {static_cast<int>(highest_at)});
}

static void differences(const ints& in) {
    const int n = count;
    ints left(n), right(n), left_of_both(n), right_of_both(n);
    for (int i = 0; i < n; ++i) {
        left[i] = i == 0 ? in[0] : in[i] - in[i - 1];
        right[i] = i + 1 == n ? in[i] : in[i] - in[i + 1];
        left_of_both[i] = i == 0 ? in[0] : 3 * in[i] - 2 * in[i - 1];
        right_of_both[i] = i + 1 == n ? in[i] : 3 * in[i] - 2 * in[i + 1];
    }
    using differ = cub::DeviceAdjacentDifference;
    items<int> x(in), out(n), by_minus(n), a(in), b(in), c(in);
    run("SubtractRightCopy",
        CALL(differ::SubtractRightCopy(room, bytes, x.at, out.at, n, weighted(), stream)), out);
    out.hold("SubtractRightCopy", right_of_both);
    run("SubtractRightCopy by minus",
        CALL(differ::SubtractRightCopy(room, bytes, x.at, by_minus.at, n)), by_minus);
    by_minus.hold("SubtractRightCopy by minus", right);
    run("SubtractLeft", CALL(differ::SubtractLeft(room, bytes, a.at, n, weighted(), stream)), a);
    a.hold("SubtractLeft", left_of_both);
    run("SubtractLeft by minus", CALL(differ::SubtractLeft(room, bytes, b.at, n)), b);
    b.hold("SubtractLeft by minus", left);
    run("SubtractRight", CALL(differ::SubtractRight(room, bytes, c.at, n, weighted(), stream)), c);
    c.hold("SubtractRight", right_of_both);
}

struct put_square {
    int* to;
    __device__ void operator()(int i) const { to[i] = i * i + 1; }
};

static void loops() {
    const int n = count;
    ints numbers(n), squares(n);
    for (int i = 0; i < n; ++i) numbers[i] = n - 1 - i, squares[i] = i * i + 1;
    items<int> x(numbers);
    using loop = cub::DeviceFor;
    const auto each = [&](const char* name, const auto& plain, const auto& with_storage) {
        items<int> a(n), b(n);
        must_be_right(plain(put_square{a.at}) == cudaSuccess, name, "an error");
        must_be_right(cudaDeviceSynchronize() == cudaSuccess, name, "a fault");
        a.hold(name, squares);
        run(name, CALL(with_storage(room, bytes, put_square{b.at})), b);
        b.hold(name, squares);
    };
    using size = std::size_t&;
    each(
        "Bulk", [&](put_square op) { return loop::Bulk(n, op, stream); },
        [&](void* room, size bytes, put_square op) {
            return loop::Bulk(room, bytes, n, op, stream);
        });
    each(
        "ForEach", [&](put_square op) { return loop::ForEach(x.at, x.at + n, op, stream); },
        [&](void* room, size bytes, put_square op) {
            return loop::ForEach(room, bytes, x.at, x.at + n, op, stream);
        });
    each(
        "ForEachN", [&](put_square op) { return loop::ForEachN(x.at, n, op, stream); },
        [&](void* room, size bytes, put_square op) {
            return loop::ForEachN(room, bytes, x.at, n, op, stream);
        });
    each(
        "ForEachCopy", [&](put_square op) { return loop::ForEachCopy(x.at, x.at + n, op, stream); },
        [&](void* room, size bytes, put_square op) {
            return loop::ForEachCopy(room, bytes, x.at, x.at + n, op, stream);
        });
    each(
        "ForEachCopyN", [&](put_square op) { return loop::ForEachCopyN(x.at, n, op, stream); },
        [&](void* room, size bytes, put_square op) {
            return loop::ForEachCopyN(room, bytes, x.at, n, op, stream);
        });
}

/// Segments of several lengths, of which one is empty; they leave items out and share others.
static void segments() {
    ints in(count), begin{0, 5, 20, 20, 30}, end{5, 19, 20, 57, 31};
    for (int& v : in) v = static_cast<int>(random_below(2000)) - 1000;
    const int parts = static_cast<int>(begin.size());
    items<int> x(in), b(begin), e(end), least(parts), most(parts), tens(parts);
    ints wanted_least, wanted_most, wanted_tens;
    for (int s = 0; s < parts; ++s) {
        int low = std::numeric_limits<int>::max(), high = std::numeric_limits<int>::lowest();
        int last = -5000;
        for (int i = begin[s]; i < end[s]; ++i) {
            low = in[i] < low ? in[i] : low, high = in[i] > high ? in[i] : high;
            last = in[i] / 10 > last / 10 ? in[i] / 10 * 10 : last;
        }
        wanted_least.push_back(low), wanted_most.push_back(high), wanted_tens.push_back(last);
    }
    using reduce = cub::DeviceSegmentedReduce;
    run("segments' Min", CALL(reduce::Min(room, bytes, x.at, least.at, parts, b.at, e.at, stream)),
        least);
    least.hold("segments' Min", wanted_least);
    run("segments' Max", CALL(reduce::Max(room, bytes, x.at, most.at, parts, b.at, e.at, stream)),
        most);
    most.hold("segments' Max", wanted_most);
    for (int& v : in) v = v / 10 * 10;  // so that equal tens are equal numbers
    items<int> y(in);
    run("segments' Reduce",
        CALL(reduce::Reduce(room, bytes, y.at, tens.at, parts, b.at, e.at, larger_tens(), -5000,
                            stream)),
        tens);
    tens.hold("segments' Reduce", wanted_tens);
}

/// Buffers of odd sizes at odd addresses.
static void copies() {
    std::vector<unsigned char> from(count), wanted(count, 0xa5);
    for (auto& byte : from) byte = static_cast<unsigned char>(random_below(160));
    items<unsigned char> x(from), to(count);
    const std::vector<int> sizes{0, 1, 17, 3}, starts{9, 3, 1, 40}, targets{0, 30, 5, 33};
    std::vector<void*> sources, sinks;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        sources.push_back(x.at + starts[i]), sinks.push_back(to.at + targets[i]);
        for (int j = 0; j < sizes[i]; ++j) wanted[targets[i] + j] = from[starts[i] + j];
    }
    items<void*> s(sources), d(sinks);
    items<int> z(sizes);
    run("Batched",
        CALL(cub::DeviceMemcpy::Batched(room, bytes, s.at, d.at, z.at,
                                        static_cast<unsigned>(sizes.size()), stream)),
        to);
    to.hold("Batched", wanted);
}

int main() {
    cudaStreamCreate(&stream);
    for (const int n : {0, 1, 2, 37, 1003}) {
        count = n;
        ints values(n);
        for (int& v : values) v = static_cast<int>(random_below(40)) - 60;
        reductions(values);
        differences(values);
        loops();
    }
    count = 57;
    segments();
    copies();
    return verdict();
}

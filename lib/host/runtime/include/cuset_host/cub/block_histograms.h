// CUB's histograms of a block's items, and the items that runs stand for.
#pragma once

#include <cuset_host/cub/block_reductions.h>

namespace cub {

#define CUSET_HOST_LINE_OF_CALL cuset_host::call_line line = cuset_host::call_line(__builtin_LINE())

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <class T, int X, int Items, int Bins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT,
          int Y = 1, int Z = 1, int = 0>
class BlockHistogram {
    static constexpr int threads = X * Y * Z;

public:
    using TempStorage = cuset_host::collective_storage<T, threads * Items>;
    BlockHistogram() : storage_(cuset_host::private_room<TempStorage, BlockHistogram>()) {}
    explicit BlockHistogram(TempStorage& storage) : storage_(storage) {}

    template <class Count>
    void InitHistogram(Count* bins) {
        for (int b = static_cast<int>(cuset_host::linear_thread()); b < Bins; b += threads)
            bins[b] = 0;
    }
    template <class Count>
    void Histogram(T (&items)[Items], Count* bins, CUSET_HOST_LINE_OF_CALL) {
        InitHistogram(bins);
        Composite(items, bins, line);
    }
    template <class Count>
    void Composite(T (&items)[Items], Count* bins, CUSET_HOST_LINE_OF_CALL) {
        const int self = static_cast<int>(cuset_host::linear_thread());
        for (int i = 0; i < Items; ++i) storage_[self * Items + i] = items[i];
        cuset_host::collective_barrier(line);
        if (self == 0)
            for (int i = 0; i < threads * Items; ++i) ++bins[static_cast<std::size_t>(storage_[i])];
        cuset_host::collective_barrier(line);
    }

private:
    TempStorage& storage_;
};

/// The items that runs stand for. A thread brings Runs of them, and gets DecodedItems.
template <class T, int X, int Runs, int DecodedItems, class Offset = unsigned, int Y = 1, int Z = 1>
class BlockRunLengthDecode {
    static constexpr int threads = X * Y * Z, count = threads * Runs;

public:
    struct TempStorage {
        cuset_host::collective_storage<T, count> values;
        cuset_host::collective_storage<Offset, count + 1> offsets;
    };
    /// From the runs' lengths; `all` becomes the number of decoded items.
    template <class Length, class All>
    BlockRunLengthDecode(TempStorage& storage, T (&values)[Runs], Length (&lengths)[Runs], All& all,
                         CUSET_HOST_LINE_OF_CALL)
        : storage_(storage) {
        put(values, lengths, line);
        if (self() == 0) {
            Offset sum = 0;
            for (int i = 0; i < count; ++i) {
                const Offset length = storage_.offsets[i];
                storage_.offsets[i] = sum;
                sum += length;
            }
            storage_.offsets[count] = sum;
        }
        cuset_host::collective_barrier(line);
        all = static_cast<All>(storage_.offsets[count]);
    }
    /// From the number of decoded items before each run.
    template <class RunOffset>
    BlockRunLengthDecode(TempStorage& storage, T (&values)[Runs], RunOffset (&offsets)[Runs],
                         CUSET_HOST_LINE_OF_CALL)
        : storage_(storage) {
        put(values, offsets, line);
    }
    /// The block's items from number `begin` on, and each one's number in its run.
    template <class Number>
    void RunLengthDecode(T (&items)[DecodedItems], Number (&in_run)[DecodedItems],
                         Offset begin = 0) {
        const Offset* const offsets = &storage_.offsets[0];
        for (int i = 0; i < DecodedItems; ++i) {
            const Offset at = begin + static_cast<Offset>(self() * DecodedItems + i);
            const int run =
                static_cast<int>(std::upper_bound(offsets, offsets + count, at) - offsets) - 1;
            items[i] = storage_.values[run];
            in_run[i] = static_cast<Number>(at - offsets[run]);
        }
    }
    void RunLengthDecode(T (&items)[DecodedItems], Offset begin = 0) {
        Offset in_run[DecodedItems];
        RunLengthDecode(items, in_run, begin);
    }

private:
    static int self() { return static_cast<int>(cuset_host::linear_thread()); }
    template <class U>
    void put(T (&values)[Runs], U (&numbers)[Runs], cuset_host::call_line line) {
        for (int i = 0; i < Runs; ++i) {
            storage_.values[self() * Runs + i] = values[i];
            storage_.offsets[self() * Runs + i] = static_cast<Offset>(numbers[i]);
        }
        cuset_host::collective_barrier(line);
    }
    TempStorage& storage_;
};

#undef CUSET_HOST_LINE_OF_CALL

}  // namespace cub

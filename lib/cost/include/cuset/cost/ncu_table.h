// What Nsight Compute measured of a program's kernels, from the table that `ncu --csv` writes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

/// The metrics of a roofline of single precision, each with its own unit in the table.
enum class ncu_metric : unsigned char {
    peak_bytes,      ///< bytes that the device's memory can move, a cycle of its clock
    memory_clock,    ///< cycles a second
    peak_ffma,       ///< fused multiply-adds of threads that the GPU can execute, a cycle
    clock,           ///< of the multiprocessors, cycles a second
    bytes,           ///< that the device's memory moved, a second
    fadd,            ///< additions of threads, a cycle of `partition_clock`
    fmul,            ///< multiplications
    ffma,            ///< fused multiply-adds
    partition_clock  ///< of the multiprocessors' partitions, cycles a second
};
inline constexpr std::size_t ncu_metric_count = 9;

/// ncu's name of it: "dram__bytes.sum.per_second".
std::string_view name_of(ncu_metric metric);

/// The metrics that CUDABench asks ncu for, with commas between them: those above, and five more of
/// double precision and of accesses, which its score does not use.
std::string ncu_metric_list();

/// The launches of one kernel.
struct kernel_profile {
    std::string name;
    std::uint64_t launches = 0;
    /// Sums over the launches, by ncu_metric, in bytes, instructions, cycles and seconds.
    std::array<double, ncu_metric_count> sums{};

    double sum_of(ncu_metric metric) const { return sums[static_cast<std::size_t>(metric)]; }
    double mean_of(ncu_metric metric) const {
        return sum_of(metric) / static_cast<double>(launches);
    }
};

/// Reads the table: a line of names, and then a line for each launch and metric, all values in
/// quotes. Lines without a quote at their beginning are others' (ncu's messages begin with "=="),
/// and so are metrics other than those above. Kernels are in the order of their names; launches of
/// one name are one kernel. Numbers may have commas between groups of three digits. Units have
/// ncu's prefixes (K, M, G and T are powers of 1000), and change from row to row: "Kbyte/cycle",
/// "Gbyte/second", "Gbyte/s", "cycle/nsecond", "Ghz", "inst/cycle".
///
/// A data error, in one line, is: no line of names (no kernel was profiled); a line that is cut or
/// has another number of values; a number or unit that is none, or a unit of another quantity, by
/// name; "n/a" for a metric above; a kernel that lacks one of them, or has more of one than of
/// others.
result<std::vector<kernel_profile>> read_ncu_table(std::string_view text);

}  // namespace cuset

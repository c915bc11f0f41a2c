// What an NVIDIA GPU executes for the operations that a run has counted.
//
// A GPU has no instruction for a division, an exponential or a sine: nvcc makes several of each.
// The table (lib/cost/sass_operations.tsv) has the mean over ordinary operands of what nvcc 13
// makes for sm_86; tests/oracle/sass computes it by interpreting nvcc's own output, and says what
// it was compared with.
#pragma once

#include <string>
#include <vector>

#include "cuset/base/sha256.h"
#include "cuset/cost/launch_cost.h"

namespace cuset {

/// As Nsight Compute counts: an addition or multiplication is one, a fused multiply-add two.
struct sass_operations {
    double fp16 = 0, fp32 = 0, fp64 = 0;
    double special = 0;  ///< MUFU: approximations of 1/x, 2^x, sine and so on, no operation above
    double integer = 0;  ///< the run's own, and those of divisions and functions
    /// Functions and divisions of half floats, which the table lacks; they are not in the sums.
    std::vector<std::string> unknown;
};

/// Of the tables, which another version of this may have others of.
digest hash_of_sass_tables();

/// `fast_math`: of a program that nvcc compiles with -use_fast_math, as launch_cost may say too.
sass_operations sass_operations_of(const launch_cost& cost, bool fast_math = false);

}  // namespace cuset

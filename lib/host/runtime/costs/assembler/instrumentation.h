// Adds counters to g++'s assembly text of x86-64, in AT&T's notation.
//
// Each block of instructions that has something to count adds one to its counter of the running
// lane, and a row behind it says what it has (operation_classes.h). g++ leaves %r10 and %r11 to
// this (-ffixed-r10 -ffixed-r11), and no flag of the processor changes. `.loc` tells the source of
// an instruction, also where it was inlined: instructions of the runtime's own headers do not
// count: a GPU has other code in their place.
// Those of its functions that stand for arithmetic are called (CUSET_HOST_ARITHMETIC), and the
// calls count. A sine and a cosine of one value in a block are one call of "sinf+cosf": nvcc
// reduces the argument once. What asm statements say of files and lines is passed over.
#pragma once

#include <string>
#include <string_view>

namespace cuset_host::costs {

/// Where the runtime's headers are: in include/ of this folder. It had another name, which nobody
/// can know, while the runtime was compiled.
struct runtime_folders {
    std::string_view now, when_built;
};

/// A row for each counter is in the sections cuset_blocks, cuset_ran, cuset_calls and
/// cuset_call_names.
std::string with_counters(std::string_view assembly, const runtime_folders& own);

}  // namespace cuset_host::costs

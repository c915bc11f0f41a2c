// The targets of fuzzing: each reader of untrusted bytes as a function of bytes. A target may
// return anything; the sanitizers must stay silent, and its own checks must hold.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuset::fuzz {

struct target {
    std::string_view name;
    void (*run)(std::string_view bytes);
    std::vector<std::string> seeds;  ///< valid inputs to start from
};

/// All targets of this build (those of lib/text and lib/model only where it has them).
std::vector<target> all_targets();

/// The target of matrices that are stored in 4 bits: tensors of a file, in stored_nf4.cpp.
void read_nf4_file(std::string_view bytes);
std::vector<std::string> nf4_files();

/// Ends the program with a message: a property that must hold for any input does not hold.
[[noreturn]] void broken(std::string_view property);

}  // namespace cuset::fuzz

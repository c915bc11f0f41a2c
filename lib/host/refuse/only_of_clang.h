// What hipcc's clang reads in another way than g++. Private to lib/host.
#pragma once

#include <string>
#include <string_view>

namespace cuset {

/// The first thing in live code of a HIP program that clang gives a meaning and g++ gives another
/// or an error: an attribute such as ext_vector_type, which g++ ignores, texture and surface
/// references, which CUDA's headers have no more, or functions of one name and the same parameters
/// for the host and for the device. Empty if there is none.
std::string only_of_clang(std::string_view text);

}  // namespace cuset

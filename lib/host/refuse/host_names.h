// How nvcc treats names of the C++ and C libraries in device code (found with nvcc 13.0).
#pragma once

#include <string_view>

namespace cuset {

enum class host_name : unsigned char {
    none,                ///< the device has it, or it is not known
    function,            ///< refused: a __host__ function
    constexpr_function,  ///< refused without --expt-relaxed-constexpr
    type,                ///< refused if an object of it is made
    constexpr_type,      ///< the same without --expt-relaxed-constexpr, except copies
    array,               ///< its members are refused without --expt-relaxed-constexpr
    object,              ///< refused
};

/// The treatment of `std::NAME`, used as a type or called.
host_name name_in_std(std::string_view name);

/// Whether this is a member function of std::numeric_limits.
bool is_limit(std::string_view name);

/// Whether this is a function of the C library or of CUDA's API that is called unqualified.
bool is_host_only_function(std::string_view name);

/// Whether this is a function of <math.h> that constant expressions cannot use.
bool is_math_function(std::string_view name);

/// Whether CUDA declares device functions of this name. A host function may then overload them.
bool is_device_library_name(std::string_view name);

}  // namespace cuset

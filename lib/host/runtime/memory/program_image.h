// What the program's own file has at an address: variables, functions, tables of virtual functions.
#pragma once

#include <cstdint>

namespace cuset_host {

enum class image_part : unsigned char {
    none,           ///< nothing of the program's file
    variable,       ///< variables, constants, literals
    code,           ///< inside a function, or between functions
    function,       ///< the beginning of a function
    virtual_table,  ///< where the first word of an object with virtual functions points to
};

/// The addresses between which all parts lie.
struct image_bounds {
    std::uintptr_t begin, end;
    bool hold(std::uintptr_t p) const { return p - begin < end - begin; }
};
const image_bounds& program_image();

image_part part_at(std::uintptr_t p);

}  // namespace cuset_host

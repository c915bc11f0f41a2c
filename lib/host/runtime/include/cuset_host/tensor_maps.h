// Copies of boxes of tensors (TMA): what cuTensorMapEncodeTiled keeps in a CUtensorMap, and the
// copies between global and shared memory that take it.
#pragma once

#include <cuset_host/threads/atomics.h>
#include <cuset_host/threads/execution.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace cuset_host {

/// The types that reductions know.
enum class tensor_element : unsigned char { other, u32, s32, u64, s64, f32 };

/// A tensor in global memory and the box that a copy takes, innermost dimension first.
struct tensor_map {
    std::uint64_t address;
    std::uint64_t strides[4];  ///< bytes, of the dimensions from the second on
    std::uint32_t sizes[5];
    std::uint16_t box[5];
    std::uint8_t steps[5];  ///< elements of the tensor from one of the box to the next
    std::uint8_t rank;
    tensor_element type;
    std::uint8_t unit;  ///< bytes of an element
    /// Bits of a shared address from 4 on that those from 7 on change: 0 to 3.
    std::uint8_t swizzle;
    bool fills_nan;      ///< else zeros outside of the tensor
    std::uint16_t made;  ///< tensor_map_made if it is one
};
constexpr std::uint16_t tensor_map_made = 0x7c3a;
static_assert(sizeof(tensor_map) <= 128);

enum class tensor_reduction : unsigned char { add, min, max, and_bits, or_bits, xor_bits };

/// What a map holds; ends the program where it is none, or one of another rank.
tensor_map opened_map(const void* map, int rank);

/// Ends the program as unsupported: a reduction that is not modelled for the map's type.
[[noreturn]] void refuse_reduction();

/// The unit swaps parts of 16 bytes within a tile, by the address in shared memory.
inline std::uintptr_t swizzled(const tensor_map& m, std::uintptr_t shared) {
    const std::uintptr_t mask = (std::uintptr_t{1} << m.swizzle) - 1;
    return shared ^ ((shared >> 7 & mask) << 4);
}

inline std::uint32_t elements_of_box(const tensor_map& m, int dimension) {
    return (m.box[dimension] + m.steps[dimension] - 1U) / m.steps[dimension];
}
inline std::uint32_t bytes_of_box(const tensor_map& m) {
    std::uint32_t bytes = m.unit;
    for (int d = 0; d < m.rank; ++d) bytes *= elements_of_box(m, d);
    return bytes;
}
inline std::uint32_t bytes_of_box(const void* map, int rank) {
    return bytes_of_box(opened_map(map, rank));
}

/// Calls look(element in global memory, or null outside of the tensor; element in shared memory)
/// for each of the box; returns the box's bytes.
template <class F>
std::uint32_t for_each_element(const tensor_map& m, const int* coordinates, void* shared,
                               const F& look) {
    std::uint32_t sizes[5] = {1, 1, 1, 1, 1}, at[5] = {};
    for (int d = 0; d < m.rank; ++d) sizes[d] = elements_of_box(m, d);
    const std::uint32_t count = bytes_of_box(m) / m.unit;
    const auto begin = reinterpret_cast<std::uintptr_t>(shared);
    for (std::uint32_t i = 0; i < count; ++i) {
        std::uint64_t offset = 0;
        bool is_inside = true;
        for (int d = 0; d < m.rank; ++d) {
            const std::int64_t place =
                std::int64_t{coordinates[d]} + std::int64_t{at[d]} * m.steps[d];
            is_inside &= place >= 0 && place < std::int64_t{m.sizes[d]};
            offset += static_cast<std::uint64_t>(place) * (d == 0 ? m.unit : m.strides[d - 1]);
        }
        look(is_inside ? reinterpret_cast<unsigned char*>(m.address + offset) : nullptr,
             reinterpret_cast<unsigned char*>(swizzled(m, begin + i * m.unit)));
        for (int d = 0; d < m.rank && ++at[d] == sizes[d]; ++d) at[d] = 0;
    }
    return count * m.unit;
}

template <class T>
void combine_element(void* to, const void* from, tensor_reduction how) {
    T other;
    std::memcpy(static_cast<void*>(&other), from, sizeof other);
    atomic_replace(static_cast<T*>(to), other, 0, [how](T a, T b) -> T {
        if (how == tensor_reduction::add) return static_cast<T>(a + b);
        if (how == tensor_reduction::min) return b < a ? b : a;
        if (how == tensor_reduction::max) return a < b ? b : a;
        if constexpr (std::is_integral_v<T>) {
            if (how == tensor_reduction::and_bits) return a & b;
            if (how == tensor_reduction::or_bits) return a | b;
            return a ^ b;
        }
        return a;
    });
}

/// Copies the box at the coordinates to shared memory; returns its bytes. What lies outside of the
/// tensor is filled.
inline std::uint32_t load_box(const void* map, const int* coordinates, int rank, void* shared) {
    const tensor_map m = opened_map(map, rank);
    return for_each_element(m, coordinates, shared,
                            [&m](const unsigned char* global, unsigned char* to) {
                                if (global != nullptr)
                                    std::memcpy(to, global, m.unit);
                                else
                                    std::memset(to, m.fills_nan ? 0xff : 0, m.unit);
                            });
}

/// Copies a box from shared memory; what lies outside of the tensor stays away.
inline void store_box(const void* map, const int* coordinates, int rank, const void* shared) {
    const tensor_map m = opened_map(map, rank);
    for_each_element(m, coordinates, const_cast<void*>(shared),
                     [&m](unsigned char* global, const unsigned char* from) {
                         if (global != nullptr) std::memcpy(global, from, m.unit);
                     });
}

/// Combines each element with the tensor's, by an atomic operation.
inline void reduce_box(const void* map, const int* coordinates, int rank, const void* shared,
                       tensor_reduction how) {
    const tensor_map m = opened_map(map, rank);
    const bool has_bits = how != tensor_reduction::add && how != tensor_reduction::min &&
                          how != tensor_reduction::max;
    for_each_element(m, coordinates, const_cast<void*>(shared),
                     [&](void* global, const void* from) {
                         if (global == nullptr) return;
                         switch (m.type) {
                             case tensor_element::u32:
                                 return combine_element<unsigned>(global, from, how);
                             case tensor_element::s32:
                                 return combine_element<int>(global, from, how);
                             case tensor_element::u64:
                                 return combine_element<unsigned long long>(global, from, how);
                             case tensor_element::s64:
                                 return combine_element<long long>(global, from, how);
                             case tensor_element::f32:
                                 if (!has_bits) return combine_element<float>(global, from, how);
                                 break;
                             default: break;
                         }
                         refuse_reduction();
                     });
}

/// load_box() into the same place of each block of the cluster whose bit is set, as a copy with
/// .multicast::cluster does; `arrived(barrier, bytes)` for the barrier in the same place of each.
template <class Arrived>
void load_box_everywhere(const void* map, const int* coordinates, int rank, void* shared,
                         void* barrier, unsigned blocks, const Arrived& arrived) {
    for (; blocks != 0; blocks &= blocks - 1) {
        const auto block = static_cast<unsigned>(__builtin_ctz(blocks));
        const std::uint32_t bytes = load_box(map, coordinates, rank, map_shared(shared, block, 0));
        arrived(map_shared(barrier, block, 0), bytes);
    }
}

}  // namespace cuset_host

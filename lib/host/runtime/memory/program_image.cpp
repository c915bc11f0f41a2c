#include "program_image.h"

#include <link.h>

#include <algorithm>
#include <array>
#include <cstddef>

// The tables of the three kinds of type information that classes have, by their names in the ABI.
extern "C" {
extern const std::uintptr_t _ZTVN10__cxxabiv117__class_type_infoE[];
extern const std::uintptr_t _ZTVN10__cxxabiv120__si_class_type_infoE[];
extern const std::uintptr_t _ZTVN10__cxxabiv121__vmi_class_type_infoE[];

/// The unwinder's table of functions. The compiler's library has it, and no header.
struct cuset_host_function_bases {
    void *text, *data, *function;
};
const void* _Unwind_Find_FDE(void* p, cuset_host_function_bases* found);
}

namespace cuset_host {

namespace {

struct segment {
    std::uintptr_t begin = 0, end = 0;
    bool is_code = false;
};

struct image {
    std::array<segment, 16> segments{};
    std::size_t count = 0;
    image_bounds bounds{~std::uintptr_t{0}, 0};

    image() {
        // The first that is told of is the program.
        ::dl_iterate_phdr(
            [](dl_phdr_info* info, std::size_t, void* self) {
                static_cast<image*>(self)->take(*info);
                return 1;
            },
            this);
        if (count == 0) bounds = {0, 0};
    }
    void take(const dl_phdr_info& info) {
        for (unsigned i = 0; i < info.dlpi_phnum && count < segments.size(); ++i) {
            const auto& header = info.dlpi_phdr[i];
            if (header.p_type != PT_LOAD) continue;
            const std::uintptr_t begin = info.dlpi_addr + header.p_vaddr;
            const segment made{begin, begin + header.p_memsz, (header.p_flags & PF_X) != 0};
            bounds.begin = std::min(bounds.begin, made.begin);
            bounds.end = std::max(bounds.end, made.end);
            segments[count++] = made;
        }
    }
    const segment* holder(std::uintptr_t p) const {
        for (std::size_t i = 0; i < count; ++i)
            if (p >= segments[i].begin && p < segments[i].end) return &segments[i];
        return nullptr;
    }
};

const image& all() {
    static const image made;
    return made;
}

/// The word there, if it is one of the program's data.
bool data_at(std::uintptr_t p, std::uintptr_t& word) {
    if (p % sizeof word != 0) return false;
    const segment* const held = all().holder(p);
    if (held == nullptr || held->is_code || held->end - p < sizeof word) return false;
    word = *reinterpret_cast<const std::uintptr_t*>(p);
    return true;
}

/// The word before a table's beginning points to the type information of its class.
bool is_virtual_table(std::uintptr_t p) {
    std::uintptr_t type = 0, kind = 0;
    if (!data_at(p - sizeof p, type) || !data_at(type, kind)) return false;
    const auto is_kind = [kind](const std::uintptr_t* table) {
        return kind == reinterpret_cast<std::uintptr_t>(table + 2);
    };
    return is_kind(_ZTVN10__cxxabiv117__class_type_infoE) ||
           is_kind(_ZTVN10__cxxabiv120__si_class_type_infoE) ||
           is_kind(_ZTVN10__cxxabiv121__vmi_class_type_infoE);
}

bool is_function(std::uintptr_t p) {
    cuset_host_function_bases found{};
    return _Unwind_Find_FDE(reinterpret_cast<void*>(p), &found) != nullptr &&
           reinterpret_cast<std::uintptr_t>(found.function) == p;
}

}  // namespace

const image_bounds& program_image() { return all().bounds; }

image_part part_at(std::uintptr_t p) {
    if (!program_image().hold(p)) return image_part::none;
    const segment* const held = all().holder(p);
    if (held == nullptr) return image_part::none;
    if (held->is_code) return is_function(p) ? image_part::function : image_part::code;
    return is_virtual_table(p) ? image_part::virtual_table : image_part::variable;
}

}  // namespace cuset_host

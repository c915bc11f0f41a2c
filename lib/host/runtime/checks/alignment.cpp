#include "cuset_host/alignment.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "cuset_host/device_memory.h"
#include "cuset_host/faults.h"
#include "launch/block_runner.h"

namespace cuset_host {

namespace {

/// "float4" of "'const struct float4'".
std::string_view plain(std::string_view name) {
    if (name.size() > 2 && name.front() == '\'') name = name.substr(1, name.size() - 2);
    for (const std::string_view word : {"const ", "volatile ", "struct ", "union ", "class "})
        if (name.substr(0, word.size()) == word) name.remove_prefix(word.size());
    return name;
}

}  // namespace

void meet_misaligned(const void* p, std::size_t alignment, const char* type, int line) {
    const block_runner* const runner = block_runner::current();
    if (runner == nullptr || (!runner->is_shared(p) && kind_of(p) == memory_kind::host)) return;
    const std::string_view needs = plain(type);
    // Nothing here asks for memory: what the program does when asked may end it before the fault is
    // reported.
    char what[192];
    std::snprintf(what, sizeof what,
                  "misaligned address: %.*s needs a multiple of %zu bytes, and lies %zu beyond one",
                  static_cast<int>(std::min<std::size_t>(needs.size(), 80)), needs.data(),
                  alignment,
                  static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(p) % alignment));
    fail_access(cudaErrorMisalignedAddress, what, line);
}

void meet_misaligned_rows(const void* p, std::size_t row_bytes, const char* operation, int line) {
    const block_runner* const runner = block_runner::current();
    if (runner == nullptr) return;
#ifndef CUSET_HOST_CHECK
    if (!runner->is_shared(p)) return;
#else
    static_cast<void>(p);
#endif
    char what[160];
    std::snprintf(
        what, sizeof what,
        "misaligned address: %s needs rows that are a multiple of 16 bytes apart, not %zu",
        operation, row_bytes);
    fail_access(cudaErrorMisalignedAddress, what, line);
}

namespace {

// What g++ writes for -fsanitize=alignment (its ubsan.cc: ubsan_type_mismatch_data).
struct place_in_source {
    const char* file;
    unsigned line, column;
};
struct type_name {
    unsigned short kind, info;
    char text[1];  // 'const struct float4'
};
struct type_mismatch {
    place_in_source at;
    const type_name* type;
    unsigned char alignment_log2;
    unsigned char kind;
};
enum : unsigned char { load = 0, store = 1 };

}  // namespace

}  // namespace cuset_host

extern "C" {

/// Called before an access at an address that is no multiple of its type's alignment. An access to
/// a member is none of the whole: a GPU may read the member alone. Nor is a reference.
void __ubsan_handle_type_mismatch_v1(void* data, void* pointer) {
    using namespace cuset_host;
    const auto& about = *static_cast<const type_mismatch*>(data);
    if (about.kind != load && about.kind != store) return;
    meet_misaligned(pointer, std::size_t{1} << about.alignment_log2, about.type->text,
                    static_cast<int>(about.at.line));
}

/// -fsanitize=unreachable is there for what it keeps g++ from doing.
[[noreturn]] void __ubsan_handle_builtin_unreachable(void*) { __builtin_trap(); }
}

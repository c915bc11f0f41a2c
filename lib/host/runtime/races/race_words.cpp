#ifdef CUSET_HOST_RACES

#include "race_words.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "cuset_host/device_memory.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/execution.h"

extern "C" {
extern const char __executable_start[];
// GCC's libbacktrace, where the compiler has it. Debian's has.
struct backtrace_state;
backtrace_state* backtrace_create_state(const char* program, int threaded,
                                        void (*on_error)(void*, const char*, int), void* data)
    __attribute__((weak));
int backtrace_pcinfo(backtrace_state* state, std::uintptr_t pc,
                     int (*on_line)(void*, std::uintptr_t, const char*, int, const char*),
                     void (*on_error)(void*, const char*, int), void* data) __attribute__((weak));
}

namespace cuset_host::races {

std::uintptr_t program_begin() { return reinterpret_cast<std::uintptr_t>(__executable_start); }

int line_of_code(std::uintptr_t pc) {
    if (backtrace_create_state == nullptr) return 0;
    const auto ignore = [](void*, const char*, int) {};
    static backtrace_state* const state = backtrace_create_state(nullptr, 1, ignore, nullptr);
    int found = 0;
    // Of functions within each other, the innermost that is the program's.
    const auto take = [](void* to, std::uintptr_t, const char* file, int line, const char*) {
        if (file == nullptr ||
            std::string_view(file).substr(std::max<std::size_t>(std::strlen(file), 10) - 10) !=
                "program.cu")
            return 0;
        *static_cast<int*>(to) = line;
        return 1;
    };
    if (state != nullptr) backtrace_pcinfo(state, pc - 1, take, ignore, &found);
    return found;
}

static constexpr std::uint32_t line_bit = 1U << 30, where_bits = block_bit - 1;

std::uint32_t place_of(const access& a) {
    const std::uint32_t where =
        a.pc == nullptr
            ? line_bit | (static_cast<std::uint32_t>(a.line) & where_bits)
            : static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(a.pc) - program_begin()) &
                  where_bits;
    return where | (a.writes && a.is_strong ? writes_bit : 0) | (a.is_of_block ? block_bit : 0);
}

int line_of_place(std::uint32_t place) {
    const std::uint32_t where = place & where_bits;
    return (place & line_bit) != 0 ? static_cast<int>(where)
                                   : line_of_code(program_begin() + where);
}

uint3 place_in(std::uint64_t number, const dim3& shape) {
    return {static_cast<unsigned>(number % shape.x),
            static_cast<unsigned>(number / shape.x % shape.y),
            static_cast<unsigned>(number / shape.x / shape.y)};
}

static std::string triple(std::uint64_t number, const dim3& shape) {
    const uint3 at = place_in(number, shape);
    return '(' + std::to_string(at.x) + ',' + std::to_string(at.y) + ',' + std::to_string(at.z) +
           ')';
}

std::string thread_text(std::uint64_t block, unsigned thread) {
    return "block " + triple(block, gridDim) + ", thread " + triple(thread, blockDim);
}

static std::string count_text(std::size_t bytes) {
    return std::to_string(bytes) + (bytes == 1 ? " byte of " : " bytes of ");
}

std::string shared_place_text(std::size_t bytes, const block_clock& holder) {
    const std::string text = count_text(bytes) + "shared memory";
    const std::uint64_t number = holder.number();
    if (number == blockIdx.x + std::uint64_t{gridDim.x} *
                                   (blockIdx.y + std::uint64_t{gridDim.y} * blockIdx.z))
        return text;
    return text + " of block " + triple(number, gridDim);
}

std::string place_text(std::uintptr_t address, std::size_t bytes) {
    const std::string count = count_text(bytes);
    allocation found;
    if (!find_allocation(reinterpret_cast<const void*>(address), found))
        return count + "a variable";
    return count + "allocation " + std::to_string(found.number) + ", from byte " +
           std::to_string(address - found.begin) + " on";
}

static bool is_of_running_graph(const task_name& other) {
    return other.graph != 0 && other.graph == running_task().graph;
}

std::string task_text(const task_name& other) {
    if (is_of_running_graph(other)) return other.work + " in node " + other.node + " of the graph";
    if (overlaps_with(other)) return other.work + ", which may not have ended,";
    return other.work + (other.graph != 0 ? " of another graph" : " of another stream");
}

std::string disorder_text(const task_name& other) {
    if (overlaps_with(other)) return ", and no cudaGridDependencySynchronize() waits for it";
    if (!is_of_running_graph(other)) return ", and nothing orders the two accesses";
    return ", and no dependencies order node " + other.node + " and node " + running_task().node;
}

std::string race_text(std::uintptr_t address, std::size_t bytes, const access_mark& before,
                      bool before_wrote, std::uint32_t place, const char* verb) {
    const int line = line_of_place(before.place);
    const block_clock* const holder = current == nullptr ? nullptr : current->holder_of(address);
    std::string who, disorder = ", and nothing orders the two accesses";
    if (is_past(before.segment)) {
        const stream_task* const task = beside_task(before.segment);
        who = task != nullptr ? task_text(task->name) : "another kernel";
        if (task != nullptr) disorder = disorder_text(task->name);
    } else {
        const segment& s = segment_of(before.segment);
        who = thread_text(block_of(s).number, s.thread);
    }
    return running_thread(line_of_place(place)) + ": " + verb + ' ' +
           (holder != nullptr ? shared_place_text(bytes, *holder) : place_text(address, bytes)) +
           ", which " + who + (before_wrote ? " wrote" : " read") +
           (line != 0 ? " in line " + std::to_string(line) : "") + disorder;
}

}  // namespace cuset_host::races

#endif

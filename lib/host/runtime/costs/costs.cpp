#ifdef CUSET_HOST_COUNT

#include "costs.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <iostream>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "accesses.h"
#include "core/channel.h"
#include "core/settings.h"
#include "core/system_calls.h"
#include "cuset_host/library_work.h"
#include "cuset_host/threads/local_arrays.h"
#include "device/device_model.h"
#include "executed_blocks.h"
#include "launch/block_runner.h"
#include "launch_records.h"
#include "memory/kernel_stores.h"
#include "memory_traffic.h"
#include "warp_accesses.h"

extern "C" {
extern __constinit thread_local unsigned cuset_host_lane;
extern char __data_start[], _end[];
}

namespace cuset_host::costs {

namespace {

/// Cycles that warps would take alone, one instruction after another.
struct warp_times {
    warp_waits all, longest;
};

struct region {
    std::uintptr_t base;
    std::size_t bytes;
};

constexpr unsigned no_warp = ~0U;

struct state {
    region regions[3] = {};
    std::size_t region_count = 0;

    executed_blocks blocks;
    warp_accesses accesses;
    memory_traffic memory{std::size_t{64} << 10, cache_bytes()};
    const unsigned char* shared = nullptr;
    std::size_t shared_bytes = 0;
    unsigned warp = no_warp;
    /// Of the launch: bytes below the beginning of a thread's stack, from which an array reaches
    /// up.
    struct local_array {
        std::size_t depth, bytes;
    } local_arrays[32] = {};
    std::size_t local_array_count = 0;
    warp_waits waits_of_warp[32] = {};  // of the block
    warp_times times;                   // of the launch

    launch_key running{};
    std::uint64_t barriers = 0;
    std::set<std::string> left_out;
    const char* last_left_out = nullptr;
    std::mutex mutex;  // of what follows: libraries work beside kernels
    std::map<launch_key, launch_cost> launches;
    std::map<std::pair<std::string, int>, std::map<thread_loop, unsigned>> instances;  // of a place
    /// Of each kernel, and each of its instances.
    std::map<std::string, std::set<std::string>> signatures;
    std::map<thread_loop, std::string> signature_of;

    static std::size_t cache_bytes() {
        return settings().cache_bytes != 0 ? settings().cache_bytes : device().l2_cache;
    }
    void end_step() {
        blocks.end_step();
        accesses.end_step(memory);
        // A warp's next instruction mostly needs the outcome of the one before.
        constexpr std::uint64_t instruction_cycles = 4;
        warp_waits waits = memory.take_waits();
        waits.cycles += blocks.take_instructions() * instruction_cycles;
        if (warp == no_warp) return;
        waits_of_warp[warp].cycles += waits.cycles;
        waits_of_warp[warp].beyond_l1 += waits.beyond_l1;
    }
    /// The depth on the stack of an address in one of the thread's arrays; 0 for any other.
    std::size_t depth_in_array(std::uintptr_t address) const {
        const block_runner* const runner = block_runner::current();
        if (local_array_count == 0 || runner == nullptr) return 0;
        const std::size_t depth = runner->depth_on_stack(address);
        for (std::size_t i = 0; i < local_array_count; ++i)
            if (local_arrays[i].depth - depth < local_arrays[i].bytes) return depth;
        return 0;
    }
    void end_block() {
        for (warp_waits& waits : waits_of_warp) {
            times.all.cycles += waits.cycles;
            times.all.beyond_l1 += waits.beyond_l1;
            if (waits.cycles > times.longest.cycles) times.longest = waits;
            waits = {};
        }
    }
};

/// Never destroyed: destructors of the program's variables may launch kernels. The first call comes
/// before the program begins.
state* kept_state = nullptr;
inline state& all() {
    if (kept_state == nullptr) kept_state = new state;
    return *kept_state;
}

bool is_watched(const state& s, std::uintptr_t address) {
    for (std::size_t i = 0; i < s.region_count; ++i)
        if (address - s.regions[i].base < s.regions[i].bytes) return true;
    return false;
}

}  // namespace

void watch_region(std::uintptr_t base, std::size_t bytes) {
    state& s = all();
    if (s.region_count == 0) {
        const auto variables = reinterpret_cast<std::uintptr_t>(__data_start);
        s.regions[s.region_count++] = {variables,
                                       reinterpret_cast<std::uintptr_t>(_end) - variables};
    }
    s.regions[s.region_count++] = {base, bytes};
}

void begin_launch(const site& at, const configuration& shape, thread_loop loop,
                  const void* function) {
    state& s = all();
    const std::lock_guard lock(s.mutex);
    auto& loops = s.instances[{at.kernel, at.line}];
    const unsigned instance = loops.emplace(loop, loops.size()).first->second;
    const auto [found, is_new] = s.signature_of.emplace(loop, std::string());
    if (is_new) found->second = signature_of(at, function);
    s.signatures[at.kernel].insert(found->second);
    s.running = {at.kernel,          at.line,  shape.grid,   shape.block,
                 shape.shared_bytes, instance, found->second};
    s.barriers = 0;
    s.times = {};
    s.local_array_count = 0;
    s.left_out.clear();
    s.last_left_out = nullptr;
    const std::uint64_t threads = std::uint64_t{shape.block.x} * shape.block.y * shape.block.z;
    const std::uint64_t blocks = std::uint64_t{shape.grid.x} * shape.grid.y * shape.grid.z;
    const auto resident = static_cast<std::uint64_t>(
        std::max(1, resident_blocks(static_cast<unsigned>(threads), shape.shared_bytes)));
    const std::uint64_t processors = settings().multiprocessors != 0
                                         ? settings().multiprocessors
                                         : static_cast<std::uint64_t>(device().processors);
    s.memory.begin_launch(std::min(resident, (blocks + processors - 1) / processors),
                          std::min(blocks, resident * processors));
}

static void end_counting() {
    state& s = all();
    executed_operations operations = s.blocks.take();
    const traffic memory = s.memory.take();
    const std::lock_guard lock(s.mutex);
    // What comes beyond so many kinds of launches is told together.
    constexpr std::size_t most_launches = 1000;
    const bool is_new = s.launches.find(s.running) == s.launches.end();
    if (is_new && s.launches.size() >= most_launches) {
        s.running = named_only("(other launches)");
        s.left_out.insert("the time of launches beyond 1,000 configurations");
    }
    for (const auto& [kind, name] : {std::pair{of_ptx, "arithmetic of inline PTX"},
                                     {of_cub, "CUB's own arithmetic"},
                                     {of_curand, "cuRAND's arithmetic"},
                                     {of_tensor_cores, "tensor cores"},
                                     {of_const_tables, "tables that are const"}})
        if (operations.counts[kind] != 0) s.left_out.insert(name);
    launch_cost& cost = s.launches[s.running];
    ++cost.launches;
    cost.barriers += s.barriers;
    const auto cycles_of = [further = further_cycles(memory)](const warp_waits& waits) {
        return static_cast<double>(waits.cycles) + further * static_cast<double>(waits.beyond_l1);
    };
    cost.warp_cycles += cycles_of(s.times.all);
    cost.longest_warp += cycles_of(s.times.longest);
    cost.operations.add(operations);
    cost.memory.add(memory);
    cost.left_out.insert(s.left_out.begin(), s.left_out.end());
}

void end_launch() {
    end_counting();
    // Where only some launches are wanted, the program ends behind the last of them.
    static std::uint64_t counted = 0;
    if (++counted != settings().counted_launches) return;
    std::cout.flush();
    std::clog.flush();
    std::fflush(nullptr);
    tell_counts();
    tell();
    end_plainly(0);
}

void enter_block(const unsigned char* shared, std::size_t shared_bytes) {
    state& s = all();
    s.shared = shared;
    s.shared_bytes = shared_bytes;
    s.warp = no_warp;
    s.memory.begin_block();
}

void leave_block() {
    cuset_host_lane = warp_lanes;
    all().end_step();
    all().end_block();
}

void block_met() {
    ++all().barriers;
    all().end_step();
}

void lanes_met() { all().end_step(); }

void leave_out(const char* what) {
    state& s = all();
    if (s.last_left_out == what) return;
    const std::lock_guard lock(s.mutex);
    s.last_left_out = what;
    s.left_out.insert(what);
}

void leave_out_library() {
    state& s = all();
    const std::lock_guard lock(s.mutex);
    launch_cost& cost = s.launches[named_only("(CUDA's libraries)")];
    ++cost.launches;
    cost.left_out.insert("kernels of CUDA's libraries");
}

void tell() {
    state& s = all();
    const std::lock_guard lock(s.mutex);
    for (const auto& [key, cost] : s.launches) {
        launch_key told = key;
        if (s.instances[{key.kernel, key.line}].size() > 1)
            ++told.instance;
        else
            told.instance = 0;
        report(line_of(told, cost, s.signatures[key.kernel].size() > 1));
    }
}

/// Code of the host that reaches device memory is Thrust's, whose algorithms work there in the
/// place of kernels, or CUB's.
static void look_from_host(state& s, std::uintptr_t address) {
    static std::atomic<bool> has_seen{false};
    const region& device = s.regions[1];  // behind the program's variables
    if (address - device.base >= device.bytes || has_seen || is_in_library()) return;
    const std::lock_guard lock(s.mutex);
    s.launches[named_only("(Thrust)")].left_out.insert("Thrust's algorithms");
    has_seen = true;
}

void look(std::uintptr_t address, std::size_t bytes, access_kind kind, const void* instruction,
          update_loop loop) {
    const unsigned lane = cuset_host_lane;
    state& s = all();
    if (lane >= warp_lanes) return look_from_host(s, address);
    memory_space space = memory_space::global;
    if (address - reinterpret_cast<std::uintptr_t>(s.shared) < s.shared_bytes) {
        space = memory_space::shared;
    } else if (!is_watched(s, address)) {
        const std::size_t depth = s.depth_in_array(address);
        if (depth == 0) return;
        space = memory_space::local;
        address = local_address(s.warp, lane, depth, static_cast<std::uint32_t>(bytes));
    }
    if (s.accesses.is_full(lane)) {
        // Until the warp's other lanes are as far, or wait or have ended. Whoever goes on first
        // ends the step for all of them.
        step(0);
        if (s.accesses.is_full(lane)) s.end_step();
    }
    s.accesses.add(lane, {instruction, address, static_cast<std::uint32_t>(bytes), kind, space,
                          static_cast<std::uint8_t>(lane), loop});
}

/// See look_at_range().
static std::size_t bytes_of_piece(std::size_t bytes) {
    const std::size_t allowed = bytes & (~bytes + 1);  // the lowest bit
    constexpr std::size_t usual = 4, wide = 8;
    return allowed == wide && bytes > 2 * wide ? wide : std::min(allowed, usual);
}

void look_at_range(const void* at, std::size_t bytes, access_kind kind, const void* instruction) {
    const auto begin = reinterpret_cast<std::uintptr_t>(at);
    const std::size_t piece = bytes_of_piece(bytes);
    for (std::size_t done = 0; done < bytes; done += piece)
        look(begin + done, piece, kind, instruction);
}

}  // namespace cuset_host::costs

namespace cuset_host {

void enter_counted_thread() {
    costs::state& s = costs::all();
    const unsigned thread = linear_thread(), warp = thread / costs::warp_lanes;
    if (warp != s.warp) {
        if (s.warp != costs::no_warp) s.end_step();
        s.warp = warp;
    }
    cuset_host_lane = thread % costs::warp_lanes;
}

void note_uncounted(const char* what) { costs::leave_out(what); }

void note_local_array(const volatile void* array, std::size_t bytes) {
    costs::state& s = costs::all();
    const block_runner* const runner = block_runner::current();
    if (runner == nullptr) return;
    const std::size_t depth = runner->depth_on_stack(reinterpret_cast<std::uintptr_t>(array));
    if (depth == 0) return;
    for (std::size_t i = 0; i < s.local_array_count; ++i)
        if (s.local_arrays[i].depth == depth && s.local_arrays[i].bytes >= bytes) return;
    constexpr std::size_t most = sizeof s.local_arrays / sizeof s.local_arrays[0];
    if (s.local_array_count < most) s.local_arrays[s.local_array_count++] = {depth, bytes};
}

void note_atomic(const volatile void* address, unsigned bytes, int line) {
    // Several atomics of one line are one access of a warp's each time, as they come in turns.
    constexpr int marks = block_scope | only_loads | swap_loop | adding_loop;
    const auto place = static_cast<std::uintptr_t>(line & ~marks);
    const auto loop = (line & adding_loop) != 0 ? costs::update_loop::adds
                      : (line & swap_loop) != 0 ? costs::update_loop::swaps
                                                : costs::update_loop::none;
    costs::look(reinterpret_cast<std::uintptr_t>(address), bytes, costs::access_kind::atomic,
                reinterpret_cast<const void*>(place), loop);
}

}  // namespace cuset_host

#endif

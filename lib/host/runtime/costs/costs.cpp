#ifdef CUSET_HOST_COUNT

#include "costs.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>

#include "accesses.h"
#include "core/channel.h"
#include "core/settings.h"
#include "core/system_calls.h"
#include "cuset_host/library_work.h"
#include "device/device_model.h"
#include "executed_blocks.h"
#include "launch/block_runner.h"
#include "memory/kernel_stores.h"
#include "memory_traffic.h"
#include "warp_accesses.h"

extern "C" {
extern __constinit thread_local unsigned cuset_host_lane;
extern char __data_start[], _end[];
}

namespace cuset_host::costs {

namespace {

/// Launches that are told apart. A template's instances have numbers in the order of their first
/// launches from one place.
struct launch_key {
    std::string kernel;
    int line;
    dim3 grid, block;
    std::size_t shared_bytes;
    unsigned instance;
    std::string signature;  // of the instance
    auto parts() const {
        return std::tie(kernel, line, instance, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                        shared_bytes);
    }
    bool operator<(const launch_key& other) const { return parts() < other.parts(); }
};

/// Cycles that warps would take alone, one instruction after another.
struct warp_times {
    warp_waits all, longest;
};

struct launch_cost {
    std::uint64_t launches = 0, barriers = 0;
    double warp_cycles = 0, longest_warp = 0;  // of all warps, and of the longest of each launch
    executed_operations operations;
    traffic memory;
    std::set<std::string> left_out;
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

/// What is missing is 0: a line of the channel has an end.
void append(std::string& text, const char* name, std::uint64_t value) {
    if (value == 0) return;
    if (text.back() != '{') text += ',';
    text += '"';
    text += name;
    text += "\":";
    text += std::to_string(value);
}

void append_text(std::string& text, const std::string& value) {
    text += '"';
    for (const char c : value) {
        if (c == '"' || c == '\\') text += '\\';
        if (static_cast<unsigned char>(c) >= ' ') text += c;
    }
    text += '"';
}

void append_shape(std::string& text, const char* name, const dim3& d) {
    text += ",\"";
    text += name;
    text += "\":[";
    text += std::to_string(d.x) + ',';
    text += std::to_string(d.y) + ',';
    text += std::to_string(d.z) + ']';
}

constexpr const char* widths[] = {"fp16", "fp32", "fp64"};
constexpr const char* of_width[] = {"add", "fma", "div", "rcp", "sqrt"};

std::string plain_name(const char* symbol) {
    int state = 0;
    char* const plain = abi::__cxa_demangle(symbol, nullptr, nullptr, &state);
    const std::string text = state == 0 ? plain : "";
    std::free(plain);
    return text;
}

/// "k<float>(int, float*)" where the program's dynamic symbols have the kernel, or only its
/// parameters.
std::string signature_of(const site& at, const void* function) {
    Dl_info found{};
    std::string text;
    if (function != nullptr && dladdr(function, &found) != 0 && found.dli_saddr == function)
        text = plain_name(found.dli_sname);
    const std::string result = "void ";
    if (!text.empty())
        return text.compare(0, result.size(), result) == 0 ? text.substr(result.size()) : text;
    if (at.type != nullptr) text = plain_name(at.type);
    const std::size_t open = text.find('(');
    return open == text.npos ? "" : at.kernel + text.substr(open);
}

std::string line_of(const launch_key& key, const launch_cost& cost) {
    std::string text = "cost {\"kernel\":";
    append_text(text, key.kernel);
    if (all().signatures[key.kernel].size() > 1 && !key.signature.empty()) {
        text += ",\"signature\":";
        append_text(text, key.signature);
    }
    append(text, "line", static_cast<std::uint64_t>(std::max(key.line, 0)));
    if (all().instances[{key.kernel, key.line}].size() > 1)
        append(text, "instance", key.instance + 1);
    append_shape(text, "grid", key.grid);
    append_shape(text, "block", key.block);
    append(text, "dynamic_shared", key.shared_bytes);
    append(text, "launches", cost.launches);
    const std::uint64_t* counts = cost.operations.counts;
    constexpr unsigned kinds = float_add - half_add;
    for (unsigned width = 0; width < 3; ++width) {
        text += ",\"";
        text += widths[width];
        text += "\":{";
        for (unsigned kind = 0; kind < kinds; ++kind)
            append(text, of_width[kind], counts[width * kinds + kind]);
        text += '}';
    }
    text += ",\"functions\":{";
    for (const auto& [name, calls] : cost.operations.functions) append(text, name.c_str(), calls);
    text += '}';
    append(text, "integer", counts[integer]);
    append(text, "integer_div", counts[integer_divide]);
    append(text, "comparisons", counts[comparison]);
    append(text, "conversions", counts[conversion]);
    append(text, "instructions", counts[instruction]);
    append(text, "lane_steps", cost.operations.lane_steps);
    append(text, "warp_steps", cost.operations.warp_steps);
    const traffic& t = cost.memory;
    append(text, "bytes_read", t.bytes_read);
    append(text, "bytes_written", t.bytes_written);
    append(text, "accesses", t.accesses);
    append(text, "accessing_lanes", t.accessing_lanes);
    append(text, "sectors", t.sectors);
    append(text, "lines", t.lines);
    append(text, "l2_sectors", t.cache_sectors);
    append(text, "dram_read", t.device_sectors_read * sector_bytes);
    append(text, "dram_written", t.device_sectors_written * sector_bytes);
    append(text, "shared_bytes", t.shared_bytes);
    append(text, "shared_accesses", t.shared_accesses);
    append(text, "bank_conflicts", t.bank_conflicts);
    append(text, "local_bytes", t.local_bytes);
    append(text, "atomics", t.atomics);
    append(text, "most_atomics", t.most_atomics);
    append(text, "warp_cycles", static_cast<std::uint64_t>(cost.warp_cycles));
    append(text, "longest_warp", static_cast<std::uint64_t>(cost.longest_warp));
    append(text, "barriers", cost.barriers);
    text += ",\"not_counted\":[";
    for (const auto& what : cost.left_out) {
        if (text.back() != '[') text += ',';
        append_text(text, what);
    }
    return text + "]}";
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

/// Of launches that have no configuration in common, or none: a grid of no blocks.
static launch_key named_only(const char* name) {
    return {name, 0, dim3(0, 0, 0), dim3(0, 0, 0), 0, 0, {}};
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

void leave_out(const char* what) { all().left_out.insert(what); }

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
    for (const auto& [key, cost] : s.launches) report(line_of(key, cost));
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
          bool is_swap_loop) {
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
                          static_cast<std::uint8_t>(lane), is_swap_loop});
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

void note_local_array(const void* array, std::size_t bytes) {
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
    const auto place = static_cast<std::uintptr_t>(line & ~(block_scope | swap_loop));
    costs::look(reinterpret_cast<std::uintptr_t>(address), bytes, costs::access_kind::atomic,
                reinterpret_cast<const void*>(place), (line & swap_loop) != 0);
}

}  // namespace cuset_host

#endif

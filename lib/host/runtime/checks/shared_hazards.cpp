#ifdef CUSET_HOST_CHECK

#include "shared_hazards.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/findings.h"
#include "cuset_host/faults.h"
#include "cuset_host/threads/execution.h"
#include "finding_words.h"
#include "launch/shared_layout.h"

namespace cuset_host::checks {

namespace {

constexpr std::size_t warps = 32;   // at most, in a block
constexpr std::size_t room = 2048;  // before and behind: addresses there are taken to be meant so

std::string thread_text(unsigned linear) {
    return "thread (" + std::to_string(linear % blockDim.x) + ',' +
           std::to_string(linear / blockDim.x % blockDim.y) + ',' +
           std::to_string(linear / blockDim.x / blockDim.y) + ')';
}

// Of the sizes of most accesses, without a call of memcmp() or memcpy(), whose arguments
// AddressSanitizer would look at.
template <class Type>
bool are_equal_as(const unsigned char* a, const unsigned char* b) {
    Type x, y;
    __builtin_memcpy(&x, a, sizeof x);
    __builtin_memcpy(&y, b, sizeof y);
    return x == y;
}
bool are_equal(const unsigned char* a, const unsigned char* b, std::size_t bytes) {
    switch (bytes) {
        case 1: return *a == *b;
        case 2: return are_equal_as<std::uint16_t>(a, b);
        case 4: return are_equal_as<std::uint32_t>(a, b);
        case 8: return are_equal_as<std::uint64_t>(a, b);
        case 16:
            return are_equal_as<std::uint64_t>(a, b) && are_equal_as<std::uint64_t>(a + 8, b + 8);
        default: return std::equal(a, a + bytes, b);
    }
}
void copy_bytes(unsigned char* to, const unsigned char* from, std::size_t bytes) {
    switch (bytes) {
        case 1: *to = *from; return;
        case 2: __builtin_memcpy(to, from, 2); return;
        case 4: __builtin_memcpy(to, from, 4); return;
        case 8: __builtin_memcpy(to, from, 8); return;
        case 16: __builtin_memcpy(to, from, 16); return;
        default: std::copy(from, from + bytes, to);
    }
}

}  // namespace

std::uintptr_t shared_watch::place_of(const touch& t) {
    return t.line != 0 ? static_cast<std::uintptr_t>(t.line)
                       : reinterpret_cast<std::uintptr_t>(t.pc);
}

void shared_watch::begin_block(unsigned char* base, unsigned char* dynamic,
                               std::size_t dynamic_bytes) {
    base_ = reinterpret_cast<std::uintptr_t>(base);
    dynamic_ = reinterpret_cast<std::uintptr_t>(dynamic);
    dynamic_bytes_ = dynamic_bytes;
    bytes_ = dynamic_ - base_ + dynamic_bytes + room;
    fresh_.assign(bytes_ + word, byte_state::outside);  // words are looked at as a whole
    for (const auto& v : shared_variables())
        std::fill_n(fresh_.begin() + static_cast<std::ptrdiff_t>(v.offset), v.bytes,
                    byte_state::unset);
    std::fill_n(fresh_.begin() + static_cast<std::ptrdiff_t>(dynamic_ - base_), dynamic_bytes,
                byte_state::unset);
    states_ = fresh_;
    if (parts_.size() < bytes_) {
        parts_.resize(bytes_ + word);
        histories_.resize(parts_.size() / word + 1);
    }
    recent_count_ = 0;
    unset_read_.clear();
    same_values_.clear();
    std::fill(std::begin(has_learned_), std::end(has_learned_), false);
    if (!known_.empty()) {
        known_.clear();
        known_warps_.clear();
        std::fill(std::begin(fences_), std::end(fences_), 0U);
    }
    first_turn_ = ++turn_;
}

void shared_watch::take_for_set() {
    std::replace(states_.begin(), states_.end(), byte_state::unset, byte_state::set);
}

shared_watch::touch shared_watch::now(const void* pc, bool atomic) const {
    const unsigned thread = linear_thread();
    return {turn_,
            warp_turn_[thread / 32],
            ordered_turn_[thread / 32],
            static_cast<std::uint16_t>(thread),
            atomic,
            fences_[thread],
            fenced_turn_[thread],
            0,
            pc};
}

bool shared_watch::are_ordered_in_turn(const touch& before, const touch& later) const {
    if (!known_.empty() &&
        (before.fences < known_[later.thread * std::size_t{block_threads()} + before.thread] ||
         before.ordered_turn < known_warps_[later.thread * warps + before.thread / 32]))
        return true;
    return before.thread / 32 == later.thread / 32 && before.warp_turn != later.warp_turn;
}

void shared_watch::note_fence() {
    leave_thread();
    const std::size_t threads = block_threads();
    if (known_.empty()) {
        known_.resize(threads * threads);
        known_warps_.resize(threads * warps);
    }
    const unsigned thread = linear_thread();
    ++fences_[thread];
    fenced_turn_[thread] = ordered_turn_[thread / 32];
}

/// What was done for one lane has been done for all of them, which may be more than have met.
void shared_watch::lanes_ordered(unsigned warp) {
    ++ordered_turn_[warp];
    if (!has_learned_[warp]) return;
    has_learned_[warp] = false;
    const std::size_t threads = block_threads(), first = warp * warps;
    const std::size_t lanes = std::min(warps, threads - first);
    const auto join = [&](std::vector<std::uint32_t>& of_all, std::size_t count) {
        std::vector<std::uint32_t> most(count);
        for (std::size_t i = 0; i < lanes * count; ++i)
            most[i % count] = std::max(most[i % count], of_all[first * count + i]);
        for (std::size_t lane = 0; lane < lanes; ++lane)
            std::copy(most.begin(), most.end(),
                      of_all.begin() + static_cast<std::ptrdiff_t>((first + lane) * count));
    };
    join(known_, threads);
    join(known_warps_, warps);
}

void shared_watch::learn_from(const touch& atomic_write, unsigned thread) {
    if (known_.empty() || !atomic_write.atomic || atomic_write.turn != turn_ ||
        atomic_write.thread == thread)
        return;
    has_learned_[thread / warps] = true;
    const std::size_t threads = block_threads();
    const auto learn = [&](std::vector<std::uint32_t>& of_all, std::size_t count,
                           std::size_t of_writer, std::uint32_t writers) {
        std::uint32_t* const known = &of_all[thread * count];
        const std::uint32_t* const others = &of_all[atomic_write.thread * count];
        for (std::size_t i = 0; i < count; ++i) known[i] = std::max(known[i], others[i]);
        known[of_writer] = std::max(known[of_writer], writers);
    };
    learn(known_, threads, atomic_write.thread, atomic_write.fences);
    learn(known_warps_, warps, atomic_write.thread / 32,
          atomic_write.fences > 0 ? atomic_write.fenced_turn : 0);
}

void shared_watch::check_bounds(std::uintptr_t address, std::size_t bytes, bool writes,
                                const void* pc, int line) {
    constexpr byte_state all_set[] = {byte_state::set, byte_state::set, byte_state::set,
                                      byte_state::set};
    if (bytes == sizeof all_set &&
        __builtin_memcmp(&states_[address - base_], all_set, sizeof all_set) == 0)
        return;
    std::size_t unset = 0, first = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
        byte_state& state = states_[address + i - base_];
        if (state == byte_state::set) continue;
        if (state == byte_state::awaited) {
            if (!writes) tell_awaited(address + i, bytes, line != 0 ? line : line_of(pc));
            continue;
        }
        if (state == byte_state::outside) {
            begin_fault("out_of_bounds");
            fail("out_of_bounds",
                 words_of(state, address + i, bytes, writes, line != 0 ? line : line_of(pc)));
        }
        if (unset++ == 0) first = i;
    }
    const bool is_scalar = pc == nullptr;  // an atomic operation
    if (writes || unset == 0 || (!is_scalar && may_be_object(bytes, unset))) return;
    // If another thread writes it before the next barrier, that barrier is the one that is missing.
    const auto place =
        line != 0 ? static_cast<std::uintptr_t>(line) : reinterpret_cast<std::uintptr_t>(pc);
    if (unset_read_.empty() && is_new_place("uninitialised_read", 0, place))
        unset_read_ = words_of(byte_state::unset, address + first, bytes, writes,
                               line != 0 ? line : line_of(pc));
}

void shared_watch::set_states(std::uintptr_t address, std::size_t bytes, byte_state state) {
    leave_thread();  // what comes next is not the write that has been looked at
    std::fill_n(states_.begin() + static_cast<std::ptrdiff_t>(address - base_), bytes, state);
}

void shared_watch::tell_awaited(std::uintptr_t address, std::size_t bytes, int line) {
    const touch& begun = history_at(address).write;
    if (!is_new_place("race", reinterpret_cast<std::uintptr_t>(begun.pc),
                      static_cast<std::uintptr_t>(line)))
        return;
    tell_fault("race", words_of(byte_state::awaited, address, bytes, false, line) + ", to which " +
                           thread_text(begun.thread) + " copies since line " +
                           std::to_string(line_of(begun.pc)) +
                           ", and the copy has not been waited for");
}

void shared_watch::remember(std::uintptr_t address, std::size_t bytes, bool writes,
                            const touch& by) {
    recent_access* place = nullptr;
    for (unsigned i = 0; i < recent_count_; ++i)
        if (recent_[i].address == address && recent_[i].bytes == bytes) place = &recent_[i];
    if (place == nullptr) {
        if (recent_count_ < most_recent) recent_next_ = recent_count_++;
        place = &recent_[recent_next_++ % most_recent];
        place->wrote = false;
    }
    place->address = address;
    place->bytes = bytes;
    place->wrote |= writes;
    place->by = by;
    const auto* const from = reinterpret_cast<const unsigned char*>(address);
    if (bytes > sizeof place->before)
        place->before_of_more.assign(from, from + bytes);
    else
        copy_bytes(place->before, from, bytes);
}

void shared_watch::look(std::uintptr_t address, std::size_t bytes, bool writes, const void* pc) {
    settle();
    check_bounds(address, bytes, writes, pc);
    if (address == atomic_address_) {
        if (writes)
            std::fill_n(states_.begin() + static_cast<std::ptrdiff_t>(address - base_), bytes,
                        byte_state::set);
        return;
    }
    atomic_address_ = 0;
    const touch here = now(pc, false);
    if (!writes)
        each(address, bytes,
             [&](history& h, std::uintptr_t, std::size_t) { look_at_read(h, here, address); });
    remember(address, bytes, writes, here);
}

void shared_watch::settle(recent_access& a) {
    unsigned char* const before = a.values();
    const auto* const is = reinterpret_cast<const unsigned char*>(a.address);
    if (!a.wrote && are_equal(before, is, a.bytes)) return;
    each(a.address, a.bytes, [&](history& h, std::uintptr_t at, std::size_t bytes) {
        bool changed = false;
        for (std::size_t i = 0; i < bytes; ++i) {
            byte_state& state = states_[at + i - base_];
            const std::size_t in_access = at + i - a.address;
            const bool differs = is[in_access] != before[in_access];
            changed |= differs || (a.wrote && state == byte_state::unset);
            if (differs || a.wrote) state = byte_state::set;
            before[in_access] = is[in_access];
        }
        if (changed)
            wrote(h, a.by, a.address);
        else if (a.wrote)
            wrote_again(h, a.by, a.address);
    });
    a.wrote = false;  // the write has been looked at; later changes show by themselves
}

void shared_watch::look_at_read(history& h, const touch& by, std::uintptr_t address) {
    const bool is_own = h.rewrite.turn == by.turn && h.rewrite.thread == by.thread;
    if (!met_since(h.write, by)) {
        if (!is_own) tell_hazard(h.write, true, by, false, address);
    } else if (!met_since(h.rewrite, by) && is_same_in_array(h.rewrite, by, address)) {
        tell_hazard(h.rewrite, true, by, false, address);
    }
    if (met_since(h.first_read, by)) h.first_read = by;
    h.last_read = by;
}

void shared_watch::wrote_again(history& h, const touch& by, std::uintptr_t address) {
    // Threads that all write one value, and read it, between two barriers.
    const bool is_one_of_several = !met_since(h.write, by) || !met_since(h.rewrite, by);
    h.rewrite = by;
    if (is_one_of_several) return;
    for (const touch* read : {&h.first_read, &h.last_read})
        if (!met_since(*read, by) && is_same_in_array(*read, by, address))
            return tell_hazard(*read, false, by, true, address);
}

bool shared_watch::is_same_in_array(const touch& before, const touch& later,
                                    std::uintptr_t address) {
    const std::uintptr_t earlier = place_of(before), here = place_of(later);
    for (const same_value& s : same_values_)
        if (s.earlier == earlier && s.later == here) return s.address != address;
    same_values_.push_back({earlier, here, address});
    return false;
}

void shared_watch::wrote(history& h, const touch& by, std::uintptr_t address) {
    h.rewrite = {};
    if (!met_since(h.write, by)) tell_hazard(h.write, true, by, true, address);
    if (!met_since(h.first_read, by)) tell_hazard(h.first_read, false, by, true, address);
    if (!met_since(h.last_read, by)) tell_hazard(h.last_read, false, by, true, address);
    h.write = by;
}

void shared_watch::look_atomic(std::uintptr_t address, std::size_t bytes, bool writes, int line,
                               const void* pc) {
    leave_thread();  // what it changes is not what the accesses before it changed
    // A library's operation that writes is looked at as a write: it may be the first one.
    check_bounds(address, bytes, writes && pc != nullptr, pc, line);
    if (pc != nullptr) atomic_address_ = address;
    touch here = now(pc, true);
    here.line = line;
    learn_from(history_at(address).write, here.thread);
    each(address, bytes, [&](history& h, std::uintptr_t, std::size_t) {
        if (!h.write.atomic && !met_since(h.write, here))
            tell_hazard(h.write, true, here, writes, address);
        if (!writes) {
            if (met_since(h.first_read, here)) h.first_read = here;
            h.last_read = here;
            return;
        }
        for (const touch* read : {&h.first_read, &h.last_read})
            if (!read->atomic && !met_since(*read, here))
                tell_hazard(*read, false, here, true, address);
        h.write = here;
    });
}

void shared_watch::tell_hazard(const touch& before, bool before_wrote, const touch& later,
                               bool writes, std::uintptr_t address) {
    unset_read_.clear();  // the missing barrier is why
    if (!is_new_place("race", place_of(before), place_of(later))) return;
    const uint3 running = threadIdx;
    threadIdx = {later.thread % blockDim.x, later.thread / blockDim.x % blockDim.y,
                 later.thread / blockDim.x / blockDim.y};
    std::string name = "shared memory";
    for (const auto& v : shared_variables())
        if (address - base_ - v.offset < v.bytes && *v.name != '\0') name = v.name;
    const int line = before.line != 0 ? before.line : line_of(before.pc);
    tell_fault("race", running_thread(later.line != 0 ? later.line : line_of(later.pc)) + ": " +
                           (!writes        ? "reads "
                            : later.atomic ? "updates "
                                           : "writes ") +
                           name + ", which " + thread_text(before.thread) +
                           (before_wrote ? " wrote" : " read") +
                           (line != 0 ? " in line " + std::to_string(line) : "") +
                           ", and no barrier is between");
    threadIdx = running;
}

std::string shared_watch::words_of(byte_state state, std::uintptr_t at, std::size_t bytes,
                                   bool writes, int line) const {
    const std::string words =
        running_thread(line) + (writes ? ": writes " : ": reads ") + bytes_text(bytes);
    // The variable that the address is in or nearest to.
    std::string name = "the dynamic shared memory";
    std::uintptr_t begin = dynamic_;
    std::size_t size = dynamic_bytes_;
    const auto far_from = [&](std::uintptr_t b, std::size_t n) {
        return at < b ? b - at : at < b + n ? 0 : at - b - n;
    };
    for (const auto& v : shared_variables()) {
        if (*v.name == '\0') continue;
        if (size != 0 && far_from(base_ + v.offset, v.bytes) >= far_from(begin, size)) continue;
        name = std::string("the shared variable ") + v.name;
        begin = base_ + v.offset;
        size = v.bytes;
    }
    if (state == byte_state::awaited) return words + " of " + name;
    if (state == byte_state::unset) return words + " of " + name + " that nobody has written";
    return words + ' ' + place_near(at, begin, size, name);
}

void shared_watch::block_met() {
    leave_thread();  // what the last to come writes later is not what its accesses before wrote
    if (!unset_read_.empty()) tell_fault("uninitialised_read", unset_read_);
    unset_read_.clear();
    ++turn_;
}

}  // namespace cuset_host::checks

#endif

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

}  // namespace

void shared_watch::begin_block(unsigned char* base, unsigned char* dynamic,
                               std::size_t dynamic_bytes) {
    base_ = reinterpret_cast<std::uintptr_t>(base);
    dynamic_ = reinterpret_cast<std::uintptr_t>(dynamic);
    dynamic_bytes_ = dynamic_bytes;
    bytes_ = dynamic_ - base_ + dynamic_bytes + room;
    fresh_.assign(bytes_, byte_state::outside);
    for (const auto& v : shared_variables())
        std::fill_n(fresh_.begin() + static_cast<std::ptrdiff_t>(v.offset), v.bytes,
                    byte_state::unset);
    std::fill_n(fresh_.begin() + static_cast<std::ptrdiff_t>(dynamic_ - base_), dynamic_bytes,
                byte_state::unset);
    states_ = fresh_;
    if (histories_.size() < bytes_) histories_.resize(bytes_);
    recent_count_ = 0;
    unset_read_.clear();
    if (!known_.empty()) {
        known_.clear();
        known_warps_.clear();
        std::fill(std::begin(fences_), std::end(fences_), 0U);
    }
    ++turn_;
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

bool shared_watch::met_since(const touch& before, const touch& later) const {
    if (before.turn != later.turn || before.thread == later.thread) return true;
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

void shared_watch::learn_from(const touch& atomic_write, unsigned thread) {
    if (known_.empty() || !atomic_write.atomic || atomic_write.turn != turn_ ||
        atomic_write.thread == thread)
        return;
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
    const touch& begun = histories_[address - base_].write;
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
    place->before.assign(from, from + bytes);
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
        for (std::size_t i = 0; i < bytes; ++i) {
            history& h = histories_[address + i - base_];
            if (!met_since(h.write, here)) tell_hazard(h.write, true, here, false, address);
            if (met_since(h.first_read, here)) h.first_read = here;
            h.last_read = here;
        }
    remember(address, bytes, writes, here);
}

void shared_watch::settle(recent_access& a) {
    for (std::size_t i = 0; i < a.bytes; ++i) {
        const std::uintptr_t at = a.address + i;
        byte_state& state = states_[at - base_];
        const unsigned char is = *reinterpret_cast<const unsigned char*>(at);
        const bool changed = is != a.before[i] || (a.wrote && state == byte_state::unset);
        if (changed || a.wrote) state = byte_state::set;
        if (!changed) continue;
        a.before[i] = is;
        wrote(at, a.by, a.address);
    }
}

void shared_watch::wrote(std::uintptr_t at, const touch& by, std::uintptr_t address) {
    history& h = histories_[at - base_];
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
    learn_from(histories_[address - base_].write, here.thread);
    for (std::size_t i = 0; i < bytes; ++i) {
        history& h = histories_[address + i - base_];
        if (!h.write.atomic && !met_since(h.write, here))
            tell_hazard(h.write, true, here, writes, address);
        if (!writes) {
            if (met_since(h.first_read, here)) h.first_read = here;
            h.last_read = here;
            continue;
        }
        for (const touch* read : {&h.first_read, &h.last_read})
            if (!read->atomic && !met_since(*read, here))
                tell_hazard(*read, false, here, true, address);
        h.write = here;
    }
}

void shared_watch::tell_hazard(const touch& before, bool before_wrote, const touch& later,
                               bool writes, std::uintptr_t address) {
    unset_read_.clear();  // the missing barrier is why
    const auto place_of = [](const touch& t) {
        return t.line != 0 ? static_cast<std::uintptr_t>(t.line)
                           : reinterpret_cast<std::uintptr_t>(t.pc);
    };
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

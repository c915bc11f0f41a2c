#ifdef CUSET_HOST_COUNT

#include "memory_traffic.h"

#include <algorithm>
#include <bitset>
#include <utility>

#include "operation_classes.h"

namespace cuset_host::costs {

namespace {

/// Cycles that a load takes of a warp's time, by where its value was found. Microbenchmarks of GPUs
/// since Volta tell some 25, 35, 210 and 450 until the value is there (Jia et al., arXiv
/// 1804.06826, and later ones); two loads beyond L1 are taken to be under way at a time.
constexpr std::uint64_t shared_cycles = 25, l1_cycles = 35, l2_cycles = 105, device_cycles = 225;
/// What a warp waits until it may go on behind a store.
constexpr std::uint64_t store_cycles = 10;

}  // namespace

std::uintptr_t local_address(unsigned warp, unsigned lane, std::size_t depth, std::uint32_t bytes) {
    constexpr std::uintptr_t base = std::uintptr_t{1} << 62;
    constexpr std::size_t word = 4, row_bytes = word * warp_lanes, deepest = std::size_t{1} << 24;
    const std::size_t offset = deepest - depth;
    const std::size_t width = std::max<std::size_t>(bytes, word);
    return base + (warp * (deepest / word) + offset / word) * row_bytes + lane * width +
           offset % word;
}

void sector_cache::resize(std::size_t bytes) {
    sets_ = std::max<std::size_t>(1, bytes / (ways * sectors_of_line * sector_bytes));
    lines_.assign(sets_ * ways, line());
    changed_ = written_back_ = 0;
}

bool sector_cache::touch(std::uint64_t sector, bool writes) {
    const std::uint64_t tag = sector / sectors_of_line;
    const auto bit = static_cast<std::uint8_t>(1U << sector % sectors_of_line);
    // A hash of the address, as GPUs have it: strides of a power of two do not meet in one set.
    const std::uint64_t mixed = (tag ^ (tag >> 9) ^ (tag >> 19)) % sets_;
    line* const set = &lines_[mixed * ways];
    line* oldest = nullptr;
    ++time_;
    const auto change = [&](line& each) {
        if (!writes || (each.changed & bit) != 0) return;
        each.changed |= bit;
        ++changed_;
    };
    for (std::size_t i = 0; i < ways; ++i) {
        line& each = set[i];
        if (each.age != age_) {
            oldest = &each;
            break;
        }
        if (each.tag == tag) {
            each.used = time_;
            const bool was_there = (each.present & bit) != 0;
            each.present |= bit;
            change(each);
            return was_there;
        }
        if (oldest == nullptr || each.used < oldest->used) oldest = &each;
    }
    if (oldest->age == age_) {
        const std::uint64_t lost = std::bitset<8>(oldest->changed).count();
        written_back_ += lost;
        changed_ -= lost;
    }
    *oldest = {tag, time_, age_, bit, 0};
    change(*oldest);
    return false;
}

std::uint64_t sector_cache::clear() {
    ++age_;
    written_back_ = 0;
    return std::exchange(changed_, 0);
}

void traffic::add(const traffic& other) {
    bytes_read += other.bytes_read;
    bytes_written += other.bytes_written;
    accesses += other.accesses;
    accessing_lanes += other.accessing_lanes;
    sectors += other.sectors;
    lines += other.lines;
    atomics += other.atomics;
    shared_bytes += other.shared_bytes;
    shared_accesses += other.shared_accesses;
    bank_conflicts += other.bank_conflicts;
    loop_adds32 += other.loop_adds32;
    loop_adds64 += other.loop_adds64;
    local_bytes += other.local_bytes;
    most_atomics += other.most_atomics;
    cache_reads += other.cache_reads;
    cache_sectors += other.cache_sectors;
    device_sectors_read += other.device_sectors_read;
    device_sectors_written += other.device_sectors_written;
}

memory_traffic::memory_traffic(std::size_t l1_bytes, std::size_t l2_bytes)
    : l1_bytes_(l1_bytes),
      l2_bytes_(l2_bytes),
      l1_(l1_bytes),
      l2_(l2_bytes),
      local_l1_(0),
      local_l2_(0) {}

void memory_traffic::begin_launch(std::uint64_t on_processor, std::uint64_t on_device) {
    local_l1_bytes_ = l1_bytes_ / std::max<std::uint64_t>(on_processor, 1);
    local_l2_bytes_ = l2_bytes_ / std::max<std::uint64_t>(on_device, 1);
    has_local_ = false;
    at_a_time_ = std::max<std::uint64_t>(on_device, 1);
    begun_ = 0;
}

/// Blocks share a multiprocessor's L1 with few others, and come one after another here.
void memory_traffic::begin_block() {
    l1_.clear();
    local_l1_.clear();
    if (begun_ == at_a_time_) {
        make_requests();
        begun_ = 0;
    }
    if (++begun_ > requests_.size()) requests_.emplace_back();
}

void memory_traffic::request(std::uint64_t sector, access_kind kind) {
    ++sum_.cache_sectors;
    if (kind != access_kind::write) ++sum_.cache_reads;
    constexpr std::size_t most_kept = std::size_t{1} << 23;
    if (kept_ == most_kept) make_requests();
    if (requests_.empty()) requests_.emplace_back();
    requests_[begun_ == 0 ? 0 : begun_ - 1].push_back(sector << 2 | static_cast<unsigned>(kind));
    ++kept_;
}

/// The blocks in turns, some requests each.
void memory_traffic::make_requests() {
    constexpr std::size_t in_a_turn = 16;
    std::vector<std::vector<std::uint64_t>*> waiting;
    for (auto& block : requests_)
        if (!block.empty()) waiting.push_back(&block);
    for (std::size_t from = 0; !waiting.empty(); from += in_a_turn) {
        for (const auto* block : waiting) {
            const std::size_t end = std::min(block->size(), from + in_a_turn);
            for (std::size_t i = from; i < end; ++i) {
                const auto kind = static_cast<access_kind>((*block)[i] & 3);
                const bool was_there = l2_.touch((*block)[i] >> 2, kind != access_kind::read);
                if (!was_there && kind != access_kind::write) ++sum_.device_sectors_read;
            }
        }
        const auto is_done = [&](auto* block) {
            if (block->size() > from + in_a_turn) return false;
            block->clear();
            return true;
        };
        waiting.erase(std::remove_if(waiting.begin(), waiting.end(), is_done), waiting.end());
    }
    kept_ = 0;
    // The running block, if there is one, is the first of those to come.
    begun_ = std::min<std::size_t>(begun_, 1);
}

warp_waits memory_traffic::take_waits() { return std::exchange(waits_, {}); }

double further_cycles(const traffic& of_launch) {
    if (of_launch.cache_reads == 0) return 0;
    return static_cast<double>(of_launch.device_sectors_read) /
           static_cast<double>(of_launch.cache_reads) * (device_cycles - l2_cycles);
}

void memory_traffic::add(const lane_access* lanes, std::size_t count) {
    if (lanes->kind == access_kind::atomic) sum_.atomics += count;
    switch (lanes->space) {
        case memory_space::global: return add_global(lanes, count);
        case memory_space::local: return add_local(lanes, count);
        case memory_space::shared:
            return lanes->loop == update_loop::none ? add_shared(lanes, count)
                                                    : add_update_loop(lanes, count);
    }
}

std::size_t memory_traffic::find_sectors(const lane_access* lanes, std::size_t count,
                                         std::uint64_t (&sectors)[most_sectors]) const {
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t first = lanes[i].address / sector_bytes;
        const std::uint64_t last =
            (lanes[i].address + std::max(lanes[i].bytes, 1U) - 1) / sector_bytes;
        for (std::uint64_t s = first; s <= last && found < most_sectors; ++s)
            if (found == 0 || sectors[found - 1] != s) sectors[found++] = s;
    }
    if (!std::is_sorted(sectors, sectors + found)) std::sort(sectors, sectors + found);
    return static_cast<std::size_t>(std::unique(sectors, sectors + found) - sectors);
}

void memory_traffic::add_global(const lane_access* lanes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const lane_access& a = lanes[i];
        if (a.kind != access_kind::write) sum_.bytes_read += a.bytes;
        if (a.kind != access_kind::read) sum_.bytes_written += a.bytes;
    }
    if (lanes->kind == access_kind::atomic) add_atomics(lanes, count);
    std::uint64_t sectors[most_sectors];
    const std::size_t found = find_sectors(lanes, count, sectors);
    ++sum_.accesses;
    sum_.accessing_lanes += count;
    sum_.sectors += found;
    for (std::size_t i = 0; i < found; ++i)
        if (i == 0 || sectors[i] / sectors_of_line != sectors[i - 1] / sectors_of_line)
            ++sum_.lines;
    const access_kind kind = lanes->kind;
    std::uint64_t waits = kind == access_kind::read ? l1_cycles : store_cycles;
    for (std::size_t i = 0; i < found; ++i) {
        // L1 passes all that is written on, and atomics are done in L2.
        if (kind == access_kind::read && l1_.touch(sectors[i], false)) continue;
        request(sectors[i], kind);
        if (kind != access_kind::write) waits = l2_cycles;
    }
    waits_.cycles += waits;
    if (waits == l2_cycles) ++waits_.beyond_l1;
}

/// Those of a warp on one integer of 4 bytes are one: nvcc's code, or L2, puts them together.
void memory_traffic::add_atomics(const lane_access* lanes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto is_same = [&](const lane_access& a) { return a.address == lanes[i].address; };
        if (lanes->loop == update_loop::none &&
            std::find_if(lanes, lanes + i, is_same) != lanes + i)
            continue;
        // Where so many places have their own, none of the others decides.
        constexpr std::size_t most_places = std::size_t{1} << 18;
        auto found = atomics_.find(lanes[i].address);
        if (found == atomics_.end()) {
            if (atomics_.size() >= most_places) continue;
            found = atomics_.emplace(lanes[i].address, 0).first;
        }
        sum_.most_atomics = std::max(sum_.most_atomics, ++found->second);
    }
}

void memory_traffic::add_local(const lane_access* lanes, std::size_t count) {
    if (!std::exchange(has_local_, true)) {
        local_l1_.resize(local_l1_bytes_);
        local_l2_.resize(local_l2_bytes_);
    }
    for (std::size_t i = 0; i < count; ++i) sum_.local_bytes += lanes[i].bytes;
    std::uint64_t sectors[most_sectors];
    const std::size_t found = find_sectors(lanes, count, sectors);
    const bool writes = lanes->kind != access_kind::read;
    std::uint64_t waits = writes ? store_cycles : l1_cycles;
    for (std::size_t i = 0; i < found; ++i) {
        const bool is_near = local_l1_.touch(sectors[i], false);
        if (is_near && !writes) continue;
        ++sum_.cache_sectors;
        const bool was_there = local_l2_.touch(sectors[i], writes);
        if (writes) continue;
        ++sum_.cache_reads;
        if (!was_there) ++sum_.device_sectors_read;
        waits = l2_cycles;
    }
    waits_.cycles += waits;
    if (waits == l2_cycles) ++waits_.beyond_l1;
}

/// Shared memory has 32 banks of 4 bytes. Accesses of 8 and 16 bytes take two and four turns of a
/// half and a quarter of the warp's lanes, whichever of them take part; those are no conflicts.
void memory_traffic::add_shared(const lane_access* lanes, std::size_t count) {
    constexpr std::size_t banks = 32, word = 4;
    ++sum_.shared_accesses;
    const std::size_t words_of_lane =
        std::clamp<std::size_t>((lanes->bytes + word - 1) / word, 1, 4);
    const std::size_t lanes_of_turn = banks / words_of_lane;
    for (std::size_t i = 0; i < count;) {
        std::uint64_t words_of_bank[banks][banks];
        std::uint32_t in_bank[banks] = {};
        std::uint32_t most = 1;
        const std::size_t turn = lanes[i].lane / lanes_of_turn;
        for (; i < count && lanes[i].lane / lanes_of_turn == turn; ++i) {
            sum_.shared_bytes += lanes[i].bytes;
            for (std::size_t k = 0; k < words_of_lane; ++k) {
                const std::uint64_t place = lanes[i].address / word + k;
                std::uint64_t* const words = words_of_bank[place % banks];
                std::uint32_t& used = in_bank[place % banks];
                if (std::find(words, words + used, place) != words + used) continue;
                words[used++] = place;
                most = std::max(most, used);
            }
        }
        sum_.bank_conflicts += most - 1;
        waits_.cycles += most - 1;
    }
    waits_.cycles += lanes->kind == access_kind::write ? store_cycles : shared_cycles;
}

/// Each round loads the value and swaps it. Of the lanes that work on one place, one gets through
/// in each round. Other warps, which may be in the way too, are not looked at.
void memory_traffic::add_update_loop(const lane_access* lanes, std::size_t count) {
    std::vector<lane_access> waiting(lanes, lanes + count), behind;
    while (!waiting.empty()) {
        add_shared(waiting.data(), waiting.size());
        add_shared(waiting.data(), waiting.size());
        if (lanes->loop == update_loop::adds)
            (lanes->bytes == sizeof(double) ? sum_.loop_adds64 : sum_.loop_adds32) +=
                waiting.size();
        std::vector<std::uintptr_t> done;
        behind.clear();
        for (const lane_access& a : waiting) {
            if (std::find(done.begin(), done.end(), a.address) == done.end())
                done.push_back(a.address);
            else
                behind.push_back(a);
        }
        waiting.swap(behind);
    }
}

traffic memory_traffic::take() {
    make_requests();
    sum_.device_sectors_written += l2_.written_back();
    sum_.device_sectors_written += l2_.clear();
    // What is left of local memory at the end is written by nobody: the next launch has its place.
    sum_.device_sectors_written += local_l2_.written_back();
    local_l2_.clear();
    l1_.clear();
    if (!atomics_.empty()) atomics_ = {};  // its buckets too, which clearing walks through
    traffic all = sum_;
    sum_ = {};
    return all;
}

}  // namespace cuset_host::costs

#endif

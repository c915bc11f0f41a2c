#ifdef CUSET_HOST_COUNT

#include "memory_traffic.h"

#include <algorithm>
#include <bitset>
#include <utility>

namespace cuset_host::costs {

sector_cache::sector_cache(std::size_t bytes)
    : sets_(std::max<std::size_t>(1, bytes / (ways * sectors_of_line * sector_bytes))) {
    lines_.resize(sets_ * ways);
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
    cache_sectors += other.cache_sectors;
    device_sectors_read += other.device_sectors_read;
    device_sectors_written += other.device_sectors_written;
}

memory_traffic::memory_traffic(std::size_t l1_bytes, std::size_t l2_bytes)
    : l1_(l1_bytes), l2_(l2_bytes) {}

/// Blocks share a multiprocessor's L1 with few others, and come one after another here.
void memory_traffic::begin_block() { l1_.clear(); }

void memory_traffic::add(const lane_access* lanes, std::size_t count) {
    if (lanes->kind == access_kind::atomic) sum_.atomics += count;
    if (lanes->space == memory_space::global) return add_global(lanes, count);
    lanes->is_swap_loop ? add_swap_loop(lanes, count) : add_shared(lanes, count);
}

void memory_traffic::add_global(const lane_access* lanes, std::size_t count) {
    constexpr std::size_t most = 256;
    std::uint64_t sectors[most];
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const lane_access& a = lanes[i];
        if (a.kind != access_kind::write) sum_.bytes_read += a.bytes;
        if (a.kind != access_kind::read) sum_.bytes_written += a.bytes;
        const std::uint64_t first = a.address / sector_bytes;
        const std::uint64_t last = (a.address + std::max(a.bytes, 1U) - 1) / sector_bytes;
        for (std::uint64_t s = first; s <= last && found < most; ++s)
            if (found == 0 || sectors[found - 1] != s) sectors[found++] = s;
    }
    if (!std::is_sorted(sectors, sectors + found)) std::sort(sectors, sectors + found);
    found = static_cast<std::size_t>(std::unique(sectors, sectors + found) - sectors);
    ++sum_.accesses;
    sum_.accessing_lanes += count;
    sum_.sectors += found;
    for (std::size_t i = 0; i < found; ++i)
        if (i == 0 || sectors[i] / sectors_of_line != sectors[i - 1] / sectors_of_line)
            ++sum_.lines;
    const access_kind kind = lanes->kind;
    for (std::size_t i = 0; i < found; ++i) {
        // L1 passes all that is written on, and atomics are done in L2.
        if (kind == access_kind::read && l1_.touch(sectors[i], false)) continue;
        ++sum_.cache_sectors;
        const bool was_there = l2_.touch(sectors[i], kind != access_kind::read);
        if (!was_there && kind != access_kind::write) ++sum_.device_sectors_read;
    }
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
    }
}

/// Each round loads the value and swaps it. Of the lanes that work on one place, one gets through
/// in each round.
void memory_traffic::add_swap_loop(const lane_access* lanes, std::size_t count) {
    std::vector<lane_access> waiting(lanes, lanes + count), behind;
    while (!waiting.empty()) {
        add_shared(waiting.data(), waiting.size());
        add_shared(waiting.data(), waiting.size());
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
    sum_.device_sectors_written += l2_.written_back();
    sum_.device_sectors_written += l2_.clear();
    l1_.clear();
    traffic all = sum_;
    sum_ = {};
    return all;
}

}  // namespace cuset_host::costs

#endif

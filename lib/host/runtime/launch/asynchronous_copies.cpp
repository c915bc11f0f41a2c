#include "asynchronous_copies.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "block_runner.h"
#include "checks/checks.h"
#include "races/races.h"

namespace cuset_host {

void asynchronous_copies::begin_block(unsigned threads) {
    if (is_used_)
        for (of_thread& thread : threads_) {
            thread.pieces.clear();
            thread.first = 0;
            thread.open = 0;
        }
    is_used_ = false;
    counted_.clear();
    if (threads_.size() < threads) threads_.resize(threads);
}

void asynchronous_copies::begin(unsigned thread, const copied_piece& piece) {
    is_used_ = true;
    of_thread& mine = threads_[thread];
    mine.pieces.push_back({piece, mine.open});
}

void asynchronous_copies::commit(unsigned thread) { ++threads_[thread].open; }

bool asynchronous_copies::take(unsigned thread, copied_piece* piece, std::size_t left, bool all) {
    of_thread& mine = threads_[thread];
    if (mine.first == mine.pieces.size()) {
        mine.pieces.clear();
        mine.first = 0;
        return false;
    }
    const begun& oldest = mine.pieces[mine.first];
    if (!all && oldest.group + left >= mine.open) return false;
    *piece = oldest.piece;
    ++mine.first;
    return true;
}

std::size_t asynchronous_copies::land(const unsigned char* barrier) {
    std::size_t bytes = 0;
    for (const counted& copy : counted_) {
        if (copy.barrier != barrier) continue;
        std::memcpy(copy.to, copy.value.data(), copy.value.size());
        checks::copy_lands(copy.to, copy.value.size());
        bytes += copy.value.size();
    }
    if (bytes != 0) forget(barrier);
    return bytes;
}

void asynchronous_copies::forget(const unsigned char* barrier) {
    const auto is_its = [&](const counted& copy) { return copy.barrier == barrier; };
    counted_.erase(std::remove_if(counted_.begin(), counted_.end(), is_its), counted_.end());
}

void begin_copy(const copied_piece& piece) {
    // In a program that is looked at, nobody may see the old bytes either. A copy that changes
    // nothing is a hazard by chance, which --check sees alone.
    if (checks::are_on || (races::are_on && std::memcmp(piece.to, piece.value, piece.bytes) != 0)) {
        const void* const pc = __builtin_return_address(0);
        races::writes(piece.to, piece.bytes, pc);
        checks::copy_begins(piece.to, piece.bytes, pc);
        auto* const bytes = static_cast<unsigned char*>(piece.to);
        for (std::size_t i = 0; i < piece.bytes; ++i) bytes[i] ^= 0xff;
        checks::copy_is_awaited(piece.to, piece.bytes);
    }
    block_runner::current()->copies().begin(linear_thread(), piece);
}
void commit_copies() { block_runner::current()->copies().commit(linear_thread()); }
bool take_copy(copied_piece* piece, std::size_t left, bool all) {
    return block_runner::current()->copies().take(linear_thread(), piece, left, all);
}

unsigned char* bytes_before_copy(const void* to, std::size_t bytes) {
    const auto* const begin = static_cast<const unsigned char*>(to);
    const block_runner* const runner = block_runner::current();
    if (runner == nullptr || bytes == 0 || !runner->holds_shared(begin) ||
        !runner->holds_shared(begin + bytes - 1))
        return nullptr;
    auto* const before = static_cast<unsigned char*>(std::malloc(bytes));
    std::memcpy(before, begin, bytes);
    return before;
}

void defer_copy(const unsigned char* barrier, void* to, std::size_t bytes, unsigned char* before) {
    auto* const at = static_cast<unsigned char*>(to);
    block_runner::current()->copies().begin({barrier, at, {at, at + bytes}});
    if (!races::are_on && !checks::are_on) {
        std::memcpy(at, before, bytes);
    } else {
        // As above.
        for (std::size_t i = 0; i < bytes; ++i)
            if (checks::are_on || before[i] != at[i]) at[i] = before[i] ^ 0xff;
        checks::copy_is_awaited(at, bytes);
    }
    std::free(before);
}

std::size_t land_copies(const unsigned char* barrier) {
    block_runner* const runner = block_runner::current();
    return runner == nullptr ? 0 : runner->copies().land(barrier);
}
void forget_copies(const unsigned char* barrier) {
    if (block_runner* const runner = block_runner::current()) runner->copies().forget(barrier);
}

bool copies_asynchronously(const void* to, const void* from) {
    const block_runner* const runner = block_runner::current();
    return runner != nullptr && runner->is_shared(to) && !runner->is_shared(from);
}

}  // namespace cuset_host

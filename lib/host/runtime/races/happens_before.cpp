#ifdef CUSET_HOST_RACES

#include "happens_before.h"

#include <algorithm>

#include "access_history.h"
#include "cuset_host/threads/execution.h"

namespace cuset_host::races {

namespace {

/// What a thread has made visible to whoever sees its next strong write.
struct release_record {
    std::uint64_t thread;                // block number * 1024 + thread
    std::uint32_t turn;                  // of the block
    segment_number fence, device_fence;  // that the thread's last fences ended; 0: none
};

std::vector<segment> segments;
std::vector<block_record> blocks;
std::vector<release_record> releases;  // release n is the (n - 1)th
segment_number first_segment = 1;

std::uint64_t name_of(std::uint32_t record, unsigned thread) {
    return blocks[record].number * 1024 + thread;
}

segment_number add_segment(const segment& s) {
    segments.push_back(s);
    return first_segment + static_cast<segment_number>(segments.size()) - 1;
}

}  // namespace

void begin_order() {
    first_segment += static_cast<segment_number>(segments.size());
    segments.clear();
    blocks.clear();
    releases.clear();
}

std::uint32_t add_block(std::uint64_t number, std::uint64_t cluster) {
    blocks.push_back({.number = number, .cluster = cluster});
    return static_cast<std::uint32_t>(blocks.size() - 1);
}

const segment& segment_of(segment_number number) { return segments[number - first_segment]; }
const block_record& block_of(const segment& s) { return blocks[s.block]; }
bool is_past(segment_number number) { return number < first_segment; }
segment_number first_of_launch() { return first_segment; }
segment_number last_of_launch() {
    return first_segment + static_cast<segment_number>(segments.size()) - 1;
}

// --- What threads know ---------------------------------------------------------------------------

void knowledge::learn(std::uint64_t thread, std::uint32_t release) {
    if (release <= floor_) return;
    const auto at = std::lower_bound(latest_.begin(), latest_.end(), std::pair(thread, 0U));
    if (at != latest_.end() && at->first == thread) {
        at->second = std::max(at->second, release);
        return;
    }
    latest_.insert(at, {thread, release});
    if (latest_.size() <= most) return;
    for (const auto& [who, number] : latest_) floor_ = std::max(floor_, number);
    latest_.clear();
}

bool knowledge::learn(const knowledge& other) {
    bool is_new = other.floor_ > floor_;
    floor_ = std::max(floor_, other.floor_);
    for (const auto& [thread, number] : other.latest_) {
        if (number <= floor_) continue;
        const auto at = std::lower_bound(latest_.begin(), latest_.end(), std::pair(thread, 0U));
        if (at != latest_.end() && at->first == thread && at->second >= number) continue;
        learn(thread, number);
        is_new = true;
    }
    return is_new;
}

static known joined(const known& a, const known& b) {
    if (a == nullptr || a == b) return b;
    if (b == nullptr) return a;
    auto both = std::make_shared<knowledge>(*a);
    return both->learn(*b) ? known(std::move(both)) : a;
}

// --- A block -------------------------------------------------------------------------------------

block_clock::block_clock() = default;
block_clock::~block_clock() = default;

void block_clock::begin(std::uint32_t record, const unsigned char* shared,
                        std::size_t shared_bytes) {
    record_ = record;
    ++begun_;
    forget_latest();
    shared_ = reinterpret_cast<std::uintptr_t>(shared);
    shared_bytes_ = shared_bytes;
    if (shared_bytes_ != 0 && (histories_ == nullptr || histories_->base() > shared_ ||
                               !histories_->holds(shared_ + shared_bytes_ - 1)))
        histories_ = std::make_unique<history_region>(shared_, shared_bytes_);
    turn_ = cluster_turn_ = grid_turn_ = 1;
    for (auto& w : warps_) {
        w.turn = 1;
        w.is_parted = false;
    }
    of_block_ = nullptr;
    has_fenced_ = has_learned_ = false;
    visits_.clear();
    has_guest_ = has_ended_ = false;
}

std::uint64_t block_clock::number() const { return blocks[record_].number; }

bool block_clock::is_of_cluster(segment_number number) const {
    return blocks[segment_of(number).block].cluster == blocks[record_].cluster;
}

block_clock::thread_order& block_clock::running() {
    const unsigned linear = linear_thread();
    thread_order& t = threads_[linear];
    if (t.begun != begun_) {
        t = {};
        t.begun = begun_;
    }
    return t;
}

segment_number block_clock::find_now(unsigned linear) {
    thread_order& t = running();
    const warp_order& w = warps_[linear / 32];
    const std::uint32_t step = w.is_parted ? w.step[linear % 32] : 0;
    if (t.now == 0 || t.turn != turn_ || t.cluster_turn != cluster_turn_ || t.warp_turn != w.turn ||
        t.step != step) {
        if (t.turn != turn_) t.own = nullptr;  // of_block_ has it
        t.turn = turn_;
        t.cluster_turn = cluster_turn_;
        t.warp_turn = w.turn;
        t.step = step;
        t.now = add_segment({record_, linear, turn_, cluster_turn_, grid_turn_, w.turn, step});
    }
    latest_thread_ = linear;
    return latest_ = t.now;
}

void block_clock::block_met() {
    if (has_learned_) {
        for (auto& t : threads_)
            if (t.begun == begun_ && t.own != nullptr) {
                of_block_ = joined(of_block_, t.own);
                t.own = nullptr;
            }
        has_learned_ = false;
    }
    ++turn_;
    forget_latest();
}
void block_clock::cluster_met() { ++cluster_turn_; }
void block_clock::grid_met() { ++grid_turn_; }

void block_clock::part(warp_order& w) {
    if (w.is_parted) return;
    w.is_parted = true;
    w.step.fill(1);
    for (auto& row : w.met) row.fill(0);
}

void block_clock::lanes_met(unsigned warp, unsigned lanes, unsigned all) {
    warp_order& w = warps_[warp];
    forget_latest();
    if (has_learned_) {
        known sum;
        for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
            const auto& t = threads_[warp * 32 + static_cast<unsigned>(__builtin_ctz(rest))];
            if (t.begun == begun_) sum = joined(sum, t.own);
        }
        if (sum != nullptr)
            for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
                auto& t = threads_[warp * 32 + static_cast<unsigned>(__builtin_ctz(rest))];
                if (t.begun != begun_) {
                    t = {};
                    t.begun = begun_;
                }
                if (t.turn != turn_) {  // it has done nothing since the last barrier
                    t.turn = turn_;
                    t.now = 0;
                }
                t.own = sum;
            }
    }
    if (lanes == all) {
        ++w.turn;
        w.is_parted = false;
        return;
    }
    part(w);
    std::array<std::uint32_t, 32> sum{};
    for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
        for (unsigned i = 0; i < 32; ++i) sum[i] = std::max(sum[i], w.met[lane][i]);
        sum[lane] = ++w.step[lane];
    }
    for (unsigned rest = lanes; rest != 0; rest &= rest - 1)
        w.met[static_cast<unsigned>(__builtin_ctz(rest))] = sum;
}

void block_clock::fence(fence_scope scope) {
    block_record& b = blocks[record_];
    if (b.fence.empty()) {
        b.fence.resize(1024);
        b.device_fence.resize(1024);
    }
    const segment_number last = now();
    has_fenced_ = true;
    b.fence[linear_thread()] = last;
    if (scope == fence_scope::device) b.device_fence[linear_thread()] = last;
    forget_latest();
    running().now = 0;  // what comes after the fence is another segment
}

known block_clock::everything(const thread_order& t) const { return joined(of_block_, t.own); }

void block_clock::acquire(const known& there) {
    if (there == nullptr) return;
    thread_order& t = running();
    known sum = joined(everything(t), there);
    if (sum == t.own || sum == of_block_) return;
    t.own = std::move(sum);
    has_learned_ = true;
    forget_latest();
    t.now = 0;
}

static known made_release(std::uint32_t record, unsigned thread, std::uint32_t turn,
                          const known& before) {
    block_record& b = blocks[record];
    const std::uint64_t name = name_of(record, thread);
    releases.push_back({name, turn, b.fence[thread], b.device_fence[thread]});
    const auto number = static_cast<std::uint32_t>(releases.size());
    b.releases.push_back(number);
    auto made =
        before == nullptr ? std::make_shared<knowledge>() : std::make_shared<knowledge>(*before);
    made->learn(name, number);
    return made;
}

bool block_clock::acquire_from(segment_number writer) {
    const segment& s = segment_of(writer);
    const block_record& b = blocks[s.block];
    const auto& fences = s.block == record_ ? b.fence : b.device_fence;
    if (fences.empty() || fences[s.thread] == 0) return false;
    acquire(made_release(s.block, s.thread, s.turn, nullptr));
    return true;
}

known block_clock::release() {
    if (blocks[record_].fence.empty()) return nullptr;
    return made_release(record_, linear_thread(), turn_, everything(running()));
}

/// Whether who knows the release knows what the segment did.
bool block_clock::is_covered(const segment& before, segment_number number,
                             std::uint32_t release) const {
    const release_record& r = releases[release - 1];
    const block_record& b = blocks[before.block];
    const auto thread = static_cast<unsigned>(r.thread % 1024);
    const bool is_near = before.block == record_;
    const segment_number fence = is_near ? r.fence : r.device_fence;
    if (before.thread == thread) return number <= fence;
    const bool is_of_warp = before.thread / 32 == thread / 32;
    // The releasing thread has fenced after it met the other.
    if (fence != 0) {
        const segment& f = segment_of(fence);
        if (before.turn < f.turn) return true;
        if (before.turn == f.turn && is_of_warp &&
            (before.warp_turn < f.warp_turn || before.step < f.step))
            return true;
    }
    // The other has fenced before it met the releasing thread.
    const segment_number others = is_near ? b.fence[before.thread] : b.device_fence[before.thread];
    return number <= others && (before.turn < r.turn || is_of_warp);
}

bool block_clock::is_ordered(segment_number number) {
    const segment& before = segment_of(number);
    const unsigned linear = linear_thread();
    if (before.block == record_) {
        if (before.thread == linear || before.turn < turn_) return true;
        if (before.thread / 32 == linear / 32) {
            const warp_order& w = warps_[linear / 32];
            if (before.warp_turn < w.turn) return true;
            if (w.is_parted && w.met[linear % 32][before.thread % 32] > before.step) return true;
        }
    } else {
        if (before.grid_turn < grid_turn_) return true;
        if (blocks[before.block].cluster == blocks[record_].cluster &&
            before.cluster_turn < cluster_turn_)
            return true;
    }
    const known all = everything(running());
    if (all == nullptr) return false;
    for (const auto& [thread, release] : all->latest())
        if (thread / 1024 == blocks[before.block].number && is_covered(before, number, release))
            return true;
    for (const std::uint32_t release : blocks[before.block].releases) {
        if (release > all->floor()) break;
        if (is_covered(before, number, release)) return true;
    }
    return false;
}

}  // namespace cuset_host::races

#endif

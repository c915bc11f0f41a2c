#include "kernel_stores.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include "core/channel.h"
#include "core/system_calls.h"
#include "device_words.h"

// Variables of __managed__.
extern "C" {
extern char __start_cuset_managed[] __attribute__((weak));
extern char __stop_cuset_managed[] __attribute__((weak));
}

namespace cuset_host {

namespace {

constexpr std::uintptr_t page = 4096;
/// After so many closings in vain an allocation counts as written; otherwise thousands of launches
/// would be slower.
constexpr unsigned most_closings = 1000;

struct followed {
    std::uintptr_t begin = 0, end = 0;
    std::uintptr_t inner_begin = 0, inner_end = 0;  // its pages that are nobody else's
    memory_kind kind = memory_kind::device;
    bool written = false, closed = false, waits = false;  // waits: is in `unwritten`
    unsigned closings = 0;

    bool is_open_to_host() const {
        return kind != memory_kind::device && kind != memory_kind::heap &&
               kind != memory_kind::reserved;
    }
    /// The bytes that count although nobody watches them: all of a small allocation; so little of a
    /// large one that it is no large result.
    std::size_t unwatched_bytes() const {
        const std::size_t outer = end - begin - (inner_end - inner_begin);
        return inner_begin == inner_end ? outer : std::min<std::size_t>(outer, 64);
    }
};

/// A lock that the handler of a fault may use too; a mutex of the program's C library is not for
/// that.
class spin_lock {
public:
    void lock() {
        while (taken_.test_and_set(std::memory_order_acquire)) __builtin_ia32_pause();
    }
    void unlock() { taken_.clear(std::memory_order_release); }

private:
    std::atomic_flag taken_ = ATOMIC_FLAG_INIT;
};

struct state {
    spin_lock lock;
    std::map<std::uintptr_t, followed> ranges;  // by their beginning
    std::vector<followed*> unwritten;           // to be closed when a kernel runs
    unsigned running = 0;
    const void* host_thread = nullptr;
    bool is_shared = false;  // by several threads of the host
    std::uint64_t launches = 0, read = 0, reported_read = 0;
};

state& all() {
    static state& made = *new state;  // used by destructors of the program's variables too
    return made;
}

followed* holder(std::uintptr_t p) {
    auto& ranges = all().ranges;
    const auto next = ranges.upper_bound(p);
    if (next == ranges.begin()) return nullptr;
    followed& before = std::prev(next)->second;
    return p < before.end ? &before : nullptr;
}

void add_read(std::uint64_t bytes) {
    state& s = all();
    s.read += bytes;
    if (s.read < 2 * s.reported_read || s.read == s.reported_read) return;
    s.reported_read = s.read;
    report_count("from-kernels", s.read);
}

void open(followed& f) {
    if (!f.closed) return;
    f.closed = false;
    protect_plainly(f.inner_begin, f.inner_end - f.inner_begin, PROT_READ | PROT_WRITE,
                    f.is_open_to_host() ? -1 : device_key());
}

/// The parts that the host can see without a copy count as read.
void mark_written(followed& f) {
    open(f);
    if (f.written) return;
    f.written = true;
    if (f.is_open_to_host()) add_read(f.inner_end - f.inner_begin);
}

void mark_unwritten(followed& f) {
    f.written = false;
    if (!f.waits) all().unwritten.push_back(&f);
    f.waits = true;
}

/// Whether all memory counts as written: another thread's copy may meet a closed page inside the
/// kernel of the system, which has no handler.
bool is_shared() {
    state& s = all();
    if (s.is_shared) return true;
    static thread_local char here;
    if (s.host_thread == nullptr) s.host_thread = &here;
    if (s.host_thread == &here) return false;
    s.is_shared = true;
    for (auto& [begin, f] : s.ranges) mark_written(f);
    return true;
}

void close(followed& f) {
    if (f.closed) return;
    if (++f.closings > most_closings) return mark_written(f);
    f.closed = protect_plainly(f.inner_begin, f.inner_end - f.inner_begin, PROT_READ,
                               f.is_open_to_host() ? -1 : device_key());
    if (!f.closed) mark_written(f);
}

/// Allocations that no kernel has written stay in the list, to be closed for the next kernel too.
void close_unwritten() {
    std::vector<followed*>& waiting = all().unwritten;
    std::size_t kept = 0;
    for (followed* f : waiting) {
        const bool has_pages = f->inner_begin != f->inner_end;
        if (!f->written && has_pages) close(*f);
        const bool stays_closed = !f->is_open_to_host() && (!has_pages || device_key() >= 0);
        f->waits = !f->written && !stays_closed;
        if (f->waits) waiting[kept++] = f;
    }
    waiting.resize(kept);
}

}  // namespace

void follow(std::uintptr_t begin, std::size_t bytes, memory_kind kind) {
    state& s = all();
    const std::lock_guard lock(s.lock);
    followed f;
    f.begin = begin;
    f.end = begin + bytes;
    f.inner_begin = (f.begin + page - 1) / page * page;
    f.inner_end = f.end / page * page;
    if (f.inner_end <= f.inner_begin) f.inner_begin = f.inner_end = f.begin;
    f.kind = kind;
    followed& kept = s.ranges[begin] = f;
    if (is_shared())
        mark_written(kept);
    else
        mark_unwritten(kept);
}

void stop_following(std::uintptr_t begin) {
    state& s = all();
    const std::lock_guard lock(s.lock);
    const auto found = s.ranges.find(begin);
    if (found == s.ranges.end()) return;
    open(found->second);
    auto& waiting = s.unwritten;
    waiting.erase(std::remove(waiting.begin(), waiting.end(), &found->second), waiting.end());
    s.ranges.erase(found);
}

void host_writes(const void* to, std::size_t bytes) {
    const std::lock_guard lock(all().lock);
    const auto begin = reinterpret_cast<std::uintptr_t>(to);
    followed* f = holder(begin);
    if (f == nullptr || is_shared()) return;
    open(*f);
    const bool is_whole = begin == f->begin && bytes >= f->end - f->begin;
    if (is_whole || !f->written) mark_unwritten(*f);
}

void host_has_read(const void* from, std::size_t bytes) {
    const std::lock_guard lock(all().lock);
    const auto begin = reinterpret_cast<std::uintptr_t>(from), end = begin + bytes;
    const followed* f = holder(begin);
    if (all().launches == 0) return;
    if (f == nullptr || f->written || is_shared()) return add_read(bytes);
    const bool is_watched = begin < f->inner_end && end > f->inner_begin;
    add_read(is_watched ? std::min(bytes, f->unwatched_bytes()) : bytes);
}

void device_copies(const void* to, const void* from, std::size_t bytes) {
    const std::lock_guard lock(all().lock);
    const auto begin = reinterpret_cast<std::uintptr_t>(to);
    followed* target = holder(begin);
    if (target == nullptr || is_shared()) return;
    const followed* source = holder(reinterpret_cast<std::uintptr_t>(from));
    const bool is_written =
        source == nullptr || source->written || source->inner_begin == source->inner_end;
    open(*target);
    if (is_written && all().launches != 0) return mark_written(*target);
    const bool is_whole = begin == target->begin && bytes >= target->end - target->begin;
    if (is_whole || !target->written) mark_unwritten(*target);
}

kernel_run::kernel_run() {
    state& s = all();
    const std::lock_guard lock(s.lock);
    ++s.running;
    if (!is_shared()) close_unwritten();
}

static void end_run() {
    state& s = all();
    const std::lock_guard lock(s.lock);
    --s.running;
    const std::uint64_t n = ++s.launches;
    if (n == 1) {
        const std::size_t variables =
            static_cast<std::size_t>(__stop_cuset_managed - __start_cuset_managed);
        if (variables != 0) add_read(variables);
    }
    // Tells each of the first few counts, then each doubling.
    if (n <= 16 || (n & (n - 1)) == 0) report_count("launches", n);
    for (followed* f : s.unwritten) {
        if (f->is_open_to_host()) {
            open(*f);
            // The rest of it is not watched, and counts once.
            if (f->closings <= 1) add_read(f->unwatched_bytes());
            if (f->inner_begin == f->inner_end) f->written = true;
        } else {
            f->closed = false;  // device_access closes all of it, and opens all
        }
    }
}

kernel_run::~kernel_run() {
    end_run();
    note_shared_words();
}

void count_all_as_written() {
    { const kernel_run one; }
    state& s = all();
    const std::lock_guard lock(s.lock);
    s.is_shared = true;
    for (auto& [begin, f] : s.ranges) mark_written(f);
    add_read(std::uint64_t{1} << 40);  // a library on the host reads without a copy
}

bool stored_first(std::uintptr_t address) {
    const std::lock_guard lock(all().lock);
    followed* f = holder(address);
    if (f == nullptr) return false;
    // Two threads of a kernel may come here at once; in one launch, each for an address once.
    static thread_local std::uintptr_t last = 0;
    static thread_local std::uint64_t launch_of_last = 0;
    const bool was_closed = f->closed;
    const bool comes_again = last == address && launch_of_last == all().launches;
    if (!was_closed && (!f->written || comes_again)) return false;
    last = was_closed ? 0 : address;
    launch_of_last = all().launches;
    mark_written(*f);
    return true;
}

void tell_counts() {
    const std::lock_guard lock(all().lock);
    if (all().launches > 16) report_count("launches", all().launches);
    if (all().read != all().reported_read) report_count("from-kernels", all().read);
}

}  // namespace cuset_host

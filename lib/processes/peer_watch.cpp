#include "peer_watch.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

namespace cuset {

namespace {

using clock = std::chrono::steady_clock;
using bytes = std::vector<std::uint8_t>;
using namespace std::chrono_literals;

constexpr auto look_every = 500ms;
constexpr auto patience_for_broken = 3s;
/// A process ends as soon as its own share of a sum is there, and the others' may be under way.
constexpr auto patience_for_ended = 6s;
/// Of a process that ends for others that have not, and for those that have to hear of a lost one.
constexpr auto patience_for_last = 5s, patience_for_knowing = 3s, patience_for_silent = 2s;

/// Signs of life are numbers. These are last signs.
constexpr std::string_view sign_of_end = "ended", sign_of_knowing = "knows";

bytes as_bytes(std::string_view text) { return {text.begin(), text.end()}; }

std::string key_of(std::size_t rank) { return "alive/" + std::to_string(rank); }

std::string in_seconds(clock::duration time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

}  // namespace

struct peer_watch::state {
    struct peer {
        bytes sign;
        clock::duration silent{};
    };

    const std::size_t rank;
    const std::vector<std::string> names;
    const std::string server;

    std::mutex mutex;
    std::condition_variable asked, answered;
    clock::duration silence;
    std::vector<peer> peers;
    clock::time_point looked = clock::now();
    std::optional<clock::time_point> waits_since;  // for answers of the store
    std::uint64_t looks = 0;
    std::string found;    // this process's own finding, which the others do not know yet
    status lost;          // what all say
    bool broken = false;  // the store has gone
    bool ending = false, ended = false;
    clock::time_point end;  // of waiting for others, once this process ends

    state(std::size_t own_rank, std::vector<std::string> all_names, std::string store_server,
          clock::duration patience)
        : rank(own_rank),
          names(std::move(all_names)),
          server(std::move(store_server)),
          silence(patience),
          peers(names.size()) {}

    void run(c10d::Store& store);
    void look(c10d::Store& store, const std::string& sign, std::unique_lock<std::mutex>& lock);
    bool others_wait() const;
    std::string first_lost() const;
    status check();
    status give_up(const std::string& why) { return lost = {error_kind::io, why}; }
};

/// One exchange with the store. The mutex is free while the answer may fail to come.
void peer_watch::state::look(c10d::Store& store, const std::string& sign,
                             std::unique_lock<std::mutex>& lock) {
    std::vector<std::string> keys;
    for (std::size_t each = 0; each < peers.size(); ++each) keys.push_back(key_of(each));
    const std::string finding = std::exchange(found, {});
    waits_since = clock::now();
    lock.unlock();

    bytes reason;
    if (!finding.empty()) reason = store.compareSet("lost", {}, as_bytes(finding));
    store.set(key_of(rank), as_bytes(sign));
    const auto signs = store.multiGet(keys);
    if (reason.empty() && store.check({"lost"})) reason = store.get("lost");

    lock.lock();
    waits_since.reset();
    ++looks;
    const auto now = clock::now();
    const auto passed = std::min<clock::duration>(now - looked, 2 * look_every);
    looked = now;
    for (std::size_t each = 0; each < peers.size(); ++each) {
        peer& one = peers[each];
        if (one.sign == signs[each])
            one.silent += passed;
        else
            one = {signs[each], {}};
    }
    if (lost && !reason.empty()) lost = {error_kind::io, {reason.begin(), reason.end()}};
    answered.notify_all();
}

/// Whether another one may still ask the store, or this process's connections.
bool peer_watch::state::others_wait() const {
    for (std::size_t each = 0; each < peers.size(); ++each) {
        const peer& one = peers[each];
        const bool has_ended = one.sign == as_bytes(sign_of_end);
        const bool knows = one.sign == as_bytes(sign_of_knowing);
        if (each != rank && !has_ended && !knows && one.silent < patience_for_silent) return true;
    }
    return false;
}

void peer_watch::state::run(c10d::Store& store) {
    std::unique_lock lock(mutex);
    std::uint64_t count = 0;
    std::string told;
    const auto last_sign = [this] {
        return !lost ? sign_of_knowing : ending ? sign_of_end : std::string_view();
    };
    try {
        while (!ending || told != last_sign() || (others_wait() && clock::now() < end)) {
            told = last_sign();
            look(store, told.empty() ? std::to_string(++count) : told, lock);
            asked.wait_for(lock, ending ? 10ms : look_every,
                           [&] { return !found.empty() || told != last_sign(); });
        }
    } catch (const std::exception&) {
        if (!lock.owns_lock()) lock.lock();
        broken = true;
    }
    ended = true;
    answered.notify_all();
}

std::string peer_watch::state::first_lost() const {
    for (std::size_t each = 0; each < peers.size(); ++each) {
        const peer& one = peers[each];
        if (each == rank || one.sign == as_bytes(sign_of_knowing)) continue;
        const bool has_ended = one.sign == as_bytes(sign_of_end);
        if (has_ended && one.silent > patience_for_ended)
            return names[each] + " is lost: it has ended";
        if (!has_ended && one.silent > silence)
            return names[each] + " is lost: no sign of life for " + in_seconds(silence);
    }
    return {};
}

status peer_watch::state::check() {
    std::unique_lock lock(mutex);
    CUSET_TRY(lost);
    const auto decided = [this] { return broken || !lost; };
    if (waits_since && clock::now() - *waits_since > silence) {
        // If this process stood still, the answer is there, and only has to be read.
        const bool answers = answered.wait_for(
            lock, 1s, [&, before = looks] { return looks != before || decided(); });
        if (!answers)
            return give_up(server + " is lost: no answer from its store for " +
                           in_seconds(silence));
    }
    CUSET_TRY(lost);
    if (broken) return give_up(server + " is lost: no connection to it");
    found = first_lost();
    if (found.empty()) return {};
    const std::string own = found;
    asked.notify_all();
    answered.wait_for(lock, 2s, decided);
    return lost ? give_up(own) : lost;
}

peer_watch::peer_watch(const c10::intrusive_ptr<c10d::Store>& store, std::size_t rank,
                       std::vector<std::string> names, std::string server,
                       std::chrono::seconds silence)
    : state_(std::make_shared<state>(rank, std::move(names), std::move(server), silence)),
      thread_([shared = state_, own = store->clone()] { shared->run(*own); }) {}

peer_watch::~peer_watch() {
    state& shared = *state_;
    std::unique_lock lock(shared.mutex);
    shared.ending = true;
    // Of those that end because of a lost one, only process 0 stays for a while: its store tells
    // the others.
    const auto patience = shared.lost        ? patience_for_last
                          : shared.rank == 0 ? patience_for_knowing
                                             : 0s;
    shared.end = clock::now() + patience;
    shared.asked.notify_all();
    // A store that has not answered for a second will not do so now.
    if (!shared.waits_since || clock::now() - *shared.waits_since < 1s)
        shared.answered.wait_until(lock, shared.end + 1s, [&] { return shared.ended; });
    const bool ended = shared.ended;
    lock.unlock();
    if (ended)
        thread_.join();
    else
        thread_.detach();
}

void peer_watch::announce(c10d::Store& store, std::size_t rank) {
    store.set(key_of(rank), as_bytes("0"));
}

status peer_watch::check() { return state_->check(); }

status peer_watch::find_lost() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->silence = std::min<clock::duration>(state_->silence, patience_for_broken);
    }
    const auto end = clock::now() + patience_for_broken + 2 * look_every;
    while (clock::now() < end) {
        CUSET_TRY(check());
        std::this_thread::sleep_for(100ms);
    }
    return {};
}

}  // namespace cuset

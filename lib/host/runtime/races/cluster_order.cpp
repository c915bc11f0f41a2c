// What orders the accesses to the shared memory of a cluster's blocks.
#ifdef CUSET_HOST_RACES

#include <algorithm>
#include <utility>

#include "accesses.h"
#include "cuset_host/faults.h"
#include "happens_before.h"
#include "race_words.h"

namespace cuset_host::races {

block_clock* block_clock::holder_of(std::uintptr_t address) {
    if (is_shared(address)) return this;
    const auto found = std::find_if(cluster_.begin(), cluster_.end(),
                                    [&](const auto* each) { return each->is_shared(address); });
    return found == cluster_.end() ? nullptr : *found;
}

void block_clock::barrier_met() {
    block_met();
    if (!std::exchange(has_guest_, false)) return;
    for (block_clock* const each : cluster_) {
        each->cluster_met();
        each->forget_latest();
    }
}

visit_fault block_clock::look_at_visit(block_clock& visitor, const visit& v) {
    if (begun_ != visitor.begun_ || (v.cluster_turn == 1 && !visitor.knows_others()))
        return visit_fault::too_early;
    if (has_ended_) return visit_fault::too_late;
    const std::uint32_t block = visitor.record_;
    const auto last = std::find_if(visits_.begin(), visits_.end(), [&](const visit& each) {
        return segment_of(each.segment).block == block;
    });
    if (last == visits_.end()) {
        visits_.push_back(v);
    } else if (last->cluster_turn < v.cluster_turn) {
        *last = v;
    }
    return visit_fault::none;
}

std::vector<visit> block_clock::end() {
    has_ended_ = true;
    std::vector<visit> open = std::exchange(visits_, {});
    // What a thread learned by strong accesses may be that the visitors have gone.
    const bool may_know = of_block_ != nullptr || has_learned_;
    open.erase(
        std::remove_if(open.begin(), open.end(),
                       [&](const visit& v) { return may_know || v.cluster_turn < cluster_turn_; }),
        open.end());
    return open;
}

void tell_visit(const visit& v, const block_clock& host, const char* fault) {
    tell_race(v.place, 0, [&] {
        return running_thread(line_of_place(v.place)) + ": " + (v.writes ? "writes " : "reads ") +
               shared_place_text(v.bytes, host) + fault;
    });
}

/// An access that may be to the shared memory of another block of the cluster.
void look_at_visit(const access& a) {
    block_clock* const host = current->holder_of(a.address);
    if (host == nullptr) return;
    const visit v{current->now(), current->cluster_turn(), place_of(a), a.bytes, a.writes};
    switch (host->look_at_visit(*current, v)) {
        case visit_fault::none: return;
        case visit_fault::too_early:
            return tell_visit(v, *host,
                              ", which may not have begun: no cluster.sync() comes before");
        case visit_fault::too_late:
            return tell_visit(v, *host, ", which may have ended: no cluster.sync() comes behind");
    }
}

}  // namespace cuset_host::races

#endif

// What orders the nodes of a graph that runs: its dependencies alone.
//
// Each node is a task of a lane. A node goes on in the lane of one that it depends on, if no other
// node does so already; else it has a lane of its own. The first lane is the stream's, or that of
// the node whose child graph this is, and so a chain of nodes needs no other. When all nodes have
// run, the stream knows what they know.
#ifdef CUSET_HOST_RACES

#include <algorithm>
#include <string>
#include <utility>

#include "accesses.h"
#include "races.h"
#include "stream_order.h"

namespace cuset_host::races {

namespace {

constexpr std::size_t none = ~std::size_t{0};

}  // namespace

struct graph_lanes {
    std::uint32_t stream;  // or lane, of the work that the graph is
    task_name outer;
    std::uint64_t number;               // of the graph's launch
    stream_clock begin;                 // what nodes know that depend on none
    std::vector<stream_clock> known{};  // by node: what is known behind it
    std::vector<std::size_t> lane{};    // by node
    std::vector<std::size_t> latest{};  // by lane: its last node
    std::size_t running = none;

    /// Wider graphs have nodes in one lane that nothing orders: races of these may be missed.
    static constexpr std::size_t most = 64;

    std::size_t choose_lane(const std::vector<std::size_t>& after) {
        for (const std::size_t node : after)
            if (latest[lane[node]] == node) return lane[node];
        if (latest.size() < most) latest.push_back(none);
        return latest.size() - 1;
    }
    std::uint32_t number_of(std::size_t index) const {
        return index == 0 ? stream : lane_of(stream, index - 1);
    }
    void end_node() {
        if (running != none) known[running] = task_clock();
        running = none;
    }
};

graph_order::graph_order(std::size_t nodes) {
    if (!is_in_stream_work || current != nullptr || !has_order()) return;
    static std::uint64_t graphs = 0;
    const task_name& outer = running_task();
    lanes_ = std::make_unique<graph_lanes>(
        graph_lanes{.stream = task_lane(),
                    .outer = outer,
                    .number = outer.graph != 0 ? outer.graph : ++graphs,
                    .begin = task_clock()});
    lanes_->known.resize(nodes);
    lanes_->lane.resize(nodes);
}

graph_order::~graph_order() {
    if (lanes_ == nullptr) return;
    lanes_->end_node();
    for (const stream_clock& known : lanes_->known) lanes_->begin.learn(known);
    begin_lane_task(lanes_->stream, lanes_->begin, lanes_->outer);
}

void graph_order::begin_node(std::size_t node, std::size_t number,
                             const std::vector<std::size_t>& after) {
    if (lanes_ == nullptr) return;
    graph_lanes& all = *lanes_;
    all.end_node();
    stream_clock known = all.begin;
    for (const std::size_t before : after) known.learn(all.known[before]);
    const std::size_t lane = all.choose_lane(after);
    all.lane[node] = lane;
    all.latest[lane] = all.running = node;
    const std::string outer = all.outer.node.empty() ? "" : all.outer.node + '.';
    begin_lane_task(all.number_of(lane), known,
                    {"a copy or fill", all.number, outer + std::to_string(number)});
}

}  // namespace cuset_host::races

#endif

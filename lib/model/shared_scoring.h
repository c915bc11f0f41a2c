// Passes of one batch, dealt out to the processes that share a base. Process 0 has the batch and
// gets all log-probabilities; the others compute what they are given. Private to lib/model.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "forward.h"
#include "sharded_layers.h"
#include "work_broadcast.h"

namespace cuset {

class shared_scoring {
public:
    /// `forward`, whose layers are `layers`, and `exchange` must outlive it.
    shared_scoring(forward_pass& forward, std::shared_ptr<sharded_layers> layers,
                   layer_exchange& exchange, base_part part)
        : forward_(forward), layers_(std::move(layers)), others_(exchange, part) {}

    /// Of process 0: as many rounds as it takes to give each process a pass at a time. found[i] are
    /// the log-probabilities of passes[i]. Throws what a pass throws, and failed_exchange; a
    /// process that ends by an exception of its own is lost to the others.
    void run(std::span<const packed_batch> passes, std::vector<std::vector<float>>& found);

    /// Of the others: takes part in rounds until process 0's object is destroyed. Throws likewise.
    void serve();

private:
    std::vector<double> run_round(std::span<const packed_batch> passes);

    forward_pass& forward_;
    std::shared_ptr<sharded_layers> layers_;
    work_broadcast others_;
};

}  // namespace cuset

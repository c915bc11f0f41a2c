#include "work_broadcast.h"

namespace cuset {

work_broadcast::~work_broadcast() {
    double none = 0;
    // An error here is that of a process which has ended since.
    if (part_.rank == 0 && !is_broken_) static_cast<void>(exchange_.sum(std::span(&none, 1)));
}

void work_broadcast::sum(std::span<double> values) {
    const status done = exchange_.sum(values);
    if (done) return;
    is_broken_ = true;
    throw failed_exchange(done);
}

void work_broadcast::send(std::vector<double> work) {
    auto length = static_cast<double>(work.size());
    sum(std::span(&length, 1));
    sum(work);
}

std::vector<double> work_broadcast::receive() {
    double length = 0;
    sum(std::span(&length, 1));
    std::vector<double> work(static_cast<std::size_t>(length));
    if (length > 0) sum(work);
    return work;
}

}  // namespace cuset

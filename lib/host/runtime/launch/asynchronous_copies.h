// The copies of a block's threads that are not in place yet: see the header for programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cuset_host/threads/asynchronous_copies.h"

namespace cuset_host {

class asynchronous_copies {
public:
    /// What no thread has waited for is forgotten.
    void begin_block(unsigned threads);
    void begin(unsigned thread, const copied_piece& piece);
    void commit(unsigned thread);
    bool take(unsigned thread, copied_piece* piece, std::size_t left, bool all);

    /// What is stored at `to` when somebody waits for the barrier.
    struct counted {
        const unsigned char* barrier;
        unsigned char* to;
        std::vector<unsigned char> value;
    };
    void begin(counted copy) { counted_.push_back(std::move(copy)); }
    std::size_t land(const unsigned char* barrier);
    void forget(const unsigned char* barrier);

private:
    struct begun {
        copied_piece piece;
        std::uint64_t group;
    };
    struct of_thread {
        std::vector<begun> pieces{};
        std::size_t first = 0;   // that is not in place
        std::uint64_t open = 0;  // the group that is not committed: so many are
    };
    std::vector<of_thread> threads_;
    std::vector<counted> counted_;
    bool is_used_ = false;
};

}  // namespace cuset_host

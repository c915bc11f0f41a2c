// What is judged at a moment, for progress. Private to lib/judge.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <string>

namespace cuset {

class running_candidates {
public:
    using clock = std::chrono::steady_clock;

    /// A candidate that is judged for as long as this lives.
    class entry {
    public:
        entry(running_candidates& all, std::string name);
        ~entry();
        entry(const entry&) = delete;
        entry& operator=(const entry&) = delete;

    private:
        running_candidates& all_;
        std::list<std::pair<std::string, clock::time_point>>::iterator place_;
    };

    /// "saxpy/3 for 12 s and 1 more", with the one that began first; empty if nothing has run for a
    /// second.
    std::string describe() const;

private:
    mutable std::mutex mutex_;
    std::list<std::pair<std::string, clock::time_point>> running_;  // in the order of their begin
};

}  // namespace cuset
